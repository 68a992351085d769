import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ProviderScript, Receipt } from '../contract/types.js';
import { canonical } from '../read/canonical.js';
import { textSha256 } from '../read/hash.js';
import { readReceipts, type Request, type Settled } from '../read/receipts.js';
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

/** A log as told: each line takes the next seq, and a request that is held is settled where it says so. */
class Told {
  readonly lines: Receipt[] = [];
  private requests = 0;
  private ways = 0;

  private line(members: object): void {
    const common = { at, digest: '', monotonic_ns: String(this.lines.length + 1), version: 'receipts/v1' };
    const rest = { ...common, seq: this.lines.length + 1, ...members };
    const { digest: _digest, ...whole } = rest;
    this.lines.push({ ...whole, digest: textSha256(canonical(whole)) } as Receipt);
  }

  private bytes(token: number | null, text: string) {
    return {
      ...{ body: { data: text, encoding: 'utf8' }, body_sha256: textSha256(text), idempotency_key: 'k', method: 'POST' },
      headers: { 'idempotency-key': 'k', ...(token === null ? {} : { 'fencing-token': String(token) }) },
      path: '/v1/chat/completions',
    };
  }

  receive(token: number | null = null, text = chat): number {
    this.line({ kind: 'received', request: (this.requests += 1), peer_pid: 1, ...this.bytes(token, text) });
    return this.requests;
  }

  settle(request: number, members: Partial<Settled>): this {
    const status = members.status === undefined ? 200 : members.status;
    const response_sha256 = status === null ? null : 'a'.repeat(64);
    this.line({ kind: 'settled', request, ended: 'answered', effect: null, response_sha256, ...members, status });
    return this;
  }

  serve(members: Partial<Settled>, token: number | null = null): this {
    return this.settle(this.receive(token), members);
  }

  delay(token: number | null = null): this {
    this.line({ kind: 'delayed', delayed: (this.ways += 1), peer_pid: 1, ...this.bytes(token, chat) });
    return this;
  }

  arrive(delayed: number, members: Partial<Settled>, token: number | null = null): this {
    const request = (this.requests += 1);
    this.line({ kind: 'received', request, delayed, peer_pid: null, ...this.bytes(token, chat) });
    return this.settle(request, { ended: 'gone_while_held', ...members });
  }

  private question(path: string, method: string, headers: object): number {
    const none = { body: { data: '', encoding: 'utf8' }, body_sha256: textSha256(''), idempotency_key: null };
    this.line({ kind: 'received', request: (this.requests += 1), method, path, headers, peer_pid: 1, ...none });
    return this.requests;
  }

  look(status: number | null, members: Partial<Settled> = {}): this {
    return this.settle(this.question('/keys/k', 'GET', {}), { status, ...members });
  }

  fence(token: number, status = 200): this {
    return this.settle(this.question('/keys/k/fence', 'POST', { 'fencing-token': String(token) }), { status });
  }

  departing(by: Partial<ProviderScript>, inherited = 0): string[] {
    const log = readReceipts(Buffer.from(this.lines.map((line) => `${canonical(line)}\n`).join('')));
    if (log.problems.length > 0) throw new Error(`The log is not whole: ${log.problems[0]?.detail}`);
    return departures(log, inherited, { ...script('ignore'), ...by }).map(({ seq, detail }) => `${seq}: ${detail}`);
  }
}

type Lookup = NonNullable<ProviderScript['lookup']>;
const own = { effect: effect(1) };
const lookup = (...requests: Lookup['requests']): Lookup => ({ requests, otherwise: { do: 'tell' } });
const holds = (kind: 'committed' | 'none'): Partial<ProviderScript> => ({ requests: [{ do: 'hold', effect: kind }] });

describe('a look-up', () => {
  it.each<[string, Told, Partial<ProviderScript>, number]>([
    ['is not offered', new Told().serve(own).look(501), {}, 501],
    ['finds nothing', new Told().look(404), { lookup: lookup() }, 404],
    ['finds what was served', new Told().serve(own).look(200), { lookup: lookup() }, 200],
    [
      'finds what was cut',
      new Told().serve({ ...own, ended: 'reset' }).look(200),
      { requests: [{ do: 'cut', after_bytes: 1 }], lookup: lookup() },
      200,
    ],
    [
      'does not find what was dropped before',
      new Told().serve({ ended: 'dropped', status: null }).look(404),
      { requests: [{ do: 'drop', when: 'before_commit' }], lookup: lookup() },
      404,
    ],
    [
      'does not know what is on its way',
      new Told().delay().look(404),
      { requests: [{ do: 'delay_arrival' }], lookup: lookup() },
      404,
    ],
    ['lags', new Told().serve(own).look(404), { lookup: lookup({ do: 'not_found' }) }, 404],
    ['fails', new Told().serve(own).look(500), { lookup: lookup({ do: 'status', status: 500 }) }, 500],
    ['speaks of another request', new Told().serve(own).look(409), { lookup: lookup({ do: 'other_request' }) }, 409],
    ['says nothing', new Told().serve(own).look(200), { lookup: lookup({ do: 'malformed' }) }, 200],
  ])('%s', (_what, told, by, status) => {
    expect(told.departing(by)).toEqual([]);
    const last = told.lines.at(-1) as Settled;
    last.status = status === 200 ? 404 : 200;
    const { digest: _digest, ...rest } = last;
    last.digest = textSha256(canonical(rest));
    expect(told.departing(by)).toEqual([`${last.seq}: The status is ${last.status}; by its script it is ${status}.`]);
  });

  it('finds a request in progress while it is held, and its effect when it is over', () => {
    const told = new Told();
    const held = told.receive();
    told
      .look(409)
      .settle(held, { ...own, ended: 'gone_while_held' })
      .look(200);
    expect(told.departing({ ...holds('committed'), lookup: lookup() })).toEqual([]);
  });

  it('that is held is told what is true at its end', () => {
    const told = new Told();
    told.look(null, { ended: 'held_at_close' });
    expect(told.departing({ lookup: lookup({ do: 'hold' }) })).toEqual([]);
  });

  it('has no effect, and is numbered among look-ups alone', () => {
    const by = { fence: true, lookup: lookup({ do: 'not_found' }), requests: [answer, { do: 'status', status: 503 } as const] };
    expect(new Told().serve(own).fence(1).look(404).look(200).serve({ status: 503 }).departing(by)).toEqual([]);
    expect(new Told().look(404, own).departing(by)).toEqual(['2: The request had an effect that its script does not give it.']);
  });
});

