/**
 * Who writes the events of a walk of calls: what a compilation, a request, an observation look like, and how a later one names them. Which of
 * them is lawful next is said elsewhere.
 */
import { decidingOf, ofType, unsettledOf } from '../reference/calls.js';
import type { Event } from '../reference/ledger.js';
import { documents, octets, texts } from '../write/artifacts.js';
import { resolved, type EventDraft, type Payload } from './drafts.js';
import type { Tape } from './tape.js';

export const by = { by: 'operator', note: 'written by a walk' };

export class CallsWriter {
  readonly drafts: EventDraft[] = [];
  protected readonly events: Event[] = [];

  constructor(protected readonly tape: Tape) {
    this.createTask();
  }

  protected append(type: string, task: string, ids: Partial<EventDraft>, payload: Payload): number {
    const uid = this.drafts.length + 1;
    const draft = { uid, type, task, call: null, attempt: null, compilation: null, ...ids, payload };
    this.drafts.push(draft);
    const id = (value: string | null): string | null => (value === null ? null : String(resolved(value, (seq) => seq)));
    this.events.push({
      ...{ seq: uid, type, task_id: task, call_id: id(draft.call), attempt_id: id(draft.attempt), digest: '' },
      ...{ compilation_id: id(draft.compilation), payload: resolved(payload, (seq) => seq) as Event['payload'] },
    });
    return uid;
  }

  protected get next(): number {
    return this.drafts.length + 1;
  }

  protected createTask(): void {
    const task = `task-${ofType(this.events, 'task.created').length + 1}`;
    this.append('task.created', task, {}, { title: `Title of ${task}` });
    if (this.tape.isOnce(3))
      this.append('objective.recorded', task, {}, { objective_id: 'objective-1', statement: 'A statement.' });
  }

  protected requestCompilation(task: string, more: Payload): number {
    const uid = this.next;
    const item = (id: string): object => ({
      ...{ id, kind: 'record', required: false, content_sha256: texts[0]?.sha256, lineage: [] },
      size: { tokens: 3, bytes: 8, basis: 'estimated' },
    });
    const offered = ['item-1', 'item-2', 'item-3'].slice(0, 1 + this.tape.number(3));
    const required = ['item-1', 'item-3'].slice(0, this.tape.number(3));
    return this.append(
      'context.compilation_requested',
      task,
      { compilation: `@compilation:${uid}` },
      {
        ...{
          compiler: { name: 'in-order', version: 1 },
          budget_tokens: 1000,
          offered: offered.map(item),
          required_ids: required,
        },
        ...more,
      },
    );
  }

  protected requestFanOut(task: string): void {
    const of = 2 + this.tape.number(2);
    const id = `@fan-out:${this.next}`;
    for (let index = 1; index <= of; index += 1) this.requestCompilation(task, { fan_out: { id, index, of } });
  }

  protected endCompilation({ seq, task_id: task, payload: { offered = [], required_ids: required = [] } }: Event): void {
    const ids = { compilation: `@compilation:${seq}` };
    const included = offered.map(({ id }) => id);
    const isMissing = required.some((id) => !included.includes(id));
    const mark = this.tape.isOnce(4) ? { recovery: recoveryOf('recompile') } : {};
    if (isMissing || this.tape.isOnce(5)) {
      const error = isMissing ? 'RequiredContextMissing' : 'RequiredContextOverBudget';
      this.append('context.compilation_failed', task, ids, { error, message: 'It does not fit.', ...mark });
      return;
    }
    const compiled = { context_package_sha256: documents[0]?.sha256, included_ids: included, excluded: [], total_tokens: 3 };
    this.append('context.compiled', task, ids, { ...compiled, ...mark });
  }

  protected requestCall(task: string, compilation: number, key: string, more: Payload): number {
    const ids = { call: `@call:${this.next}`, compilation: `@compilation:${compilation}` };
    return this.append('call.requested', task, ids, { idempotency_key: key, instruction: 'Do it.', ...more });
  }

