/**
 * Which orders of events the words of the contract forbid (G10, G28, "The ledger", "What a recovery appends"), one rule after another over
 * what stood before the event. Where the words say nothing, nothing is forbidden here: a judge may be finer than that, and `freedoms.ts`
 * says where.
 */
import {
  attemptsOf,
  callsIn,
  compilationsIn,
  compilationStage,
  completedOf,
  decidedOf,
  decidingOf,
  decisionsOf,
  endedOf,
  interpretedOf,
  isCompleteOrAdopted,
  isSettled,
  manifestOf,
  observationOf,
  ofType,
  preparationFailedOf,
  readingsOf,
  reconciliationOf,
  resultOf,
  standingOf,
  supersededBy,
  unsettledOf,
} from './calls.js';
import { endBroken, isDoneElsewhere } from './calls-ends.js';
import type { Event } from './ledger.js';

type Events = readonly Event[];

export interface Broken {
  readonly seq: number;
  readonly rule: string;
}

/** Every event that breaks a rule, with the first that it breaks. */
export function orderBroken(events: Events): Broken[] {
  return events.flatMap((event, index) => {
    const rule = ruleBroken(events.slice(0, index), event, events[index + 1]);
    return rule === null ? [] : [{ seq: event.seq, rule }];
  });
}

function ruleBroken(before: Events, event: Event, next: Event | undefined): string | null {
  const { type, task_id: task } = event;
  if (!hasItsIds(event)) return 'rows carry every id they belong to, made from the row that introduces it';
  const isCreated = before.some((one) => one.type === 'task.created' && one.task_id === task);
  if (type === 'task.created') return isCreated ? 'a task is created once' : null;
  if (!isCreated) return 'an event belongs to a task that was created before';
  const own = before.filter((one) => one.task_id === task);
  if (own.some((one) => one.type === 'task.accepted' || one.type === 'task.rejected')) return 'nothing after the end of a task';
  const previous = before.at(-1);
  if (previous?.type === 'call.resumed' && (type !== 'call.requested' || event.call_id !== previous.payload.new_call_id))
    return 'the new call’s rows follow its `call.resumed`';
  if (type.startsWith('context.')) return compilationBroken(own, event, previous, next);
  if (type === 'task.accepted' || type === 'task.rejected') return taskEndBroken(own, event);
  if (type === 'objective.recorded' || type === 'claim.recorded') return null;
  return callBroken(own, event, next);
}

/**
 * "Attempt events `call_id`, `attempt_id` and the call's `compilation_id`; call events `call_id` and `compilation_id`; compilation events
 * `compilation_id`", and an id is made from the seq of the row that introduces it.
 */
function hasItsIds({ type, seq, call_id: call, attempt_id: attempt, compilation_id: compilation, payload }: Event): boolean {
  const isOfAttempt = type.startsWith('attempt.') || type === 'effect.reconciled';
  const isOfCall = isOfAttempt || type.startsWith('call.') || type === 'result.recorded' || type === 'duplicate.accepted';
  const isOfCompilation = isOfCall || type.startsWith('context.');
  if ((attempt !== null) !== isOfAttempt || (call !== null) !== isOfCall || (compilation !== null) !== isOfCompilation)
    return false;
  if (type === 'context.compilation_requested') return compilation === `compilation-${seq}`;
  if (type === 'call.requested') return call === `call-${seq}`;
  if (type === 'attempt.started') return attempt === `attempt-${seq}`;
  return type !== 'result.recorded' || payload.result_id === `result-${seq}`;
}

function compilationBroken(own: Events, event: Event, previous: Event | undefined, next: Event | undefined): string | null {
  const found = compilationsIn(own).find(({ compilation_id: id }) => id === event.compilation_id);
  if (event.type !== 'context.compilation_requested') {
    if (found === undefined) return 'a compilation is requested before its end';
    return compilationStage(own, found) === 'requested' ? null : 'a compilation ends once, and not after it was superseded';
  }
  if (found !== undefined) return 'a compilation is requested once';
  const { replaces, fan_out: fanOut } = event.payload;
  const replaced = compilationsIn(own).find(({ compilation_id: id }) => id === replaces);
  if (replaces !== undefined && (replaced === undefined || compilationStage(own, replaced) !== 'failed'))
    return '`fix_inputs` is for a failed compilation, and the old one is superseded';
  if (fanOut === undefined) return null;
  const last = previous?.type === event.type && previous.task_id === event.task_id ? previous.payload.fan_out : undefined;
  const isBehind = last?.id === fanOut.id && last.index === fanOut.index - 1 && last.of === fanOut.of;
  const isFirst = fanOut.index === 1 && fanOut.id === `fan-out-${event.seq}`;
  const after = next?.type === event.type && next.task_id === event.task_id ? next.payload.fan_out : undefined;
  const isLast =
    fanOut.index === fanOut.of || (after?.id === fanOut.id && after.index === fanOut.index + 1 && after.of === fanOut.of);
  return (isFirst || isBehind) && isLast && fanOut.index <= fanOut.of
    ? null
    : 'a fan-out is requested together, in the order of their `index`';
}

