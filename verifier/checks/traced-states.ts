/** What G45 and G48 ask of every run under a tracer: that its trace explains the state that it left. */
import { whyUnexplained } from '../model/traced-state.js';
import type { Snapshot } from '../read/bundle.js';
import { need } from './check.js';
import type { SubjectModel } from './subject-model.js';

/** `arm`: the run to which nothing was done. Of an armed one the tracer tells only of the files that the arm came to. */
export function whyStateUnexplained(snapshot: Snapshot, arm: Snapshot, model: SubjectModel): string | null {
  const { planned, base, state } = snapshot;
  const { traced, kill } = planned;
  if (traced === null) return null;
  // A record that cannot be read is told elsewhere: nothing is then known to have been appended.
  const entriesOf = (one: Snapshot): number => model.record(one.state).value?.entries.length ?? 0;
  const { calls } = need(snapshot.trace);
  const whole = kill === null && traced.fault === null;
  return whyUnexplained({
    ...{ family: traced.family, calls, whole, log: model.appends.to },
    before: new Map(base?.state.contents),
    after: new Map(state.contents),
    appended: whole && entriesOf(snapshot) > (base === undefined ? model.appends.made : entriesOf(base)),
    told: traced.call === null ? null : new Set(need(arm.trace).calls.flatMap(({ paths }) => paths)),
  });
}
