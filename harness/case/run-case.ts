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
import type { PlannedCase, PlannedSnapshot } from '../plan/types.js';
import type { RunContext } from './context.js';
import { takeSnapshot } from './snapshot.js';
import { withoutPaths } from './stderr.js';

export interface CaseResult {
  readonly case: string;
  readonly void: Case['void'];
  readonly kills: number;
}

export async function runCase(context: RunContext, planned: PlannedCase): Promise<CaseResult> {
  const snapshots = snapshotsOf(planned);
  const taken = new Map<string, Promise<boolean>>();
  const troubles = new Map<string, CaseVoid>();
  let kills = 0;
  const take = async (one: PlannedSnapshot): Promise<boolean> => {
    if (one.from !== null && !(await taken.get(one.from))) return false;
    try {
      const { killed } = await context.slots.use(() => takeSnapshot(context, one));
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
  for (const one of snapshots) taken.set(one.snapshot, take(one));
  // All are awaited before a failure is passed on: no process of this case may outlive it unseen.
  const settled = await Promise.allSettled(taken.values());
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  const outcome = voidOf(context, snapshots, troubles);
  writeRecord(context, planned, snapshots, outcome);
  context.progress({
    case: planned.id,
    snapshot: null,
    what: outcome === null ? 'done' : 'void',
    ...(outcome === null ? {} : { detail: outcome.detail }),
  });
  return { case: planned.id, void: outcome, kills };
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

function writeRecord(
  context: RunContext,
  planned: PlannedCase,
  snapshots: readonly PlannedSnapshot[],
  outcome: Case['void'],
): void {
  const folder = join(context.bag, 'data', 'cases', planned.id);
  const ran = snapshots
    .filter(({ snapshot, crash }) => existsSync(join(folder, snapshot, crash === null ? 'process.json' : 'group.json')))
    .map(({ snapshot }) => snapshot);
  const record: Case = { case: planned.id, snapshots: ran, void: outcome };
  writeFileSync(join(folder, 'case.json'), canonicalLine(record), { flag: 'wx' });
}

function asVoid(error: unknown): CaseVoid {
  if (error instanceof CaseVoid) return error;
  return new CaseVoid('harness-error', `The harness failed: ${(error as Error).message}`, { cause: error });
}
