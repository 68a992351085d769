/** Whether the reason that a role gives for its refusal is there: in the log that it found, or in what it was asked for. */
import type { Answer, SharedSessionRefusal } from '../../contract/types.js';
import { driftOf, frozenRefusal } from '../../model/sessions/configuration.js';
import type { History } from '../../model/sessions/history.js';
import { next } from '../../model/sessions/session-state.js';
import { memberOf } from '../../model/values.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { sameJson } from '../../read/canonical.js';
import type { RoleEvidence } from '../../read/role.js';
import { need } from '../check.js';
import { toldTo } from '../parking.js';
import { callersConfig } from './callers.js';
import { historyIn } from './derived.js';

type Refusal = NonNullable<Answer['session_refusal']>;

/** Null where nothing is wrong, or where a living owner was met, of whom no log tells. */
export function refusalWrong(snapshot: Snapshot, role: RoleEvidence, bundle: Bundle): string | null {
  const { refusal, session_refusal: told } = need(role.answer);
  if (told === undefined) return refusal?.error === 'OwnerAlive' ? null : 'The role refused and gives no reason of a session.';
  const history = historyIn(snapshot);
  const { next_operation: operation, on } = next(history);
  if (told.operation !== null && told.operation !== operation) return 'The refusal names another operation than the log.';
  // It may concern what was asked for, and not what is due.
  const isKnown = told.on !== null && (history.runsById.has(told.on) || history.callsByKey.has(told.on));
  if (told.on !== on && !isKnown) return 'The refusal concerns what is not in the log.';
  const drift = driftIn(snapshot, bundle, history);
  if (!sameJson(told.drift, told.reason === 'config_conflict' ? drift : []))
    return 'The refusal names another drift than there is.';
  return isThere(told, history, drift, memberOf(toldTo(snapshot, role).input, 'run_id'))
    ? null
    : `The refusal gives ${told.reason} as its reason, which is not there.`;
}

function driftIn(snapshot: Snapshot, bundle: Bundle, { runs }: History): Refusal['drift'] {
  const config = runs.at(-1)?.config;
  const callers = callersConfig(snapshot, bundle);
  return config === undefined || callers === null ? [] : driftOf(config, callers);
}

function isThere({ reason }: Refusal, history: History, drift: Refusal['drift'], runId: unknown): boolean {
  const run = history.runs.at(-1);
  const frozen: SharedSessionRefusal | null = run === undefined ? null : frozenRefusal(run.config);
  switch (reason) {
    case 'renderer_version_drift':
    case 'frozen_render_config_unverifiable':
    case 'frozen_render_config_drift':
      return reason === frozen;
    case 'config_conflict':
      return frozen === null && drift.length > 0;
    case 'approval_needed':
      return (run?.awaiting.size ?? 0) > 0;
    case 'approval_settled':
      return true;
    case 'run_conflict':
      return history.runsById.has(String(runId));
    case 'nothing_open':
      return run === undefined || run.finished !== undefined;
    // Every log of a bundle can be read, and how much a write would have taken no log says.
    case 'newer_writer':
    case 'log_damaged':
      return false;
    case 'session_too_large':
      return true;
  }
}
