/**
 * What is known of an attempt, moment by moment, and which attempt a call goes on from: told as short ledgers, with the stage that the
 * call has after each of them.
 */
import { describe, expect, it } from 'vitest';
import type { Event } from '../../contract/types.js';
import { orderProblems } from './event-order.js';
import { historyOf, type Call, type History } from './history.js';
import { decidingAttempt, isSettled, settledBy } from './settlement.js';
import { classify } from './state-table.js';
import { callState, evidenceOf } from './work-state.js';

type Brief = Partial<Event> & Pick<Event, 'type'>;

const hash = 'a'.repeat(64);
const recovery = { operation: 'reconcile_effect', pid: 1, version: '1' };
const call = { call_id: 'call-4', compilation_id: 'compilation-2' };

/** A task with a call whose manifest is recorded: the next row is the sixth. */
class Ledger {
  readonly events: Event[] = [];

  constructor(honours: boolean) {
    this.add({ type: 'task.created' });
    this.add({
      type: 'context.compilation_requested',
      compilation_id: call.compilation_id,
      payload: { offered: [], required_ids: [] },
    });
    this.add({ type: 'context.compiled', compilation_id: call.compilation_id });
    this.request(call.call_id);
    this.manifest(call.call_id, honours);
  }

  add(brief: Brief): this {
    const none = { attempt_id: null, call_id: null, compilation_id: null, task_id: 'task-1', payload: {} };
    const filling = { digest: hash, recorded_at: '2026-01-01T00:00:00.000Z', seq: this.events.length + 1 };
    this.events.push({ ...none, ...filling, ...brief });
    return this;
  }

  request(call_id: string): this {
    return this.add({ ...call, call_id, type: 'call.requested', payload: { idempotency_key: 'k', instruction: 'Do it.' } });
  }

  manifest(call_id: string, honours_key: boolean): this {
    const provider = { honours_key, path: '/v1/chat/completions' };
    return this.add({ ...call, call_id, type: 'call.manifest', payload: { provider, request_body_sha256: hash } });
  }

  start(attempt: string, number: number, cites?: number, call_id = call.call_id): this {
    const payload = { number, ...(cites === undefined ? {} : { cites }) };
    return this.add({ ...call, call_id, type: 'attempt.started', attempt_id: attempt, payload });
  }

  of(attempt_id: string, type: string, payload: object, call_id = call.call_id): this {
    return this.add({ ...call, call_id, type, attempt_id, payload: payload as Event['payload'] });
  }

  observe(
    attempt: string,
    delivery: 'complete' | 'broken' | 'not_sent',
    status: number | null = 200,
    call_id = call.call_id,
  ): this {
    const response_sha256 = delivery === 'complete' ? hash : null;
    return this.of(
      attempt,
      'attempt.observed',
      { delivery, status: response_sha256 && status, response_sha256, content_type: null },
      call_id,
    );
  }

  reconcile(attempts: string[], finding: string, response: object | null = null): this {
    return this.of(attempts.at(-1) ?? '', 'effect.reconciled', {
      attempt_ids: attempts,
      finding,
      reason: 'stated',
      response,
      recovery,
    });
  }

  accept(attempts: string[]): this {
    return this.add({ ...call, type: 'duplicate.accepted', payload: { attempt_ids: attempts, by: 'a', note: '', recovery } });
  }

  get history(): History {
    return historyOf([...this.events]);
  }

  get call(): Call {
    return this.history.calls.get(call.call_id) as Call;
  }

  get row(): string {
    return classify(evidenceOf(this.history, this.call)).label;
  }
}

const adopted = { status: 200, content_type: null, response_sha256: hash };
const answer = { interpreter: { name: 'chat-completions', version: 1 }, result: 'answer' };
const plain = (): Ledger => new Ledger(false).start('attempt-6', 1);
const honoured = (): Ledger => new Ledger(true).start('attempt-6', 1);

it.each<[string, Ledger, string]>([
  ['nobody asked', plain(), 'F'],
  ['asked in vain', plain().reconcile(['attempt-6'], 'unknown'), 'N'],
  ['asked in vain, and the key is honoured', honoured().reconcile(['attempt-6'], 'unknown'), 'M'],
  ['known not to be served', plain().reconcile(['attempt-6'], 'not_served'), 'Q'],
  ['served, and the response is lost', plain().reconcile(['attempt-6'], 'served'), 'P'],
  ['served, and the response is there', plain().reconcile(['attempt-6'], 'served', adopted), 'H'],
  ['the last word counts', plain().reconcile(['attempt-6'], 'unknown').reconcile(['attempt-6'], 'served', adopted), 'H'],
  ['a duplicate is accepted', plain().reconcile(['attempt-6'], 'unknown').accept(['attempt-6']), 'L'],
  [
    'an accepted duplicate is spent, and the new attempt is open',
    plain().reconcile(['attempt-6'], 'unknown').accept(['attempt-6']).start('attempt-9', 2, 8),
    'F',
  ],
  [
    'an accepted duplicate is spent, and the new attempt was not sent',
    plain().reconcile(['attempt-6'], 'unknown').accept(['attempt-6']).start('attempt-9', 2, 8).observe('attempt-9', 'not_sent'),
    'G',
  ],
  [
    'a retry under an honoured key, each of both unknown',
    honoured().reconcile(['attempt-6'], 'unknown').start('attempt-8', 2, 7),
    'F',
  ],
  [
    'a conflict settles nothing but itself',
    honoured().observe('attempt-6', 'broken').start('attempt-8', 2).observe('attempt-8', 'complete', 409),
    'F',
  ],
  [
    'any other answer does',
    honoured().observe('attempt-6', 'broken').start('attempt-8', 2).observe('attempt-8', 'complete', 422),
    'H',
  ],
  [
    'an earlier response is adopted after the last attempt was started',
    honoured()
      .observe('attempt-6', 'broken')
      .start('attempt-8', 2)
      .observe('attempt-8', 'not_sent')
      .reconcile(['attempt-6'], 'served', adopted),
    'H',
  ],
  [
    'a decision from before the adoption is none about it',
    honoured()
      .observe('attempt-6', 'broken')
      .of('attempt-6', 'attempt.retry_decided', { decision: 'retry' })
      .reconcile(['attempt-6'], 'served', adopted),
    'H',
  ],
  [
    'the adopted response is read',
    plain().reconcile(['attempt-6'], 'served', adopted).of('attempt-6', 'attempt.interpreted', answer),
    'I',
  ],
])('%s', (_what, ledger, row) => {
  expect(ledger.row).toBe(row);
  expect(orderProblems(ledger.events)).toEqual([]);
});

