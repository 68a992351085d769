/**
 * What a recovery may append and where: the contract's table, event by event. Each event is judged against the state just before it,
 * so a recovery that was killed and done again is judged by the same table as one that was not. What the straight path appends after
 * a recovery has started an attempt or a call bears no mark of the recovery; nothing else is appended by a role with an operation.
 * Pure.
 */
import type { Event, SharedCarriedOut, SharedRecovery, SharedStage } from '../../contract/types.js';
import { historyOf, type Compilation, type History } from './history.js';
import { answeredElsewhere } from './settlement.js';
import { standingOf, workStates } from './work-state.js';

export type Operation = SharedCarriedOut;

interface Problem {
  readonly seq: number;
  readonly detail: string;
}

/** An event among all events of its record. */
interface Moment {
  readonly event: Event;
  readonly events: readonly Event[];
  readonly history: History;
}

type Where = (moment: Moment) => boolean;
type Step = readonly [type: string, where: Where];

const inStage = ({ event, history }: Moment, callId: unknown, stages: readonly SharedStage[]): boolean => {
  const call = history.calls.get(String(callId));
  return call !== undefined && call.seq < event.seq && stages.includes(standingOf(history, call, event.seq).stage);
};
const onCall =
  (...stages: SharedStage[]): Where =>
  (moment) =>
    inStage(moment, moment.event.call_id, stages);
const onUnprepared: Where = (moment) => inStage(moment, moment.event.payload.replaces, ['preparation_failed']);
const compilationOf = ({ event, history }: Moment): Compilation | undefined =>
  history.compilations.get(event.compilation_id ?? '');
const onRequested: Where = (moment) => {
  const one = compilationOf(moment);
  const ended = one?.compiled?.seq ?? one?.failed?.seq;
  return one !== undefined && one.seq < moment.event.seq && (ended === undefined || ended >= moment.event.seq);
};
const onFixed: Where = (moment) => onRequested(moment) && compilationOf(moment)?.requested.replaces !== undefined;
const onFailed: Where = ({ event, history }) => {
  const old = history.compilations.get(String(event.payload.replaces));
  return old?.failed !== undefined && old.failed.seq < event.seq && old.supersededBy === event.compilation_id;
};
const withResume: Where = ({ event, events }) => {
  const link = events[event.seq - 2];
  return link?.type === 'call.resumed' && link.payload.new_call_id === event.call_id;
};
/** Also once more, by an interpreter that has not read these bytes yet. */
const unread: Where = (moment) => {
  if (onCall('observed')(moment)) return true;
  const { event, history } = moment;
  const nameOf = (interpreter: unknown): string => JSON.stringify(interpreter);
  const attempt = history.calls.get(event.call_id ?? '')?.attempts.find(({ id }) => id === event.attempt_id);
  const earlier = attempt?.interpretations.filter(({ seq }) => seq < event.seq) ?? [];
  const isNew = earlier.every(({ interpreter }) => nameOf(interpreter) !== nameOf(event.payload.interpreter));
  return onCall('interpreted')(moment) && isNew;
};
const toAccept: Where = ({ event, events }) => {
  const before = workStates(events.slice(0, event.seq - 1)).find(({ task_id: id }) => id === event.task_id);
  return before?.task.next_operation === 'check_and_accept';
};

/** Nothing is to be sent for a call any more whose key another one was answered under. */
const onDoneElsewhere: Where = (moment) => {
  const { event, history } = moment;
  const call = history.calls.get(event.call_id ?? '');
  const isDone = call !== undefined && answeredElsewhere(history, call, event.seq) !== undefined;
  return isDone && onCall('preparation_failed', 'requested', 'manifest_recorded', 'not_sent', 'retry_due', 'not_served')(moment);
};

/** What each operation appends, in this order; what is there already is left out. */
const appends: Readonly<Record<Operation, readonly Step[]>> = {
  start_call: [
    ['call.resumed', onCall('requested', 'manifest_recorded')],
    ['call.requested', withResume],
  ],
  recompile: [
    ['context.compiled', onRequested],
    ['context.compilation_failed', onRequested],
  ],
  fix_inputs: [
    ['context.compilation_requested', onFailed],
    ['context.compiled', onFixed],
    ['context.compilation_failed', onFixed],
    ['call.requested', onUnprepared],
  ],
  reconcile_effect: [['effect.reconciled', onCall('effect_unknown', 'operator_needed', 'response_lost')]],
  accept_duplicate: [['duplicate.accepted', onCall('operator_needed', 'response_lost')]],
  reinterpret: [['attempt.interpreted', unread]],
  redecide: [['attempt.retry_decided', onCall('interpreted')]],
  start_next_attempt: [
    ['attempt.retry_decided', onCall('not_sent')],
    ['attempt.completed', onCall('retry_due')],
    ['attempt.started', onCall('retry_due', 'duplicate_accepted', 'retry_safe', 'not_served')],
  ],
  finalize: [
    ['attempt.completed', onCall('undecided_end')],
    ['result.recorded', onCall('undecided_end')],
    ['call.completed', (moment) => onCall('undecided_end')(moment) || onDoneElsewhere(moment)],
  ],
  check_and_accept: [
    ['task.accepted', toAccept],
    ['task.rejected', toAccept],
  ],
};

