/**
 * A lawful history of calls: a walk over what the table of the work state allows next, chosen by a tape of numbers.
 *
 * What stage a call is in is asked of the reference, which is a table of the contract's words; what may then be appended is written here
 * from "What a recovery appends" and the straight path. That the walk reaches every row is counted by whoever runs it.
 */
import {
  attemptsOf,
  callsIn,
  compilationsIn,
  compilationStage,
  decidedOf,
  decidingOf,
  endedOf,
  interpretedOf,
  isCompleteOrAdopted,
  manifestOf,
  observationOf,
  ofType,
  reconciliationOf,
  resultOf,
  standingOf,
  unsettledOf,
} from '../reference/calls.js';
import { nextOfTask } from '../reference/calls-state.js';
import { answeredElsewhere } from '../reference/calls-ends.js';
import type { Event } from '../reference/ledger.js';
import { texts } from '../write/artifacts.js';
import { type EventDraft, type Payload } from './drafts.js';
import type { Tape } from './tape.js';

import { by, CallsWriter, idIn, marked, recoveryOf } from './calls-writer.js';

type Move = () => void;

const keys = ['key-1', 'key-2'];

export function callsWalk(tape: Tape): EventDraft[] {
  return new Walk(tape).walk();
}

class Walk extends CallsWriter {
  walk(): EventDraft[] {
    while (!this.tape.isOver && this.drafts.length < 60) this.step();
    return this.drafts;
  }

  private step(): void {
    const tasks = ofType(this.events, 'task.created').map(({ task_id: id }) => id);
    if (tasks.length < 2 && this.tape.isOnce(24)) return this.createTask();
    const ownOf = (task: string): Event[] => this.events.filter((event) => event.task_id === task);
    const ended = this.events.filter(({ type }) => type === 'task.accepted' || type === 'task.rejected');
    const open = tasks.filter((task) => !ended.some((event) => event.task_id === task));
    if (open.length === 0) return this.createTask();
    const task = this.tape.one(open);
    const own = ownOf(task);
    const calls = callsIn(own).filter((call) => standingOf(own, call).operation !== 'none');
    // Mostly a call goes on; else somebody begins something new.
    if (calls.length > 0 && !this.tape.isOnce(6)) return this.goOn(own, this.mostlyLast(calls));
    this.tape.one(this.ofTask(own, task))();
  }

  /** The one that was written of last, twice in three times: else no call of many comes far. */
  private mostlyLast(calls: readonly Event[]): Event {
    const last = this.events.findLast(({ call_id: id }) => calls.some((call) => call.call_id === id));
    const found = calls.find((call) => call.call_id === last?.call_id);
    return found !== undefined && !this.tape.isOnce(3) ? found : this.tape.one(calls);
  }

  /** What may begin, or end the task. */
  private ofTask(own: readonly Event[], task: string): Move[] {
    const compilations = compilationsIn(own);
    const stageIs = (wanted: string): Event[] => compilations.filter((one) => compilationStage(own, one) === wanted);
    const results = ofType(own, 'result.recorded').map(({ payload }) => payload.result_id ?? null);
    const moves: Move[] = [() => this.requestCompilation(task, {})];
    if (compilations.length < 6 && this.tape.isOnce(3)) moves.push(() => this.requestFanOut(task));
    for (const one of stageIs('requested')) {
      const end = (): void => this.endCompilation(one);
      moves.push(end, end, end);
    }
    for (const one of stageIs('failed'))
      moves.push(() =>
        this.requestCompilation(task, { replaces: `@compilation:${one.seq}`, recovery: recoveryOf('fix_inputs') }),
      );
    const usable = [
      ...Array.from({ length: 5 }, () => stageIs('compiled')).flat(),
      ...(this.tape.isOnce(4) ? [...stageIs('requested'), ...stageIs('failed').slice(0, 1)] : []),
    ];
    if (callsIn(own).length < 6)
      for (const one of usable) moves.push(() => this.requestCall(task, one.seq, this.tape.one(keys), {}));
    for (const result of this.tape.isOnce(3) ? results : []) {
      if (nextOfTask(own).operation === 'check_and_accept')
        moves.push(() => this.append('task.accepted', task, {}, { result_id: idIn(result), ...by }));
      moves.push(() => this.append('task.rejected', task, {}, { result_id: idIn(result), ...by }));
    }
    if (this.tape.isOnce(4))
      moves.push(() => this.append('claim.recorded', task, {}, { claim_id: 'claim-1', statement: 'A claim.', basis: 'none' }));
    if (this.tape.isOnce(16)) moves.push(() => this.append('task.rejected', task, {}, { result_id: null, ...by }));
    return moves;
  }

