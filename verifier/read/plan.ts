/**
 * A planned case → the snapshots that its evidence must hold, in order: the producer, then the arms. An arm that is to be killed in
 * its recovery stands for several, which are written out here. Pure, and from the plan alone: what is expected never depends on what
 * is found.
 */
import type { Plan } from '../contract/types.js';

export type PlannedCase = Plan['cases'][number];
type PlannedArm = PlannedCase['arms'][number];
export type Kill = PlannedCase['kill'];
type Crash = NonNullable<PlannedArm['crash']>;
/** Several processes on one state. */
export type GroupCrash = Exclude<Crash, { model: 'crash-in-recovery' }>;
type CrashInRecovery = Extract<Crash, { model: 'crash-in-recovery' }>;

export type Expectation = PlannedCase['expect'];
/** How a role ends is always predicted; the rest may be left open where an arm stands for several snapshots. */
type Expected = Pick<Expectation, 'ended'> & Partial<Expectation>;

export interface PlannedSnapshot {
  readonly id: string;
  readonly role: PlannedArm['role'];
  /** What a resume is told to carry out; null where it is told nothing, and for every other role. */
  readonly operation: NonNullable<PlannedArm['operation']> | null;
  /** What a person states or gives with the operation. */
  readonly input: NonNullable<PlannedArm['input']> | null;
  readonly kill: Kill;
  readonly crash: GroupCrash | null;
  /** The snapshot that this one began as a copy of. */
  readonly from: string | null;
  readonly scenario: string;
  readonly provider: string;
  readonly expect: Expected;
}

export const producer = 'producer';

export function snapshotsOf(planned: PlannedCase): PlannedSnapshot[] {
  const { scenario, provider, kill, expect } = planned;
  const alone = { operation: null, input: null, crash: null };
  const first: PlannedSnapshot = { id: producer, role: 'produce', ...alone, kill, from: null, scenario, provider, expect };
  return [first, ...planned.arms.flatMap((arm) => snapshotsOfArm(planned, arm))];
}

function snapshotsOfArm(planned: PlannedCase, arm: PlannedArm): PlannedSnapshot[] {
  const { crash } = arm;
  const itself: PlannedSnapshot = {
    id: arm.id,
    role: arm.role,
    operation: arm.operation ?? null,
    input: arm.input ?? null,
    kill: arm.kill ?? null,
    crash: crash === undefined || crash.model === 'crash-in-recovery' ? null : crash,
    from: arm.from ?? producer,
    scenario: arm.scenario ?? planned.scenario,
    provider: arm.provider ?? planned.provider,
    expect: arm.expect,
  };
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
