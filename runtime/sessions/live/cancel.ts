/**
 * A cancel is a request on record, and seals nothing by itself.
 *
 * Durable before it is answered. A run that this process carries on takes it up: at its boundary, or at once, which ends requests and
 * commands that are under way. A run that nobody carries on is sealed by whoever opens the session next, without another request.
 */
import type { CancelAt } from '../core/vocabulary.js';
import type { Tenure } from './tenure.js';

export function cancel(tenure: Tenure, at: CancelAt): void {
  tenure.demandOpen();
  const run = tenure.history.current;
  if (run === undefined)
    throw tenure.refusal(
      'nothing_open',
      null,
      'No run is open, so there is nothing to cancel. Retract a message that waits and shall not run.',
    );
  // Asked again, or for less than before: it stands.
  if (run.cancel === at || run.cancel === 'now') return;
  tenure.record([{ type: 'run_cancel_requested', payload: { run_id: run.runId, at } }]);
  if (at === 'now' && tenure.live?.run === run) tenure.live.stop.abort();
}