/** With these a person decides; a role that is told to recover stops before them. */
const aPersons: ReadonlySet<Operation> = new Set(['accept_duplicate', 'check_and_accept', 'fix_inputs']);

export function mayCarryOut(told: string | null, operation: Operation): boolean {
  if (told === 'recover') return !aPersons.has(operation);
  return told === operation || (told === null && operation === 'start_call');
}

/** Who appended an event, and to carry out what; undefined on the straight path. */
export function recoveryOf({ payload }: Event): SharedRecovery | undefined {
  return payload.recovery as SharedRecovery | undefined;
}

/**
 * Every event from the row `from` on that no recovery and no straight path may have appended there. `isTold`: the role has an
 * operation, so that what bears no mark must follow from an attempt or a call that was begun here.
 */
export function recoveryProblems(events: readonly Event[], from: number, isTold: boolean): Problem[] {
  const history = historyOf(events);
  const begun = new Set<string | null>();
  return events
    .filter(({ seq }) => seq >= from)
    .flatMap((event) => {
      const recovery = recoveryOf(event);
      const isFollowing = event.call_id !== null && begun.has(event.call_id);
      const isStraight = isTold ? isFollowing : !isLink({ event, events, history });
      if (event.type === 'attempt.started' || event.type === 'call.requested') begun.add(event.call_id);
      const detail = recovery === undefined ? unmarked(isStraight) : markedWrong(recovery, { event, events, history });
      return detail === null ? [] : [{ seq: event.seq, detail: `${event.type}: ${detail}` }];
    });
}

/** What resumes a call is no straight path for anybody. A runtime that recorded no specs had no marks either. */
function isLink({ event, events, history }: Moment): boolean {
  const { type, payload, seq, call_id: own } = event;
  const before = events[seq - 2];
  const renewed = type === 'call.resumed' ? payload.new_call_id : before?.type === 'call.resumed' ? own : null;
  return typeof renewed === 'string' && history.calls.get(renewed)?.specSha256 !== undefined;
}

function unmarked(isStraight: boolean): string | null {
  return isStraight ? null : 'a recovery appended this and does not say so.';
}

function markedWrong({ operation }: SharedRecovery, moment: Moment): string | null {
  const step = appends[operation].find(([type]) => type === moment.event.type);
  if (step === undefined) return `the operation ${operation} appends no such event.`;
  return step[1](moment) ? null : `the record before it does not name the operation ${operation}.`;
}

/** One operation as one process carried it out. */
export interface CarriedOut {
  readonly operation: Operation;
  readonly pid: number;
  readonly events: readonly Event[];
  /** It went as far as its operation goes. */
  readonly isWhole: boolean;
}

/** The events that bear a mark, cut into operations: an event goes on with the one before it where the table says so. */
export function carriedOut(added: readonly Event[]): CarriedOut[] {
  const groups: { recovery: SharedRecovery; events: Event[] }[] = [];
  let previous: Event | undefined;
  for (const event of added) {
    const recovery = recoveryOf(event);
    const group = groups.at(-1);
    if (recovery !== undefined) {
      if (group !== undefined && previous !== undefined && goesOn(previous, event)) group.events.push(event);
      else groups.push({ recovery, events: [event] });
    }
    previous = event;
  }
  return groups.map(({ recovery: { operation, pid }, events }) => ({
    operation,
    pid,
    events,
    isWhole: isWhole(operation, events),
  }));
}

function goesOn(previous: Event, event: Event): boolean {
  const [before, now] = [recoveryOf(previous), recoveryOf(event)];
  if (before === undefined || now === undefined || before.operation !== now.operation || before.pid !== now.pid) return false;
  const place = ({ type }: Event): number => appends[now.operation].findIndex(([step]) => step === type);
  // Several attempts may be completed in one operation; nothing else is done twice.
  const isLater = place(event) > place(previous) || (event.type === 'attempt.completed' && previous.type === event.type);
  return isLater && concerns(previous) === concerns(event);
}

/** The call, or where there is none the compilation, that an event is about; a link is about the call that it introduces. */
function concerns({ type, call_id: call, compilation_id: compilation, payload }: Event): unknown {
  return type === 'call.resumed' ? payload.new_call_id : (call ?? compilation);
}

/** The last event of an operation that appends several. */
const ends: Partial<Record<Operation, (last: Event) => boolean>> = {
  start_call: ({ type }) => type === 'call.requested',
  fix_inputs: ({ type }) => type !== 'context.compilation_requested',
  start_next_attempt: ({ type, payload }) => type === 'attempt.started' || payload.decision === 'stop',
  finalize: ({ type }) => type === 'call.completed',
};

function isWhole(operation: Operation, events: readonly Event[]): boolean {
  const last = events.at(-1);
  return last !== undefined && (ends[operation]?.(last) ?? true);
}
