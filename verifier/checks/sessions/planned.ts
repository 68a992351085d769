/** What a plan lets a check of sessions expect: where it leaves a figure open, what the snapshot began with is expected at least. */
import type { Snapshot } from '../../read/bundle.js';

export function plannedModelRequests({ planned, base }: Snapshot): number {
  return planned.expect.model_requests ?? (base === undefined ? 0 : plannedModelRequests(base));
}

export function plannedToolRequests({ planned, base }: Snapshot): number {
  return planned.expect.tool_requests ?? (base === undefined ? 0 : plannedToolRequests(base));
}

export function plannedRuns({ planned, base }: Snapshot): number {
  return planned.expect.session?.runs.length ?? (base === undefined ? 0 : plannedRuns(base));
}

type PlannedCall = NonNullable<NonNullable<Snapshot['planned']['expect']['session']>['runs'][number]['calls']>[number];

/** How many calls of a state the plan predicts; none where it predicts no calls. */
export function plannedCalls({ planned }: Snapshot, ...states: readonly PlannedCall['state'][]): number {
  const calls = planned.expect.session?.runs.flatMap((run) => run.calls ?? []) ?? [];
  return calls.filter(({ state }) => states.includes(state)).length;
}