  private goOn(own: readonly Event[], call: Event): void {
    const moves = this.ofCall(own, call);
    if (moves.length > 0) this.tape.one(moves)();
  }

  private ofCall(own: readonly Event[], call: Event): Move[] {
    const { row } = standingOf(own, call);
    const ids = { call: `@call:${call.seq}`, compilation: `@${call.compilation_id?.replace('-', ':')}` };
    const say =
      (type: string, payload: Payload): Move =>
      () =>
        void this.append(type, call.task_id, ids, payload);
    const attempts = attemptsOf(own, call);
    const deciding = decidingOf(own, call);
    const elsewhere = answeredElsewhere(own, call);
    const error = `settled by @call:${elsewhere?.seq}`;
    const settle = say('call.completed', { outcome: 'failed', result_id: null, error, ...marked('finalize') });
    const isDone = elsewhere !== undefined && ['C', 'D', 'E', 'G', 'J', 'Q'].includes(row);
    const settled = isDone ? [settle, settle, settle, settle, settle] : [];
    const start =
      (more: Payload): Move =>
      () => {
        const own = { ...ids, attempt: `@attempt:${this.next}` };
        this.append('attempt.started', call.task_id, own, { number: attempts.length + 1, ...more });
      };
    const resume: Move = () => {
      const manifest = manifestOf(own, call)?.payload;
      const verified =
        manifest === undefined
          ? null
          : {
              context_package_sha256: manifest.context_package_sha256,
              rendered_context_sha256: manifest.rendered_context_sha256,
              request_body_sha256: manifest.request_body_sha256,
            };
      const key = call.payload.idempotency_key ?? '';
      const link = { old_call_id: `@call:${call.seq}`, new_call_id: `@call:${this.next + 1}`, idempotency_key: key, verified };
      this.append('call.resumed', call.task_id, ids, { ...link, ...marked('start_call') });
      this.requestCall(call.task_id, Number(call.compilation_id?.split('-')[1]), key, marked('start_call'));
    };
    const lastFinding = ofType(own, 'effect.reconciled').findLast(({ call_id: id }) => id === call.call_id);
    const ask = (): Move => () => this.reconcile(own, call, ids);
    switch (row) {
      case 'C': {
        const others = compilationsIn(own).filter((one) => compilationStage(own, one) !== 'superseded');
        return [
          ...settled,
          ...others.map((one): Move => () => {
            const more = { replaces: `@call:${call.seq}`, ...marked('fix_inputs') };
            this.requestCall(call.task_id, one.seq, call.payload.idempotency_key ?? '', more);
          }),
        ];
      }
      case 'D': {
        const isCompiled = ofType(own, 'context.compiled').some(({ compilation_id: id }) => id === call.compilation_id);
        const failed = say('call.preparation_failed', { error: 'CompilationNotUsable', message: 'There is no package.' });
        const manifest: Move = () => this.append('call.manifest', call.task_id, ids, this.manifest());
        const compilation = compilationsIn(own).find(({ compilation_id: id }) => id === call.compilation_id) as Event;
        const isWaiting = compilationStage(own, compilation) === 'requested';
        const end: Move = () => this.endCompilation(compilation);
        const tooLarge = say('call.preparation_failed', { error: 'RequestTooLarge', message: 'The request is too large.' });
        if (isCompiled) return [...Array.from({ length: 9 }, () => manifest), tooLarge, resume, ...settled];
        return isWaiting ? [end, end, end, failed, resume, ...settled] : [failed, failed, resume, ...settled];
      }
      case 'E':
        return [...Array.from({ length: 8 }, () => start({})), resume, ...settled];
      case 'F': {
        const last = attempts.at(-1) as Event;
        const isOpen = observationOf(own, last) === undefined && reconciliationOf(own, last) === undefined;
        const observe: Move = () => this.observe(call, last, ids);
        const isHonoured = manifestOf(own, call)?.payload.provider?.honours_key === true;
        const isBroken = observationOf(own, last)?.payload.delivery === 'broken' && deciding === last;
        const decision = decidedOf(own, last)?.payload.decision;
        const reason = isHonoured ? 'broken_key_honoured' : 'not_retryable';
        const policy = this.decision(call, last, ids, isHonoured ? 'retry' : 'stop', reason);
        return [
          ...(isOpen ? [observe, observe, observe, ask()] : [ask(), ask()]),
          ...(isBroken && decision === undefined ? [policy, policy] : []),
          ...(isBroken && decision === 'retry' && isHonoured ? [start({}), start({}), start({})] : []),
        ];
      }
      case 'L': {
        const waiting = ofType(own, 'duplicate.accepted').findLast(({ call_id: id }) => id === call.call_id);
        return [start({ cites: `@seq:${waiting?.seq}`, ...marked('start_next_attempt') })];
      }
      case 'M': {
        const doubts = unsettledOf(own, call);
        const speaksOfAll = doubts.every(({ attempt_id: id }) => lastFinding?.payload.attempt_ids?.includes(id ?? ''));
        return speaksOfAll ? [start({ cites: `@seq:${lastFinding?.seq}`, ...marked('start_next_attempt') }), ask()] : [ask()];
      }
      case 'N':
      case 'P': {
        const unsettled = unsettledOf(own, call);
        const doubts = unsettled.length > 0 ? unsettled : [deciding as Event];
        const names = doubts.map(({ seq }) => `@attempt:${seq}`);
        return [say('duplicate.accepted', { attempt_ids: names, ...by, ...marked('accept_duplicate') }), ask()];
      }
      case 'Q':
        return [start({ cites: `@seq:${lastFinding?.seq}`, ...marked('start_next_attempt') }), ...settled];
      case 'G': {
        const mayRetry = attempts.length < 4;
        const decide = this.decision(
          call,
          deciding as Event,
          ids,
          mayRetry ? 'retry' : 'stop',
          mayRetry ? 'not_sent' : 'attempts_exhausted',
        );
        return [decide, decide, ...settled];
      }
      case 'H':
        return [() => this.interpret(call, deciding as Event, ids, 1, {})];
      case 'I': {
        const attempt = deciding as Event;
        const { interpreter, result } = interpretedOf(own, attempt)?.payload ?? {};
        const again: Move = () => this.interpret(call, attempt, ids, 2, marked('reinterpret'));
        const mayRetry = result !== 'answer' && attempts.length < 4 && this.tape.isOnce(2);
        const reason = result === 'answer' ? 'answered' : mayRetry ? 'retryable_status' : 'not_retryable';
        const decide = this.decision(call, attempt, ids, mayRetry ? 'retry' : 'stop', reason);
        return interpreter?.version === 1 ? [decide, decide, again] : [decide];
      }
      case 'J':
        return [this.completeOr(own, call, deciding as Event, ids, start({})), ...settled];
      case 'K':
        return [this.finish(own, call, deciding as Event, ids)];
      default:
        return [];
    }
  }

