/**
 * A planned case → the snapshots that its evidence must hold, in order: the producer, then the arms. An arm that is to be killed in
 * its recovery stands for several, which are written out here. Pure, and from the plan alone: what is expected never depends on what
 * is found, but for a ratchet, whose points are the calls that its own run made, and for a power loss, whose states its own run left.
 */
import type { Plan } from '../contract/types.js';
import { carriedOn, type Beginning } from './power-loss-arm.js';
import { nothingFound, type Found, ratchetOf } from './ratchet.js';

export type PlannedCase = Plan['cases'][number];
type PlannedArm = PlannedCase['arms'][number];
/** The nth call of a name, before which a tracer kills. */
export interface CallPlace {
  readonly name: string;
  readonly nth: number;
}

export type Kill = PlannedCase['kill'];
/** Not in a plan: what a ratchet stands for. */
export type CallKill = { readonly at: 'call' } & CallPlace;
type Crash = NonNullable<PlannedArm['crash']>;
/** Several processes on one state. */
export type GroupCrash = Extract<Crash, { model: 'race' | 'zombie' }>;
export type SyscallKill = Extract<Crash, { model: 'syscall-kill' }>;
export type PowerLoss = Extract<Crash, { model: 'power-loss' }>;
export type IoFault = Extract<Crash, { model: 'io-fault' }>;
/** Stands for snapshots that are found by running it. */
export type Ratchet = SyscallKill | IoFault;
export type Fault = Pick<IoFault, 'error' | 'lasting'>;
type CrashInRecovery = Extract<Crash, { model: 'crash-in-recovery' }>;

export type Expectation = PlannedCase['expect'];
/** All of it is predicted but where an arm stands for several snapshots. */
export type Expected = Partial<Expectation> & {
  /** Those that are allowed, in the place of one. */
  readonly outcomes?: readonly Expectation['outcome'][];
};

export interface PlannedSnapshot {
  readonly id: string;
  readonly role: PlannedArm['role'];
  /** What a resume is told to carry out; null where it is told nothing, and for every other role. */
  readonly operation: NonNullable<PlannedArm['operation']> | null;
  /** What a person states or gives with the operation. */
  readonly input: NonNullable<PlannedArm['input']> | null;
  readonly kill: Kill | CallKill;
  readonly crash: GroupCrash | null;
  /** A tracer watched the role, or killed it; null where there was none. */
  readonly traced: Traced | null;
  /** An arm under power loss, or what carries on from a state that it may leave; null elsewhere. */
  readonly powerLoss: LostPower | null;
  /** The snapshot that this one began as a copy of; of what carries on from a power loss the arm, as that left it. */
  readonly from: string | null;
  readonly scenario: string;
  readonly provider: string;
  readonly expect: Expected;
}

/** What a tracer was to do in a snapshot of a ratchet. */
export interface Traced {
  readonly family: SyscallKill['family'];
  /** The snapshot in which it only watched. */
  readonly arm: string;
  readonly ratchet: Ratchet;
  /** Armed there; null where it only watches. */
  readonly call: CallPlace | null;
  /** With what that call fails; null where nothing fails. */
  readonly fault: Fault | null;
}

export interface LostPower {
  /** Under which the power was lost. */
  readonly arm: string;
  readonly crash: PowerLoss;
  /** Null for the arm itself. */
  readonly begins: Beginning | null;
}

export const producer = 'producer';

/** It was killed before a system call, or one of its calls failed: its creation, too, may have come to no end. */
export function isCut({ kill, traced }: PlannedSnapshot): boolean {
  return kill?.at === 'call' || (traced !== null && traced.fault !== null);
}

/** Whoever was not killed ends with an answer, unless one of its calls failed. */
export function leavesAnswer({ kill, traced }: PlannedSnapshot): boolean {
  return kill === null && (traced === null || traced.fault === null);
}

export function snapshotsOf(planned: PlannedCase, found: Found = nothingFound): PlannedSnapshot[] {
  const { scenario, provider, kill, expect } = planned;
  const alone = { operation: null, input: null, crash: null, traced: null, powerLoss: null };
  const first: PlannedSnapshot = { id: producer, role: 'produce', ...alone, kill, from: null, scenario, provider, expect };
  return [first, ...planned.arms.flatMap((arm) => snapshotsOfArm(planned, arm, found))];
}

function snapshotsOfArm(planned: PlannedCase, arm: PlannedArm, found: Found): PlannedSnapshot[] {
  const { crash } = arm;
  const ratchet = crash?.model === 'syscall-kill' || crash?.model === 'io-fault' ? crash : null;
  const powerLoss = crash?.model === 'power-loss' ? crash : null;
  const itself: PlannedSnapshot = {
    id: arm.id,
    role: arm.role,
    operation: arm.operation ?? null,
    input: arm.input ?? null,
    kill: arm.kill ?? null,
    crash: crash?.model === 'race' || crash?.model === 'zombie' ? crash : null,
    traced: ratchet && { family: ratchet.family, arm: arm.id, ratchet, call: null, fault: null },
    powerLoss: powerLoss && { arm: arm.id, crash: powerLoss, begins: null },
    // A producer under a tracer is a fresh one.
    from: (ratchet ?? powerLoss) !== null && arm.role === 'produce' ? null : (arm.from ?? producer),
    scenario: arm.scenario ?? planned.scenario,
    provider: arm.provider ?? planned.provider,
    expect: arm.expect,
  };
  if (ratchet !== null) return ratchetOf(itself, ratchet, found);
  if (powerLoss !== null) return [itself, ...carriedOn(itself, powerLoss, found.beginnings(arm.id))];
  return crash?.model === 'crash-in-recovery' ? [itself, ...killedAndEnded(itself, crash)] : [itself];
}

/** For each commit of the recovery: killed there, with depth 2 killed again at each commit of what follows, and brought to its end. */
function killedAndEnded(arm: PlannedSnapshot, { commits, depth, same_events: isSame }: CrashInRecovery): PlannedSnapshot[] {
  const killedAt = (id: string, from: string | null, commit: number): PlannedSnapshot => ({
    ...arm,
    ...{ id, from, expect: { ended: 'killed' as const } },
    kill: {
      at: 'checkpoint',
      checkpoint: commit === 0 ? 'projection.read' : 'commit',
      occurrence: Math.max(commit, 1),
    },
  });
  const endOf = (killed: PlannedSnapshot): PlannedSnapshot => ({
    ...arm,
    ...{ id: `${killed.id}-end`, from: killed.id },
    expect: { ...whateverTheKill(arm.expect), ...(isSame ? { same_events_as: arm.id } : {}) },
  });
  return commits.flatMap((following, commit) => {
    const killed = killedAt(`${arm.id}-k${commit}`, arm.from, commit);
    const again = depth === 1 ? [] : Array.from({ length: following + 1 }, (_commit, at) => at);
    const twice = again.flatMap((at) => {
      const second = killedAt(`${killed.id}-k${at}`, killed.id, at);
      return [second, endOf(second)];
    });
    return [killed, ...twice, endOf(killed)];
  });
}

/** What a recovery reaches wherever one before it was killed: not how many steps, requests or calls it took. */
function whateverTheKill(expect: Expected): Expected {
  const { events: _1, receipts: _2, keys: _3, bodies: _4, processes: _5, ...ended } = expect;
  const { questions: _6, calls: _7, reconciled: _8, operations: _9, ...rest } = ended;
  return rest;
}
