import { describe, expect, it } from 'vitest';
import type { ProviderScript } from '../contract/types.js';
import { sha256 } from '../read/hash.js';
import type { OnItsWay, Request, Settled } from '../read/receipts.js';
import { departures, stepsOf } from './provider.js';
import { effectTextOf, endpointOf } from './provider-steps.js';

const common = { at: '2026-01-01T00:00:00.000Z', digest: '', monotonic_ns: '1', version: 'receipts/v1' } as const;
const good = '{"messages":[{"content":"Hi.","role":"user"}],"model":"m"}';
const broken = '{"messages":[{"content":"Hi.","role":"user"},{"content":"Fine.","role":"assistant"}],"model":"m"}';

interface Asked {
  readonly path?: string;
  readonly text?: string;
  readonly method?: string;
  readonly delayed?: number;
  readonly key?: string;
}

const sent = ({ path = '/v1/chat/completions', text = good, method = 'POST', key }: Asked) => ({
  ...{ method, path, headers: {}, idempotency_key: key ?? null, peer_pid: null },
  ...{ body: { data: text, encoding: 'utf8' as const }, body_sha256: sha256(Buffer.from(text)) },
});

/** Requests one after the other, from line `first`. */
function log(first: number, ...all: (readonly [Asked, Partial<Settled>])[]): Request[] {
  return all.map(([asked, settled], index) => {
    const seq = first + 2 * index;
    const { status = 200 } = settled;
    return {
      received: {
        ...{ ...common, ...sent(asked), kind: 'received', seq, request: index + 1 },
        ...(asked.delayed === undefined ? {} : { delayed: asked.delayed }),
      },
      settled: {
        ...{ ...common, kind: 'settled', seq: seq + 1, request: index + 1, ended: 'answered', status },
        ...{ response_sha256: status === null ? null : 'a'.repeat(64), effect: null, ...settled },
      },
    } as Request;
  });
}

const effect = (number: number, name = 'chat.completions') => ({
  effect: { effect_id: `effect-${number}`, name, replayed: false },
});
const answer = { do: 'answer' } as const;
const status = (code: number) => ({ do: 'status', status: code }) as const;
const script = (more: Partial<ProviderScript>): ProviderScript => ({ key: 'ignore', requests: [], otherwise: answer, ...more });
const departed = (all: Request[], by: ProviderScript, delayed: OnItsWay[] = []) =>
  departures({ all, delayed }, 0, by).map(({ seq }) => seq);

describe('a strict provider', () => {
  const strict = script({ strict: true });
  const refused = [{ text: broken }, { status: 400 }] as const;
  const served = [{ text: broken }, effect(1)] as const;

  it('refuses a conversation that breaks a rule, and another one does not', () => {
    expect([departed(log(1, refused), strict), departed(log(1, served), strict)]).toEqual([[], [2]]);
    expect([departed(log(1, refused), script({})), departed(log(1, served), script({}))]).toEqual([[2], []]);
    expect(departed(log(1, [{}, effect(1)]), strict)).toEqual([]);
  });

  it('refuses before it looks at step and key, and the request takes a step all the same', () => {
    const steps = script({ strict: true, key: 'honour', requests: [status(503), status(500)] });
    expect(departed(log(1, refused, [{}, { status: 500 }], [{}, effect(1)]), steps)).toEqual([]);
    expect(departed(log(1, [{ text: broken }, { status: 503 }]), steps)).toEqual([2]);
    const keyed = log(1, [{ key: 'k' }, effect(1)], [{ key: 'k', text: broken }, { status: 400 }]);
    expect(departed(keyed, script({ strict: true, key: 'honour' }))).toEqual([]);
  });

  it('says nothing about effects', () => {
    expect(departed(log(1, [{ path: '/effects/charge', text: broken }, effect(1, 'charge')]), strict)).toEqual([]);
  });

  it('lets what is on its way leave, and looks at it when it arrives', () => {
    const by = script({
      strict: true,
      requests: [{ do: 'delay_arrival' }],
      lookup: { requests: [], otherwise: { do: 'tell' } },
      arrivals: { after_questions: 1 },
    });
    const line = { ...common, ...sent({ text: broken }), kind: 'delayed', delayed: 1, seq: 1 } as OnItsWay['line'];
    const question = log(2, [{ path: '/keys/k', method: 'GET', text: '' }, { status: 404 }]);
    const arrives = (settled: Partial<Settled>) =>
      log(4, [
        { text: broken, delayed: 1 },
        { ended: 'gone_while_held', ...settled },
      ]);
    const told = (settled: Partial<Settled>) => {
      const arrival = arrives(settled);
      return departed([...question, ...arrival], by, [{ line, arrival: arrival[0] }]);
    };
    expect([told({ status: 400 }), told(effect(1))]).toEqual([[], [5]]);
  });

  it('looks at nothing that is no request for a completion', () => {
    const received = log(1, [{ text: broken }, {}])[0]?.received;
    if (received === undefined) throw new Error('There is a request.');
    expect([endpointOf(received), endpointOf(received, true)]).toEqual([{ name: 'chat.completions' }, { status: 400 }]);
    expect(endpointOf({ ...received, method: 'GET' }, true)).toEqual({ status: 405 });
  });
});