  private decision(call: Event, attempt: Event, ids: Partial<EventDraft>, decision: string, reason: string): Move {
    const own = { ...ids, attempt: `@attempt:${attempt.seq}` };
    return () => void this.append('attempt.retry_decided', call.task_id, own, { decision, reason });
  }

  private completeOr(own: readonly Event[], call: Event, attempt: Event, ids: Partial<EventDraft>, otherwise: Move): Move {
    if (endedOf(own, attempt) !== undefined) return otherwise;
    if (ofType(own, 'attempt.completed').some(({ attempt_id: id }) => id === attempt.attempt_id)) return otherwise;
    const outcome = interpretedOf(own, attempt)?.payload.result === 'answer' ? 'succeeded' : 'failed';
    const at = { ...ids, attempt: `@attempt:${attempt.seq}` };
    return () => void this.append('attempt.completed', call.task_id, at, { outcome });
  }

  private finish(own: readonly Event[], call: Event, deciding: Event, ids: Partial<EventDraft>): Move {
    const isAnswered = interpretedOf(own, deciding)?.payload.result === 'answer';
    const result: Move = () =>
      void this.append('result.recorded', call.task_id, ids, {
        result_id: `@result:${this.next}`,
        text_sha256: texts[2]?.sha256,
      });
    const succeeded = { outcome: 'succeeded', result_id: idIn(resultOf(own, call)?.payload.result_id ?? null), error: null };
    const failed = { outcome: 'failed', result_id: null, error: 'provider_error' };
    const end: Move = () => void this.append('call.completed', call.task_id, ids, isAnswered ? succeeded : failed);
    const last = isAnswered && resultOf(own, call) === undefined ? result : end;
    return isCompleteOrAdopted(own, deciding) || observationOf(own, deciding)?.payload.delivery === 'not_sent'
      ? this.completeOr(own, call, deciding, ids, last)
      : last;
  }
}
