/**
 * Whether a session leaves something open for what somebody is told to do: the one of several processes that finds it so carries it out, and
 * whoever comes after finds it done. Pure.
 */
import { isObject } from '../values.js';
import { waitingIn, type History } from './history.js';
import { next } from './session-state.js';
import { stageOf } from './stage.js';

/** An operation of a resume and what a person says with it. */
export interface Word {
  /** Null: a resume of whatever is open. */
  readonly operation: string | null;
  readonly input: unknown;
}

/** Whoever comes second is not refused but told what is on record: a recovery, a cancel and a message may be said again at any time. */
export function mayBeSaidAgain({ operation }: Word): boolean {
  return operation === 'recover' || operation === 'cancel' || operation === 'send';
}

export function isOpenFor({ operation, input }: Word, history: History): boolean {
  const said = isObject(input) ? input : {};
  switch (operation) {
    case 'approve':
      return awaits(history, said.tool_call_id);
    case 'cancel':
      return isCancellable(history, said.at);
    case 'send':
      return isUnsent(history, String(said.run_id));
    case 'recover':
      return isResumable(history) || mayDrain(history);
    case null:
    default:
      return isResumable(history);
  }
}

/** A run can be carried on or closed out without a person, or a message can be drained. */
function isResumable(history: History): boolean {
  const { next_operation: operation } = next(history);
  return operation !== 'none' && operation !== 'approve';
}

/** A recovery drains what waits after a run that was interrupted or failed as well. */
function mayDrain(history: History): boolean {
  const run = history.runs.at(-1);
  return (run === undefined || run.finished !== undefined) && waitingIn(history).length > 0;
}

/**
 * Of several that are told the same, one may act after another in one case: the first closed a run out, behind which a message waits for the
 * next who recovers the session or says that message again.
 */
export function mayFollow(word: Word, history: History): boolean {
  if (!mayDrain(history)) return false;
  const said = isObject(word.input) ? word.input.run_id : undefined;
  const isWaiting = waitingIn(history).some(({ queued }) => queued.submission_id === said);
  return word.operation === 'recover' || (word.operation === 'send' && isWaiting);
}

/** Whoever had begun still has something to do: its own word, its run, or what its run lets follow. */
export function isUnfinished(word: Word, history: History): boolean {
  if (word.operation === 'approve' || word.operation === 'cancel') return isOpenFor(word, history);
  return isResumable(history) || (word.operation === 'send' && isOpenFor(word, history));
}

function awaits({ runs }: History, id: unknown): boolean {
  const run = runs.at(-1);
  const isPaused = run !== undefined && stageOf(run) === 'paused';
  return isPaused && [...run.awaiting].some((call) => call.id === id);
}

/** Asked again, or for less than before, a cancel stands. */
function isCancellable({ runs }: History, at: unknown): boolean {
  const run = runs.at(-1);
  if (run === undefined || run.finished !== undefined) return false;
  return !run.cancels.some((cancel) => cancel.at === 'now' || cancel.at === at);
}

/** A message whose run is open is that run, and goes on with it; one that was queued runs in its turn. */
function isUnsent(history: History, id: string): boolean {
  const run = history.runsById.get(id);
  if (run === undefined) return true;
  return run === history.runs.at(-1) && run.finished === undefined && isResumable(history);
}