describe('another call of the key', () => {
  const renewed = honoured().request('call-7').manifest('call-7', true).start('attempt-9', 1, undefined, 'call-7');
  renewed.observe('attempt-9', 'complete', 200, 'call-7');

  it('settles an attempt from its answer on, and the call can be brought to its end', () => {
    const { history, call: old } = renewed;
    const [attempt] = old.attempts;
    if (attempt === undefined) throw new Error('The call was attempted.');
    expect([10, 11].map((before) => isSettled(history, old, attempt, before))).toEqual([false, true]);
    expect(settledBy(history, old, attempt)).toBe('call-7');
    expect(renewed.row).toBe('K');
  });
});

it('counts the attempts that were given up, and names the decision that waits', () => {
  const waiting = plain().reconcile(['attempt-6'], 'unknown').accept(['attempt-6']);
  expect(callState(waiting.history, waiting.call)).toMatchObject({ unspent_decision: 8, duplicate_risk: true });
  const spent = waiting.start('attempt-9', 2, 8).observe('attempt-9', 'not_sent');
  const state = callState(spent.history, spent.call);
  expect(state).toMatchObject({ accepted_duplicates: 1, provider_effect: 'unknown' });
  expect(state).not.toHaveProperty('unspent_decision');
  expect(evidenceOf(spent.history, spent.call)).toMatchObject({ anyPassedOver: true, anyServed: false });
});

it('goes on from the last attempt, as of any moment', () => {
  const { events } = honoured()
    .observe('attempt-6', 'broken')
    .start('attempt-8', 2)
    .reconcile(['attempt-6', 'attempt-8'], 'unknown');
  const one = historyOf(events).calls.get(call.call_id) as Call;
  expect([6, 7, 8, 9].map((before) => decidingAttempt(one, before)?.id)).toEqual([
    undefined,
    'attempt-6',
    'attempt-6',
    'attempt-8',
  ]);
});

describe('the order of a recovery', () => {
  const unlawful: [string, Ledger, string][] = [
    [
      'an observation after somebody had to ask',
      plain().reconcile(['attempt-6'], 'unknown').observe('attempt-6', 'complete'),
      'nobody had to find out',
    ],
    [
      'a finding about an attempt that is not there',
      plain().reconcile(['attempt-6', 'attempt-7'], 'unknown'),
      'its attempt was started',
    ],
    [
      'a finding that belongs to an earlier attempt',
      plain().of('attempt-6', 'effect.reconciled', { attempt_ids: ['attempt-6', 'attempt-9'], finding: 'unknown' }),
      'it belongs to the last',
    ],
    ['an attempt over one that is open, without a reason', plain().start('attempt-7', 2), 'a decision is cited'],
    ['a reading of nothing', plain().of('attempt-6', 'attempt.interpreted', answer), 'was observed or adopted'],
    [
      'the same reading twice',
      plain()
        .observe('attempt-6', 'complete')
        .of('attempt-6', 'attempt.interpreted', answer)
        .of('attempt-6', 'attempt.interpreted', { ...answer, recovery }),
      'has not read the response',
    ],
    [
      'another reading by nobody',
      plain()
        .observe('attempt-6', 'complete')
        .of('attempt-6', 'attempt.interpreted', answer)
        .of('attempt-6', 'attempt.interpreted', { ...answer, interpreter: { name: 'chat-completions', version: 2 } }),
      'has not read the response',
    ],
  ];
  it.each(unlawful)('does not allow %s', (_what, ledger, sentence) => {
    expect(orderProblems(ledger.events).map(({ detail }) => detail)).toEqual([expect.stringContaining(sentence)]);
  });

  it('allows another version to read again, until something was decided', () => {
    const second = { ...answer, interpreter: { name: 'chat-completions', version: 2 }, recovery };
    const read = plain().observe('attempt-6', 'complete').of('attempt-6', 'attempt.interpreted', answer);
    expect(orderProblems([...read.of('attempt-6', 'attempt.interpreted', second).events])).toEqual([]);
    const decided = read
      .of('attempt-6', 'attempt.retry_decided', { decision: 'stop' })
      .of('attempt-6', 'attempt.interpreted', { ...second, interpreter: { name: 'chat-completions', version: 3 } });
    expect(orderProblems(decided.events).map(({ detail }) => detail)).toEqual([expect.stringContaining('nothing was decided')]);
  });
});
