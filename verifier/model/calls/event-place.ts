/**
 * An event in its place: what it belongs to, what stood before it, and the questions that the rules of order ask about that. Pure.
 */
import type { ContextCompilationRequested, Event } from '../../contract/types.js';
import { sameJson } from '../../read/canonical.js';
import type { Attempt, Call, Compilation, History } from './history.js';
import { answeredElsewhere, decidingAttempt, interpretationOf, responseOf } from './settlement.js';

export interface Place {
  readonly event: Event;
  readonly previous: Event | undefined;
  readonly next: Event | undefined;
  readonly history: History;
  readonly call: Call | undefined;
  readonly attempt: Attempt | undefined;
  readonly compilation: Compilation | undefined;
}

/** The row is there, and stands before the event. */
export const before = ({ event }: Place, seq: number | undefined): boolean => seq !== undefined && seq < event.seq;
/** The event itself is the first of its kind. */
export const first = ({ event }: Place, seq: number | undefined): boolean => seq === event.seq;

export function previousAttempt({ call, event }: Place): Attempt | undefined {
  const index = call?.attempts.findIndex(({ id }) => id === event.attempt_id) ?? -1;
  return index > 0 ? call?.attempts[index - 1] : undefined;
}

/** A response stands in for an observation that never came. */
export function hasResponse({ attempt, event }: Place): boolean {
  return attempt !== undefined && responseOf(attempt, event.seq) !== undefined;
}

export function hasInterpretation({ attempt, event }: Place): boolean {
  return attempt !== undefined && interpretationOf(attempt, event.seq) !== undefined;
}

/** Bytes are read again by a recovery only, and under a version that has not read them yet. */
export function isFirstOfItsVersion({ attempt, event }: Place): boolean {
  const since = attempt === undefined ? 0 : (responseOf(attempt, event.seq)?.seq ?? 0);
  const earlier = attempt?.interpretations.filter(({ seq }) => seq > since && seq < event.seq) ?? [];
  if (earlier.length === 0) return true;
  const isRead = earlier.some(({ interpreter }) => sameJson(interpreter, event.payload.interpreter));
  return event.payload.recovery !== undefined && !isRead;
}

export function isAnswered({ call, event }: Place): boolean {
  const attempt = call === undefined ? undefined : decidingAttempt(call, event.seq);
  return attempt !== undefined && interpretationOf(attempt, event.seq)?.result === 'answer';
}

/** Of the attempt that the call went on from. */
export function isCompletedAttempt(place: Place): boolean {
  const attempt = place.call === undefined ? undefined : decidingAttempt(place.call, place.event.seq);
  return before(place, attempt?.completed?.seq);
}

/** An attempt of which nothing whole came back ends with its call, when another call's answer has settled it. */
export function isEndedElsewhere(place: Place): boolean {
  const { attempt, event } = place;
  const isBroken = attempt?.observed === undefined || attempt.observed.delivery === 'broken';
  return event.payload.recovery !== undefined && isBroken && !hasResponse(place);
}

/** A call ends where it stands, and says so, when another one was answered under its key. */
export function isDoneElsewhere({ call, event, history }: Place): boolean {
  const other = call === undefined ? undefined : answeredElsewhere(history, call, event.seq);
  const { outcome, error, recovery } = event.payload;
  return recovery !== undefined && other !== undefined && outcome === 'failed' && error === `settled by ${other}`;
}

/**
 * Attempts that a completed call has brought to their end: up to the one that it went on from, all that came to one. One of which
 * nothing whole came back never ends by itself, nor does one that a finding or a decision was started over.
 */
export function attemptsToEnd({ call, event }: Place): readonly Attempt[] {
  const deciding = call === undefined ? undefined : decidingAttempt(call, event.seq);
  if (call === undefined || deciding === undefined) return [];
  const upTo = call.attempts.slice(0, call.attempts.indexOf(deciding) + 1);
  return upTo.filter((attempt, index) => {
    const { delivery } = attempt.observed ?? {};
    const isOver = delivery === 'complete' || delivery === 'not_sent' || responseOf(attempt, event.seq) !== undefined;
    return isOver && upTo[index + 1]?.cites === undefined;
  });
}

export function namesAttempts({ call, attempt, event }: Place): boolean {
  const ids = event.payload.attempt_ids as string[];
  const started = new Set(call?.attempts.filter(({ seq }) => seq < event.seq).map(({ id }) => id));
  const isLast = event.type !== 'effect.reconciled' || ids.at(-1) === attempt?.id;
  return isLast && ids.every((id) => started.has(id));
}

/** The one whose inputs the event fixes; null where it fixes none, empty where it is not of this task or was replaced before. */
export function replaced({ event, history }: Place): { call?: Call | undefined; compilation?: Compilation | undefined } | null {
  const { replaces } = event.payload as { replaces?: string };
  if (replaces === undefined) return null;
  const own = event.type === 'call.requested' ? event.call_id : event.compilation_id;
  const lawful = <T extends Call | Compilation>(one: T | undefined): T | undefined =>
    one?.taskId === event.task_id && one.supersededBy === own ? one : undefined;
  return event.type === 'call.requested'
    ? { call: lawful(history.calls.get(replaces)) }
    : { compilation: lawful(history.compilations.get(replaces)) };
}

type FanOut = ContextCompilationRequested['fan_out'];

/** Of one task, and asked for in one commit: the first gives the id, and its members follow each other. */
export function fanOutWhole({ event, previous, next }: Place): boolean {
  const own = fanOutOf(event);
  if (own === undefined) return true;
  const { id, index, of } = own;
  const isAt = (neighbour: Event | undefined, wanted: number): boolean => {
    const other = neighbour?.task_id === event.task_id ? fanOutOf(neighbour) : undefined;
    return other?.id === id && other.index === wanted && other.of === of;
  };
  const begins = index === 1 ? id === `fan-out-${event.seq}` : isAt(previous, index - 1);
  return begins && index <= of && (index === of || isAt(next, index + 1));
}

function fanOutOf({ type, payload }: Event): FanOut {
  return type === 'context.compilation_requested' ? (payload as { fan_out?: FanOut }).fan_out : undefined;
}

export function resultBefore(place: Place, resultId: string): boolean {
  const calls = [...place.history.calls.values()].filter((call) => call.taskId === place.event.task_id);
  return calls.some(({ results }) => results.some((result) => result.result_id === resultId && result.seq < place.event.seq));
}
