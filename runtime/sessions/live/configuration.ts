/**
 * Which configuration renders, and when nothing may be rendered at all.
 *
 * The recorded one is authoritative: before any model request of a run that was recorded before, it must be the one that this program can
 * render to the byte, and the one that the caller asks for, where the caller asks for one. A refusal comes before anything is appended.
 */
import { RuntimeError } from '../../core/errors.js';
import { configConflicts, renderRefusal } from '../core/config.js';
import type { Run } from '../core/run.js';
import type { RunConfig } from '../core/vocabulary.js';
import type { Tenure } from './tenure.js';

/** Refuses a model request of a run on record that would not be the recorded one. */
export function demandRecorded(tenure: Tenure, run: Run): void {
  const refused = renderRefusal(run.config);
  if (refused !== null) throw tenure.refusal(refused.reason, run.runId, refused.detail);
  const drift = tenure.wanted === null ? [] : configConflicts(run.config, tenure.wanted);
  if (drift.length > 0)
    throw tenure.refusal(
      'config_conflict',
      run.runId,
      `The run ${run.runId} was recorded with another configuration (${drift.join(', ')}). Resume it with that one, or without any.`,
      drift,
    );
  demandProvider(tenure);
}

/** The configuration of a new run: what the caller asks for, else that of the run before. Null where there is neither, or it cannot be rendered. */
export function configOfNewRun(tenure: Tenure): RunConfig | null {
  if (tenure.wanted !== null) return tenure.wanted;
  const recorded = tenure.history.last?.config;
  return recorded === undefined || renderRefusal(recorded) !== null ? null : recorded;
}

/** As `configOfNewRun`; refuses where there is none. */
export function demandConfigOfNewRun(tenure: Tenure): RunConfig {
  const config = configOfNewRun(tenure);
  demandProvider(tenure);
  if (config !== null) return config;
  const recorded = tenure.history.last;
  const refused = recorded === undefined ? null : renderRefusal(recorded.config);
  if (recorded !== undefined && refused !== null) throw tenure.refusal(refused.reason, recorded.runId, refused.detail);
  throw new RuntimeError('input-invalid', 'The session has no run yet, so its configuration must be given. Open it with one.');
}

function demandProvider({ providerUrl }: Tenure): void {
  if (providerUrl !== null) return;
  throw new RuntimeError('input-invalid', 'There is no provider to send a request to. Open the session with its URL.');
}
