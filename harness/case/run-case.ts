/**
 * The life of a case: the producer's snapshot, then each arm on its own copy of the snapshot that it comes from.
 *
 * Arms that do not depend on each other run side by side. A snapshot that proves nothing voids the case and stops what would stand on it;
 * the case is recorded all the same, with its reason.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../contract/types.js';
import { CaseVoid, endsTheRun } from '../errors.js';
import { canonicalLine } from '../io/canonical.js';
import { snapshotsOf } from '../plan/snapshots.js';
import { endOf, pointsOf } from '../plan/syscall-kill.js';
import type { PlannedCase, PlannedSnapshot } from '../plan/types.js';
import { namePlaces, type Places, type RunContext } from './context.js';
import { deriveAndLook } from './derived.js';
import { reachedIn, type Reached } from './reach.js';
import { takeSnapshot } from './snapshot.js';
import { withoutPaths } from './stderr.js';
import { keptCalls } from './trace.js';

export interface CaseResult {
  readonly case: string;
  readonly void: Case['void'];
  readonly kills: number;
  readonly reached: readonly Reached[];
}

export async function runCase(context: RunContext, planned: PlannedCase): Promise<CaseResult> {
  const first = snapshotsOf(planned);
  const taken = new Map<string, Promise<boolean>>();
  const derived = new Map<string, PlannedSnapshot[]>();
  const troubles = new Map<string, CaseVoid>();
  let kills = 0;
  const take = async (one: PlannedSnapshot): Promise<boolean> => {
    if (one.from !== null && !(await taken.get(one.from))) return false;
    try {
      const { killed } = await context.slots.use(async () => {
        const snapshot = await takeSnapshot(context, one);
        if (one.powerLoss !== null) derived.set(one.snapshot, await deriveAndLook(context, one, one.powerLoss));
        return snapshot;
      });
      if (killed) kills += 1;
      context.progress({ case: planned.id, snapshot: one.snapshot, what: 'acted' });
      return true;
    } catch (error) {
      if (endsTheRun(error)) throw error;
      troubles.set(one.snapshot, asVoid(error));
      return false;
    }
  };
  context.progress({ case: planned.id, snapshot: null, what: 'began' });
  const begin = (one: PlannedSnapshot): Promise<boolean> => {
    const done = take(one);
    taken.set(one.snapshot, done);
    return done;
  };
  // All are awaited before a failure is passed on: no process of this case may outlive it unseen.
  const settled = await Promise.allSettled(first.map((one) => withFound(context, one, begin, derived)));
  const snapshots = settled.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  const outcome = voidOf(context, snapshots, troubles);
  const ran = ranOf(context, snapshots);
  writeRecord(context, planned, ran, outcome);
  context.progress({
    case: planned.id,
    snapshot: null,
    what: outcome === null ? 'done' : 'void',
    ...(outcome === null ? {} : { detail: outcome.detail }),
  });
  const counted = new Set(ran.filter((snapshot) => !troubles.has(snapshot)));
  return { case: planned.id, void: outcome, kills, reached: reachedIn(context, snapshots, counted) };
}

/** A snapshot, and behind it those that it stands for where that is found by taking it: of a point, who carries on from it. */
async function withFound(
  context: RunContext,
  one: PlannedSnapshot,
  begin: (one: PlannedSnapshot) => Promise<boolean>,
  derived: ReadonlyMap<string, PlannedSnapshot[]>,
): Promise<PlannedSnapshot[]> {
  const { ratchet } = one;
  if (!(await begin(one))) return [one];
  const begun = derived.get(one.snapshot) ?? [];
  // What fails here is passed on once all have ended.
  for (const result of await Promise.allSettled(begun.map(begin))) if (result.status === 'rejected') throw result.reason;
  if (ratchet === null) return [one, ...begun];
  const placesOf = (of: PlannedSnapshot): Places => namePlaces(context, of.caseId, of.snapshot);
  const points = pointsOf(one, ratchet, keptCalls(placesOf(one)));
  const settled = await Promise.allSettled(
    points.map(async (point) => {
      if (!(await begin(point)) || point.traced?.reached !== true) return [point];
      const end = endOf(point, ratchet, existsSync(join(placesOf(point).state, 'format.json')));
      await begin(end);
      return [point, end];
    }),
  );
  const all = settled.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  return [one, ...all];
}

/** The first trouble in plan order: later ones of the same case are often its echoes. */
function voidOf(
  context: RunContext,
  snapshots: readonly PlannedSnapshot[],
  troubles: ReadonlyMap<string, CaseVoid>,
): Case['void'] {
  for (const { snapshot } of snapshots) {
    const trouble = troubles.get(snapshot);
    if (trouble !== undefined) return { snapshot, reason: trouble.code, detail: withoutPaths(trouble.message, context) };
  }
  return null;
}

/** The names of those of which there is a record. */
function ranOf(context: RunContext, snapshots: readonly PlannedSnapshot[]): string[] {
  return snapshots
    .filter(({ caseId, snapshot, crash }) => {
      const { folder } = namePlaces(context, caseId, snapshot);
      return existsSync(join(folder, crash === null ? 'process.json' : 'group.json'));
    })
    .map(({ snapshot }) => snapshot);
}

function writeRecord(context: RunContext, planned: PlannedCase, ran: string[], outcome: Case['void']): void {
  const folder = join(context.bag, 'data', 'cases', planned.id);
  const record: Case = { case: planned.id, snapshots: ran, void: outcome };
  writeFileSync(join(folder, 'case.json'), canonicalLine(record), { flag: 'wx' });
}

function asVoid(error: unknown): CaseVoid {
  if (error instanceof CaseVoid) return error;
  return new CaseVoid('harness-error', `The harness failed: ${(error as Error).message}`, { cause: error });
}
