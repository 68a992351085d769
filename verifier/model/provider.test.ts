import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ProviderScript } from '../contract/types.js';
import type { Request, Settled } from '../read/receipts.js';
import { departures } from './provider.js';
import { endpointOf, rulingOf, type OnTime } from './provider-steps.js';

type Step = OnTime | { do: 'delay_arrival' };
type Ended = Settled['ended'];
type Asked = Partial<Pick<Request['received'], 'method' | 'path' | 'idempotency_key'>> & { text?: string };

const chat = '{"messages":[{"content":"Hi.","role":"user"}],"model":"m"}';
const at = '2026-01-01T00:00:00.000Z';
const answer: Step = { do: 'answer' };

/** Requests one after the other, unless `settledSeq` says when they were over. */
function log(...told: { asked?: Asked; settled: Partial<Settled>; settledSeq?: number }[]): Request[] {
  return told.map(({ asked: { text = chat, ...asked } = {}, settled, settledSeq }, index) => {
    const line = { at, digest: '', monotonic_ns: '1', request: index + 1, version: 'receipts/v1' as const };
    const hash = createHash('sha256').update(text).digest('hex');
    const status = settled.status === undefined ? 200 : settled.status;
    return {
      received: {
        ...{ ...line, kind: 'received' as const, seq: 2 * index + 1, method: 'POST', path: '/v1/chat/completions' },
        ...{
          headers: {},
          idempotency_key: 'k',
          body: { data: text, encoding: 'utf8' as const },
          body_sha256: hash,
          peer_pid: null,
        },
        ...asked,
      },
      settled: {
        ...{ ...line, kind: 'settled' as const, seq: settledSeq ?? 2 * index + 2, ended: 'answered' as const, effect: null },
        ...{ status, response_sha256: status === null ? null : 'a'.repeat(64) },
        ...settled,
      },
    };
  });
}

const effect = (number: number, replayed = false, name = 'chat.completions') => ({
  effect_id: `effect-${number}`,
  name,
  replayed,
});
const script = (key: ProviderScript['key'], ...requests: Step[]): ProviderScript => ({ key, requests, otherwise: answer });
/** By the numbers of the requests that depart. */
const departed = (requests: Request[], by: ProviderScript, inherited = 0): number[] => {
  const departing = departures({ all: requests, delayed: [] }, 2 * inherited, by).map(({ seq }) => seq);
  return requests.filter(({ settled }) => departing.includes(settled?.seq ?? 0)).map(({ received }) => received.request);
};

const endings: Ended[] = ['answered', 'dropped', 'reset', 'gone_while_held', 'held_at_close'];
const raw = (effect: 'committed' | 'none'): OnTime => ({ do: 'raw', status: 200, content_type: null, body: '', effect });
const steps: [OnTime, Ended[]][] = [
  [raw('committed'), ['answered']],
  [raw('none'), ['answered']],
  [answer, ['answered']],
  [{ do: 'status', status: 503 }, ['answered']],
  [{ do: 'cut', after_bytes: 4 }, ['reset']],
  [{ do: 'drop', when: 'before_commit' }, ['dropped']],
  [{ do: 'drop', when: 'after_commit' }, ['dropped']],
  [{ do: 'delay', ms: 1 }, ['answered', 'gone_while_held', 'held_at_close']],
  [{ do: 'hold', effect: 'committed' }, ['answered', 'gone_while_held', 'held_at_close']],
  [{ do: 'hold', effect: 'none' }, ['answered', 'gone_while_held', 'held_at_close']],
];

describe.each(steps)('the step %j', (step, allowed) => {
  it.each(endings)('and the end %s', (ended) => {
    const ruling = rulingOf(step, 'own')[ended];
    expect(ruling !== undefined).toBe(allowed.includes(ended));
    const { status, effect: kind } = ruling ?? { status: 200, effect: 'own' };
    const given = kind === 'own' ? effect(1) : null;
    expect(departed(log({ settled: { ended, status, effect: given } }), script('ignore', step))).toEqual(
      ruling === undefined ? [1] : [],
    );
    if (ruling === undefined) return;
    const wrong: Partial<Settled>[] = [
      { effect: given === null ? effect(1) : null },
      { status: status === null ? 200 : status + 1 },
      { response_sha256: status === null ? 'a'.repeat(64) : null },
      ...(given === null ? [] : [{ effect: effect(1, true) }, { effect: effect(1, false, 'another') }]),
    ];
    for (const change of wrong)
      expect(
        departed(log({ settled: { ended, status, effect: given, ...change } }), script('ignore', step)),
        JSON.stringify(change),
      ).toEqual([1]);
  });
});