function taskEndBroken(own: Events, { type, payload }: Event): string | null {
  if (type === 'task.rejected' && payload.result_id === null) return null;
  const isRecorded = ofType(own, 'result.recorded').some((result) => result.payload.result_id === payload.result_id);
  return isRecorded ? null : 'a task ends with a result that was recorded';
}

function callBroken(own: Events, event: Event, next: Event | undefined): string | null {
  const { type, payload } = event;
  const call = callsIn(own).find(({ call_id: id }) => id === event.call_id);
  if (type === 'call.requested') return requestBroken(own, event, call);
  if (call === undefined) return 'an event belongs to a call that was requested before in its task';
  if (call.compilation_id !== event.compilation_id) return 'rows carry every id they belong to';
  if (completedOf(own, call) !== undefined) return 'nothing after the end of a call';
  if (supersededBy(own, call) !== null) return 'nothing of a call that was superseded';
  const isDone = isDoneElsewhere(own, call, event);
  if (preparationFailedOf(own, call) !== undefined && !isDone) return 'nothing after a call could not be prepared';
  switch (type) {
    case 'call.manifest':
      if (manifestOf(own, call) !== undefined) return 'a call has one manifest';
      return isCompiled(own, call) ? null : 'a manifest is of a compiled context';
    case 'call.preparation_failed':
      if (manifestOf(own, call) !== undefined) return 'what was prepared did not fail to be';
      return isCompiled(own, call) === (payload.error === 'RequestTooLarge')
        ? null
        : 'a call fails on the package that it has not';
    case 'call.resumed':
      if (payload.old_call_id !== event.call_id) return '`call.resumed` carries the old call’s id';
      return next?.type === 'call.requested' && next.call_id === payload.new_call_id
        ? null
        : 'the new call’s rows follow its `call.resumed`';
    case 'attempt.started':
      return startBroken(own, call, event);
    case 'duplicate.accepted':
      return acceptanceBroken(own, call, event);
    case 'effect.reconciled':
      if (!attemptsAre(own, call, payload.attempt_ids)) return 'a reconciliation names attempts of its call';
      return payload.attempt_ids?.at(-1) === event.attempt_id
        ? null
        : 'a reconciliation is a row of the last attempt that it names';
    case 'result.recorded': {
      if (resultOf(own, call) !== undefined) return 'a call has one result';
      const deciding = decidingOf(own, call);
      if (deciding === undefined || interpretedOf(own, deciding)?.payload.result !== 'answer')
        return 'a result is recorded after an answer';
      return endedOf(own, deciding) === undefined ? '`finalize`: `attempt.completed`, then `result.recorded`' : null;
    }
    case 'call.completed':
      return isDone || attemptsOf(own, call).length > 0
        ? endBroken(own, call, event, isDone)
        : 'a call is completed after it was attempted';
    default:
      return attemptBroken(own, call, event);
  }
}

function requestBroken(own: Events, { payload, compilation_id: id }: Event, call: Event | undefined): string | null {
  if (call !== undefined) return 'a call is requested once';
  if (!compilationsIn(own).some((one) => one.compilation_id === id)) return 'a call is of a compilation that was requested';
  if (payload.replaces === undefined) return null;
  const replaced = callsIn(own).find((one) => one.call_id === payload.replaces);
  const isFailed = replaced !== undefined && standingOf(own, replaced).row === 'C';
  return isFailed ? null : '`fix_inputs` is for a call that could not be prepared, and the old one is superseded';
}

function isCompiled(own: Events, call: Event): boolean {
  return ofType(own, 'context.compiled').some(({ compilation_id: id }) => id === call.compilation_id);
}

function attemptsAre(own: Events, call: Event, ids: readonly string[] | undefined): boolean {
  return ids?.every((id) => attemptsOf(own, call).some(({ attempt_id: known }) => known === id)) === true;
}