  protected manifest(): Payload {
    return {
      ...{ context_package_sha256: documents[0]?.sha256, rendered_context_sha256: texts[1]?.sha256 },
      ...{ request_body_sha256: this.tape.one(documents).sha256, renderer: { name: 'plain-sections', version: 1 } },
      interpreter: { name: 'chat-completions', version: 1 },
      retry_policy: { max_attempts: 4, retry_statuses: [429, 500], retry_not_sent: true, retry_broken_if_key_honoured: true },
      provider: { path: '/v1/chat/completions', honours_key: this.tape.number(2) === 1 },
    };
  }

  protected observe({ task_id: task }: Event, attempt: Event, ids: Partial<EventDraft>): void {
    const delivery = this.tape.one(['complete', 'complete', 'broken', 'broken', 'complete', 'not_sent']);
    const own = { ...ids, attempt: `@attempt:${attempt.seq}` };
    const nothing = { status: null, response_sha256: null, content_type: null, detail: 'nothing came' };
    const isTyped = this.tape.number(2) === 0;
    const whole = {
      status: this.tape.one([200, 200, 429, 409, 200, 409, 500]),
      response_sha256: isTyped ? documents[1]?.sha256 : octets[0]?.sha256,
      content_type: isTyped ? 'application/json' : null,
      detail: null,
    };
    this.append('attempt.observed', task, own, { delivery, ...(delivery === 'complete' ? whole : nothing) });
  }

  protected interpret({ task_id: task }: Event, attempt: Event, ids: Partial<EventDraft>, version: number, mark: Payload): void {
    const result = this.tape.one(['answer', 'answer', 'provider_error', 'uninterpretable']);
    const isAnswer = result === 'answer';
    this.append(
      'attempt.interpreted',
      task,
      { ...ids, attempt: `@attempt:${attempt.seq}` },
      {
        ...{ interpreter: { name: 'chat-completions', version }, result, finish_reason: isAnswer ? 'stop' : null },
        ...{ text_sha256: isAnswer ? texts[2]?.sha256 : null, detail: isAnswer ? null : 'no answer', ...mark },
      },
    );
  }

  protected reconcile(own: readonly Event[], call: Event, ids: Partial<EventDraft>): void {
    const unsettled = unsettledOf(own, call);
    const doubts = unsettled.length > 0 ? unsettled : [decidingOf(own, call) as Event];
    const finding = this.tape.one(['unknown', 'unknown', 'served', 'not_served', 'served']);
    const isFound = finding === 'served' && this.tape.number(2) === 0;
    const reason = {
      unknown: this.tape.one(['not_found', 'timed_out', 'in_progress']),
      served: isFound ? 'found' : 'found_without_response',
    };
    const response = { status: this.tape.one([200, 429]), content_type: null, response_sha256: octets[1]?.sha256 };
    this.append(
      'effect.reconciled',
      call.task_id,
      { ...ids, attempt: `@attempt:${doubts.at(-1)?.seq}` },
      {
        ...{ attempt_ids: doubts.map(({ seq }) => `@attempt:${seq}`), finding, basis: 'provider_lookup' },
        ...{ reason: finding === 'not_served' ? 'fenced' : reason[finding as 'unknown' | 'served'] },
        ...{ evidence_sha256: documents[2]?.sha256, authority: 'provider', response: isFound ? response : null },
        ...marked('reconcile_effect'),
      },
    );
  }
}

export const recoveryOf = (operation: string): object => ({ operation, pid: 4711, version: '0.1.0' });
export const marked = (operation: string): Payload => ({ recovery: recoveryOf(operation) });

/** `result-12` as the name of what introduces it. */
export function idIn(id: string | null): string | null {
  return id === null ? null : `@${id.replace(/-(\d+)$/, ':$1')}`;
}