describe('a fence', () => {
  const by: Partial<ProviderScript> = { fence: true };

  it('refuses from then on what is not above it', () => {
    const told = new Told().fence(5).serve({ status: 412 }, 5).serve({ status: 412 }).serve(own, 6);
    expect(told.departing(by)).toEqual([]);
    expect(new Told().fence(5).serve(own, 5).departing(by)).toEqual(['4: The status is 200; by its script it is 412.']);
    expect(new Told().fence(5).serve({ status: 412 }, 6).departing(by)).toEqual([
      '4: The status is 412; by its script it is 200.',
    ]);
  });

  it('is never lowered, and holds in a log that continues', () => {
    const told = new Told().fence(5).fence(3).serve({ status: 412 }, 4);
    expect(told.departing(by, 4)).toEqual([]);
    expect(told.departing({}, 4)).toEqual([]);
  });

  it('that is not offered holds nothing back', () => {
    expect(new Told().fence(5, 501).serve(own, 5).departing({})).toEqual([]);
  });

  it('ends what waits without an effect, and not what had one', () => {
    const waiting = new Told();
    const held = waiting.receive(5);
    waiting.fence(5).settle(held, { status: 412, ended: 'gone_while_held' });
    expect(waiting.departing({ ...by, ...holds('none') })).toEqual([]);
    const committed = new Told();
    const served = committed.receive(5);
    committed.fence(5, 409).settle(served, { ...own, ended: 'gone_while_held' });
    expect(committed.departing({ ...by, ...holds('committed') })).toEqual([]);
    expect(committed.departing({ ...by, ...holds('none') })).toHaveLength(2);
  });

  it('leaves to answer what answers without having looked at the key', () => {
    const requests = [{ do: 'status', status: 503 } as const];
    expect(
      new Told()
        .fence(5)
        .serve({ status: 503 }, 5)
        .departing({ ...by, requests }),
    ).toEqual([]);
  });
});

describe('a request on its way', () => {
  const by: Partial<ProviderScript> = { fence: true, lookup: lookup(), requests: [{ do: 'delay_arrival' }] };
  const arrivals = { after_questions: 1 };

  it('stays there until its script lets it arrive', () => {
    expect(new Told().delay().look(404).departing(by)).toEqual([]);
    expect(
      new Told()
        .delay()
        .look(404)
        .departing({ ...by, arrivals }),
    ).toEqual(['1: The request is still on its way; by its script it has arrived.']);
    expect(new Told().delay().departing({})).toEqual(['1: The request was sent on its way; by its script it arrives.']);
    expect(new Told().serve(own).departing(by)).toEqual(['1: The request arrived; by its script it is sent on its way.']);
  });

  it('arrives right after the question, and is served to nobody', () => {
    const told = new Told().delay().look(404).arrive(1, own);
    expect(told.departing({ ...by, arrivals })).toEqual([]);
    expect(told.departing({ ...by, arrivals: { after_questions: 2 } })).toEqual([
      '4: A request that was on its way arrived at another moment than its script says.',
    ]);
    expect(
      new Told()
        .delay()
        .look(404)
        .arrive(1, { ...own, ended: 'answered' })
        .departing({ ...by, arrivals }),
    ).toHaveLength(1);
  });

  it('is refused by a fence, and takes no step when it arrives', () => {
    const told = new Told().delay(5).fence(5).arrive(1, { status: 412 }, 5).serve(own, 6);
    expect(told.departing({ ...by, arrivals })).toEqual([]);
    expect(told.departing({ fence: true, arrivals }, 1)).toEqual([]);
  });

  it('is the first answer again where the key is honoured and has it', () => {
    const told = new Told()
      .delay()
      .serve(own)
      .look(200)
      .arrive(1, { effect: effect(1, true) });
    expect(told.departing({ ...by, arrivals, key: 'honour' })).toEqual([]);
    const twice = new Told()
      .delay()
      .serve(own)
      .look(200)
      .arrive(1, { effect: effect(2) });
    expect(twice.departing({ ...by, arrivals, key: 'honour' })).toHaveLength(1);
    expect(twice.departing({ ...by, arrivals })).toEqual([]);
  });
});

it('an answer as it stands is given again with its own status', () => {
  const step: Step = { do: 'raw', status: 404, content_type: null, body: '', effect: 'committed' };
  const told = new Told().serve({ ...own, status: 404 }).serve({ status: 404, effect: effect(1, true) });
  expect(told.departing({ key: 'honour', requests: [step] })).toEqual([]);
});