/** G28, by the stage of the call as it stood before. */
function startBroken(own: Events, call: Event, event: Event): string | null {
  const { payload } = event;
  if (manifestOf(own, call) === undefined) return 'the intent is recorded before an attempt';
  const attempts = attemptsOf(own, call);
  if (attempts.some(({ attempt_id: id }) => id === event.attempt_id)) return 'an attempt is started once';
  if (payload.number !== attempts.length + 1) return 'attempts are numbered';
  const { row } = standingOf(own, call);
  const cited = payload.cites;
  const decision = decisionsOf(own, call).find(({ decision: { seq } }) => seq === cited);
  if (decision?.isSpent === true) return 'a decision is spent once';
  if (cited === undefined && isHonouredRetry(own, call, row)) return null;
  switch (row) {
    case 'E':
    case 'G':
    case 'J':
      return cited === undefined ? null : 'an attempt cites what makes it lawful';
    case 'L':
      return decision !== undefined ? null : 'an attempt cites what makes it lawful';
    case 'M':
    case 'Q': {
      const last = ofType(own, 'effect.reconciled').findLast(({ call_id: id }) => id === call.call_id);
      return cited !== undefined && cited === last?.seq ? null : 'an attempt cites what makes it lawful';
    }
    default:
      return 'after an effect that is not known to be absent, an attempt is started only by a finding, an honoured key or an accepted duplicate';
  }
}

/** Under an honoured key the policy may try again what broke. */
function isHonouredRetry(own: Events, call: Event, row: string): boolean {
  const deciding = decidingOf(own, call);
  if (manifestOf(own, call)?.payload.provider?.honours_key !== true || deciding === undefined) return false;
  if (decidedOf(own, deciding)?.payload.decision !== 'retry') return false;
  return row === 'F' || (row === 'M' && isSettled(own, call, deciding));
}

/** A reading beside an earlier one is a recovery's, and under another version. */
function isReadAlready(own: Events, attempt: Event, { payload: { interpreter, recovery } }: Event): boolean {
  const readings = readingsOf(own, attempt).map(({ payload }) => payload.interpreter);
  const isSame = readings.some((one) => one?.name === interpreter?.name && one?.version === interpreter?.version);
  return readings.length > 0 && (recovery === undefined || isSame);
}

function acceptanceBroken(own: Events, call: Event, { payload }: Event): string | null {
  const { row } = standingOf(own, call);
  if (row !== 'N' && row !== 'P') return 'a duplicate is accepted where a person decides';
  const unsettled = unsettledOf(own, call);
  const deciding = decidingOf(own, call);
  const inDoubt = unsettled.length > 0 || deciding === undefined ? unsettled : [deciding];
  const names = inDoubt.map(({ attempt_id: id }) => id).join();
  return payload.attempt_ids?.join() === names ? null : 'an accepted duplicate names the attempts in doubt';
}

function attemptBroken(own: Events, call: Event, event: Event): string | null {
  const attempts = attemptsOf(own, call);
  const attempt = attempts.find(({ attempt_id: id }) => id === event.attempt_id);
  if (attempt === undefined) return 'an attempt is started before anything is recorded of it';
  const isDeciding = decidingOf(own, call) === attempt;
  switch (event.type) {
    case 'attempt.observed':
      if (observationOf(own, attempt) !== undefined) return 'an attempt is observed once';
      if (attempts.at(-1) !== attempt) return 'the last attempt is the one that is observed';
      return reconciliationOf(own, attempt) === undefined ? null : 'what was reconciled is not observed any more';
    case 'attempt.interpreted':
      if (!isCompleteOrAdopted(own, attempt)) return 'observation before interpretation';
      if (isReadAlready(own, attempt, event)) return '`reinterpret`: under a version that has not read these bytes yet';
      return isDeciding && decidedOf(own, attempt) === undefined
        ? null
        : 'the deciding attempt is interpreted before its decision';
    case 'attempt.retry_decided':
      if (observationOf(own, attempt) === undefined && !isCompleteOrAdopted(own, attempt)) return 'observation before decision';
      if (isCompleteOrAdopted(own, attempt) && interpretedOf(own, attempt) === undefined) return 'interpretation before decision';
      return isDeciding && decidedOf(own, attempt) === undefined ? null : 'a decision is made once, about the deciding attempt';
    case 'attempt.completed':
      if (ofType(own, 'attempt.completed').some(({ attempt_id: id }) => id === event.attempt_id))
        return 'an attempt is completed once';
      if (decidedOf(own, attempt) === undefined && event.payload.recovery === undefined) return 'decision before completion';
      return (event.payload.outcome === 'succeeded') === (interpretedOf(own, attempt)?.payload.result === 'answer')
        ? null
        : 'an attempt succeeds exactly with an answer';
    default:
      return null;
  }
}