describe('a request that no endpoint serves', () => {
  it.each<[string, Asked, number]>([
    ['an unknown path', { path: '/v1/models' }, 404],
    ['an effect without a name', { path: '/effects/' }, 404],
    ['another method', { method: 'GET' }, 405],
    ['no JSON', { text: 'Hi.' }, 400],
    ['a list', { text: '[]' }, 400],
    ['no model', { text: '{"messages":[{}]}' }, 400],
    ['no messages', { text: '{"messages":[],"model":"m"}' }, 400],
    ['a stream', { text: '{"messages":[{}],"model":"m","stream":true}' }, 400],
  ])('%s is refused whatever the script says', (_what, asked, status) => {
    const [request] = log({ asked, settled: { status } });
    expect(endpointOf((request as Request).received)).toEqual({ status });
    for (const [step] of steps) expect(departed([request as Request], script('ignore', step))).toEqual([]);
    expect(departed(log({ asked, settled: { effect: effect(1) } }), script('ignore'))).toEqual([1]);
  });

  it('takes a step all the same', () => {
    const told = log(
      { asked: { method: 'GET' }, settled: { status: 405 } },
      { settled: { ended: 'dropped', effect: effect(1) } },
    );
    expect(departed(told, script('ignore', answer, { do: 'drop', when: 'after_commit' }))).toEqual([]);
  });

  it('is not one to an effect endpoint, with any body and query', () => {
    const asked = { path: '/effects/mail?to=x', text: 'Hi.' };
    expect(departed(log({ asked, settled: { effect: effect(1, false, 'mail') } }), script('ignore'))).toEqual([]);
  });
});

describe('a key', () => {
  const first = { settled: { effect: effect(1) } };
  const again = { settled: { effect: effect(1, true) } };
  const refusal = (status: number) => ({ settled: { status } });
  const other = { asked: { text: chat.replace('Hi', 'Ho') } };

  it.each<[string, Request[], ProviderScript, number[]]>([
    ['ignored: two effects', log(first, { settled: { effect: effect(2) } }), script('ignore'), []],
    ['ignored: a replay', log(first, again), script('ignore'), [2]],
    ['honoured: a replay', log(first, again), script('honour'), []],
    ['honoured: two effects', log(first, { settled: { effect: effect(2) } }), script('honour'), [2]],
    ['honoured: a replay of another effect', log(first, { settled: { effect: effect(2, true) } }), script('honour'), [2]],
    [
      'honoured: another answer',
      log(first, { settled: { effect: effect(1, true), response_sha256: 'b'.repeat(64) } }),
      script('honour'),
      [2],
    ],
    ['honoured: another body', log(first, { ...other, ...refusal(422) }), script('honour'), []],
    ['honoured: another body served', log(first, { ...other, settled: { effect: effect(2) } }), script('honour'), [2]],
    ['honoured: no key', log(first, { asked: { idempotency_key: null }, settled: { effect: effect(2) } }), script('honour'), []],
    [
      'honoured: the first still held',
      log({ settled: { ended: 'held_at_close', effect: effect(1) }, settledSeq: 9 }, refusal(409)),
      script('honour', { do: 'hold', effect: 'committed' }),
      [],
    ],
    [
      'honoured: free again after a hold without an effect',
      log({ settled: { ended: 'gone_while_held', status: null, effect: null } }, { settled: { effect: effect(1) } }),
      script('honour', { do: 'hold', effect: 'none' }),
      [],
    ],
    [
      'honoured: a scripted status asks for no key',
      log(first, refusal(503)),
      script('honour', answer, { do: 'status', status: 503 }),
      [],
    ],
  ])('%s', (_what, requests, by, wrong) => expect(departed(requests, by)).toEqual(wrong));

  it('goes on from an inherited log, and the steps start anew', () => {
    const told = log(first, { settled: { ended: 'dropped', effect: effect(1, true) } });
    const by = script('honour', { do: 'drop', when: 'after_commit' });
    expect(departed(told, by, 1)).toEqual([]);
    expect(departed(told, by)).toEqual([1, 2]);
  });
});

it('a request that was never settled is left to the receipt log', () => {
  const [request] = log({ settled: {} });
  expect(departures({ all: [{ ...(request as Request), settled: undefined }], delayed: [] }, 0, script('ignore'))).toEqual([]);
});
