/** A run of subjects that break a rule, each in a case of its own, and what becomes of such a case. */
import { expect } from 'vitest';
import type { PlannedCase } from '../plan/types.js';
import { runPlan, type RunResult } from '../run.js';
import { atIntent, killedCase, readJson, restart, toyPlan } from './plans.js';
import type { Stand } from './stand.js';

export function runWithBroken(stand: Stand, behaviours: [string, string][], more: PlannedCase[]): Promise<RunResult> {
  const broken = behaviours.map(([behaviour]) => killedCase(behaviour, behaviour, atIntent, [restart('arm')]));
  const plan = { ...toyPlan([...broken, ...more]), timeouts: { checkpoint_ms: 3000, role_ms: 3000 } };
  return runPlan(stand.request(plan));
}

export function expectVoid(result: RunResult, behaviour: string, reason: string): void {
  expect(result.voids.filter((one) => one.case === behaviour)).toMatchObject([{ snapshot: 'producer', reason }]);
  // A state that cannot be listed has no record of its process; in every other case what was seen is there.
  const snapshots = behaviour.startsWith('state-holds') ? [] : ['producer'];
  expect(readJson(result.bundle, 'data', 'cases', behaviour, 'case.json')).toMatchObject({ snapshots });
}