describe('steps of an effect of its own', () => {
  const own = { requests: [status(501), status(502)], otherwise: status(503) };
  const by = script({ requests: [status(401), status(402)], otherwise: status(403), effects: { charge: own } });
  const paths = [
    '/effects/charge',
    '/v1/chat/completions',
    '/effects/charge?x',
    '/effects/refund',
    '/effects/charge',
    '/v1/models',
  ];
  const codes = [501, 401, 502, 402, 503, 403];

  it('are numbered among the requests of that name, and all others without them', () => {
    const all = log(1, ...paths.map((path) => [{ path }, {}] as const));
    const steps = [...stepsOf({ all, delayed: [] }, 0, by).values()];
    expect(steps.map((step) => (step.do === 'status' ? step.status : null))).toEqual(codes);
  });

  it('are numbered by the path alone, whatever the method', () => {
    const all = log(
      1,
      [{ path: '/effects/charge', method: 'GET' }, { status: 405 }],
      [{ path: '/effects/charge' }, { status: 502 }],
    );
    expect(departed(all, by)).toEqual([]);
  });

  it('begin anew in a prefix that goes on from another log', () => {
    const all = log(1, [{ path: '/effects/charge' }, {}], [{ path: '/effects/charge' }, {}]);
    expect([...stepsOf({ all, delayed: [] }, 2, by)]).toEqual([[3, status(501)]]);
  });

  it('count those that are sent on their way', () => {
    const line = { ...common, ...sent({ path: '/effects/charge' }), kind: 'delayed', delayed: 1, seq: 1 } as OnItsWay['line'];
    const all = log(2, [{ path: '/effects/charge' }, {}]);
    expect([...stepsOf({ all, delayed: [{ line, arrival: undefined }] }, 0, by)]).toEqual([
      [1, status(501)],
      [2, status(502)],
    ]);
  });

  it('are those of the prefix where the script has none for a name', () => {
    const all = log(1, [{ path: '/effects/constructor' }, { status: 401 }]);
    expect(departed(all, by)).toEqual([]);
  });
});

describe('the body of an effect', () => {
  const happened = { effect_id: 'effect-7', name: 'charge' };
  it.each([
    ['is the scripted text', { do: 'answer', text: 'Paid.' }, 'Paid.'],
    ['may be empty', { do: 'answer', text: '' }, ''],
    ['without one names the effect', { do: 'answer' }, '{"effect_id":"effect-7","name":"charge"}'],
    ['names it too where the answer is held', { do: 'hold', effect: 'committed' }, '{"effect_id":"effect-7","name":"charge"}'],
    ['is the raw one', { do: 'raw', status: 200, content_type: null, body: '{', effect: 'committed' }, '{'],
    ['of a refusal is the own word of the provider', { do: 'status', status: 500 }, null],
  ] as const)('%s', (_what, step, text) => expect(effectTextOf(step, happened)).toBe(text));
});
