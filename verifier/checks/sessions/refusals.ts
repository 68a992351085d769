/** Whether the reason that a role gives for its refusal is there: in the log that it found, or in what it was asked for. */
import type { Answer, SharedSessionRefusal } from '../../contract/types.js';
import { sessionIdIn } from '../../model/sessions/asked.js';
import { driftOf, frozenRefusal } from '../../model/sessions/configuration.js';
import type { History, Run } from '../../model/sessions/history.js';
import { next } from '../../model/sessions/session-state.js';
import { stageOf } from '../../model/sessions/stage.js';
import { memberOf } from '../../model/values.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { sameJson } from '../../read/canonical.js';
import type { RoleEvidence } from '../../read/role.js';
import { need } from '../check.js';
import { toldTo } from '../parking.js';
import { callersConfig } from './callers.js';
import { historyIn } from './derived.js';

type Refusal = NonNullable<Answer['session_refusal']>;
type Told = ReturnType<typeof toldTo>;

/**
 * By the log as the role found it. Null where nothing is wrong, or where a living owner was met, of whom no log tells.
 */
export function refusalWrong(
  snapshot: Snapshot,
  role: RoleEvidence,
  bundle: Bundle,
  history: History = historyIn(snapshot),
): string | null {
  const { refusal, session_refusal: told } = need(role.answer);
  if (told === undefined) return refusal?.error === 'OwnerAlive' ? null : 'The role refused and gives no reason of a session.';
  const { next_operation: operation, on } = next(history);
  const drift = driftIn(snapshot, bundle, history);
  const concernsWhole = told.on === null && (drift.includes('session_id') || unread.has(told.reason));
  if (told.operation === null ? !concernsWhole : told.operation !== operation)
    return 'The refusal names another operation than the log.';
  if (told.on !== on && !isConcerned(told, history, toldTo(snapshot, role)))
    return 'The refusal concerns what is not in the log.';
  if (!sameJson(told.drift, told.reason === 'config_conflict' ? drift : []))
    return 'The refusal names another drift than there is.';
  return isThere(told, history, drift, toldTo(snapshot, role))
    ? null
    : `The refusal gives ${told.reason} as its reason, which is not there.`;
}

/** Reasons of a session that was not read: it is then named as a whole. */
const unread: ReadonlySet<string> = new Set(['newer_writer', 'log_damaged']);

/** It may concern what was asked for, and not what is due; or the session as a whole. */
function isConcerned({ on, operation }: Refusal, history: History, { input }: Told): boolean {
  if (on === null) return operation === null;
  return history.runsById.has(on) || history.callsByKey.has(on) || on === memberOf(input, 'run_id');
}

/** A caller that wants another session is refused as such, before anything is compared. */
function driftIn(snapshot: Snapshot, bundle: Bundle, { runs, sessionId }: History): Refusal['drift'] {
  const wanted = sessionIdIn(bundle.plan.value?.scenarios[snapshot.planned.scenario]);
  if (wanted !== undefined && wanted !== sessionId) return ['session_id'];
  const config = runs.at(-1)?.config;
  const callers = callersConfig(snapshot, bundle);
  return config === undefined || callers === null ? [] : driftOf(config, callers);
}

function isThere({ reason, on }: Refusal, history: History, drift: Refusal['drift'], { operation, input }: Told): boolean {
  if (drift.includes('session_id')) return reason === 'config_conflict';
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
      return isSettled(history, on);
    case 'run_conflict':
      return isKnown(history, memberOf(input, 'run_id'));
    case 'nothing_open':
      if (run === undefined || run.finished !== undefined) return true;
      return operation === 'approve' && !isAsked(run, memberOf(input, 'tool_call_id'));
    // Every log of a bundle can be read, and how much a write would have taken no log says.
    case 'newer_writer':
    case 'log_damaged':
      return false;
    case 'session_too_large':
      return true;
  }
}

/** It was answered before, or its run does not go on. */
function isSettled({ callsByKey, runs }: History, key: string | null): boolean {
  const call = callsByKey.get(key ?? '');
  if (call === undefined || call.approvals.length === 0) return false;
  const run = runs.at(-1);
  return call.answers.length > 0 || run === undefined || stageOf(run) !== 'paused';
}

/** A person is asked about calls of the last step that was answered. */
function isAsked({ lastFinished }: Run, id: unknown): boolean {
  return lastFinished?.calls.some((call) => call.id === id && call.approvals.length > 0) === true;
}

function isKnown({ runsById, submissions }: History, id: unknown): boolean {
  return runsById.has(String(id)) || submissions.has(String(id));
}
