/**
 * What the arms of a run reached that stand for many crashes: the points of each ratchet, and the states that a power loss may leave. From the
 * evidence in the bundle; that none was left out is what the verifier says of it (G3, G45, G46, G48).
 *
 * A ratchet has as many points as its traced run made calls before which something may change. They are counted in its trace, and those that
 * were tried by what carried on from them, so that the two agree only where each point had its turn.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Calls, of one family. */
export interface Points {
  /** Those that the traced runs made. */
  found: number;
  /** Those before which the role was killed, or that were made to fail, and from which somebody carried on. */
  tried: number;
}

/** Of traced runs under power loss, whole. */
export interface Losses {
  operations: number;
  requests: number;
  cuts: number;
  /** Cuts beyond the stated bound that the seed left out. */
  cuts_left_out: number;
  derived: number;
  distinct: number;
  /** The distinct states that were opened, or refused by name. */
  recovered: number;
  /** Those of them that were refused, and those that were made anew then. */
  refused: number;
  made_anew: number;
  /** Distinct recovered records, with what the provider had received, from which somebody carried on. */
  carried_on: number;
}

type Role = 'producer' | 'resume';

/** Of one kind of crash for each role that it met; null where no arm of the plan has that kind. */
export interface Reach {
  kills_before_calls: RatchetReach | null;
  failing_calls: RatchetReach | null;
  power_loss: Partial<Record<Role, Losses | null>> | null;
}

/** Points by the family of the calls. */
export type RatchetReach = Partial<Record<Role, Record<string, Points>>>;

interface Crash {
  readonly model: string;
  readonly family?: string;
}

interface Arm {
  readonly id: string;
  readonly role: string;
  readonly crash?: Crash;
}

interface Plan {
  readonly cases: readonly { readonly id: string; readonly arms: readonly Arm[] }[];
}

/** As the harness counted them, and G46 counts again. */
type Derivation = Record<
  'operations' | 'requests' | 'cuts' | 'left_out' | 'derived' | 'distinct' | 'opened' | 'refused' | 'remade',
  number
>;

export const noReach = (): Reach => ({ kills_before_calls: null, failing_calls: null, power_loss: null });

export function reachIn(bundle: string): Reach {
  const { cases } = JSON.parse(readFileSync(join(bundle, 'data/plan.json'), 'utf8')) as Plan;
  return cases
    .map(({ id, arms }) => ({ folder: join(bundle, 'data/cases', id), arms }))
    .flatMap(({ folder, arms }) => (existsSync(folder) ? arms.map((arm) => reachOf(folder, arm)) : []))
    .reduce(sumOfReach, noReach());
}

/** The same kinds, roles and families together. */
export function sumOfReach(left: Reach, right: Reach): Reach {
  return merged(left, right) as Reach;
}

/** Points of one arm of a ratchet. */
export function pointsOf(folder: string, { id }: Pick<Arm, 'id'>): Points {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${id}-`));
  const tried = names.filter((name) => names.includes(`${name}-end`)).length;
  return { found: callsIn(join(folder, id, 'trace.txt')), tried };
}

/** The states of one arm under power loss; null where the arm was void. */
export function lossesOf(folder: string, { id }: Pick<Arm, 'id'>): Losses | null {
  const path = join(folder, id, 'derivation.json');
  if (!existsSync(path)) return null;
  const { left_out, opened, refused, remade, ...counted } = JSON.parse(readFileSync(path, 'utf8')) as Derivation;
  const { operations, requests, cuts, derived, distinct } = counted;
  const carriedOn = readdirSync(folder).filter((name) => name.startsWith(`${id}-`)).length;
  return {
    ...{ operations, requests, cuts, cuts_left_out: left_out, derived, distinct },
    ...{ recovered: opened + refused, refused, made_anew: remade, carried_on: carriedOn },
  };
}

function reachOf(folder: string, arm: Arm): Reach {
  const role: Role = arm.role === 'resume' ? 'resume' : 'producer';
  const { model = 'none', family = '' } = arm.crash ?? {};
  switch (model) {
    case 'syscall-kill':
      return { ...noReach(), kills_before_calls: { [role]: { [family]: pointsOf(folder, arm) } } };
    case 'io-fault':
      return { ...noReach(), failing_calls: { [role]: { [family]: pointsOf(folder, arm) } } };
    case 'power-loss':
      return { ...noReach(), power_loss: { [role]: lossesOf(folder, arm) } };
    default:
      return noReach();
  }
}

/** An open that creates nothing changes nothing; the last line is the end of the process. None where there is no trace: the arm was void. */
function callsIn(trace: string): number {
  if (!existsSync(trace)) return 0;
  const calls = readFileSync(trace, 'utf8').split('\n').slice(0, -2);
  return calls.filter((call) => !/^\d+ open(?:at)?\(/.test(call) || /\bO_CREAT\b/.test(call)).length;
}

/** Numbers of one name are added; null is nothing. */
function merged(left: unknown, right: unknown): unknown {
  if (left === null || left === undefined) return right ?? null;
  if (right === null || right === undefined) return left;
  if (typeof left === 'number') return left + (right as number);
  const [one, other] = [left as Record<string, unknown>, right as Record<string, unknown>];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, merged(one[name], other[name])]));
}
