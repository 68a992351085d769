import { describe, expect, it } from 'vitest';
import { sha256 } from '../core/canonical.js';
import { Effects } from './effects.js';
import { type Ending, type OnTime, type Reaction, type Request, arrive, react } from './react.js';

const chat = '{"messages":[{}],"model":"m"}';
const request = (key: string | null, more: { token?: number; body?: string; path?: string } = {}): Request => {
  const { token = null, body = chat, path = '/v1/chat/completions' } = more;
  return { method: 'POST', path, body: Buffer.from(body), body_sha256: sha256(body), key, token };
};
const told = ({ status, effect }: Ending) =>
  `${status} ${effect ? `${effect.effect_id}${effect.replayed ? ' replayed' : ''}` : 'none'}`;
const word = (reaction: Reaction) => (reaction.do === 'wait' ? 'waits' : `${reaction.do} ${told(reaction.ending)}`);

const raw = { do: 'raw', status: 502, content_type: 'text/html', body: '<p>' } as const;
const steps: [OnTime, string][] = [
  [{ do: 'answer' }, 'answer 200 effect-1'],
  [{ do: 'status', status: 503 }, 'answer 503 none'],
  [{ do: 'drop', when: 'before_commit' }, 'drop null none'],
  [{ do: 'drop', when: 'after_commit' }, 'drop 200 effect-1'],
  [{ do: 'cut', after_bytes: 3 }, 'cut 200 effect-1'],
  [{ ...raw, effect: 'committed' }, 'answer 502 effect-1'],
  [{ ...raw, effect: 'none' }, 'answer 502 none'],
  [{ do: 'hold', effect: 'none' }, 'waits'],
  [{ do: 'hold', effect: 'committed' }, 'waits'],
  [{ do: 'delay', ms: 1 }, 'waits'],
];
/** Those that look at no key. */
const atTheFront = new Set(['answer 503 none', 'drop null none', 'answer 502 none']);

describe('each step', () => {
  it.each(steps)('%j on a free key: %s', (step, expected) => {
    expect(word(react(step, new Effects(true), request('k')))).toBe(expected);
  });

  it.each(steps)('%j on a fenced key', (step, free) => {
    for (const honour of [true, false]) {
      const effects = new Effects(honour);
      effects.fence('k', 5);
      expect(word(react(step, effects, request('k', { token: 5 })))).toBe(atTheFront.has(free) ? free : 'answer 412 none');
      expect(word(react(step, effects, request('k', { token: 6 })))).toBe(free);
    }
  });

  it.each(steps)(
    '%j on an honoured key that is answered: a fence, another body or endpoint, or the answer again',
    (step, free) => {
      const effects = new Effects(true);
      const first = react({ do: 'answer', text: 'First.' }, effects, request('k', { token: 6 }));
      const again = react(step, effects, request('k', { token: 7 }));
      const other = word(react(step, effects, request('k', { token: 7, body: chat.replace('m"', 'n"') })));
      const named = word(react(step, effects, request('k', { token: 7, path: '/effects/pay' })));
      effects.fence('k', 7);
      const fenced = word(react(step, effects, request('k', { token: 7 })));
      if (atTheFront.has(free)) return expect([word(again), other, named, fenced]).toEqual([free, free, free, free]);
      const replay = again.do === 'wait' ? 'waits' : `${again.do} 200 effect-1 replayed`;
      expect([word(again), other, named, fenced]).toEqual([
        replay,
        ...['422', '422', '412'].map((status) => `answer ${status} none`),
      ]);
      if (again.do !== 'wait' && first.do !== 'wait') expect(again.ending.bytes).toBe(first.ending.bytes);
    },
  );

  it.each(steps)('%j is refused where the path is not served, whatever it says', (step) => {
    expect(word(react(step, new Effects(true), request('k', { path: '/' })))).toBe('answer 404 none');
  });
});

describe('a strict prefix', () => {
  const broken = '{"messages":[{"content":"x","role":"user"},{"content":"x","role":"user"}],"model":"m"}';
  const right = '{"messages":[{"content":"x","role":"user"}],"model":"m"}';

  it.each(steps)('refuses a broken conversation before it looks at the step %j, a fence or a key', (step, free) => {
    const effects = new Effects(true);
    effects.fence('fenced', 5);
    react({ do: 'answer' }, effects, request('answered', { body: broken }));
    react({ do: 'hold', effect: 'none' }, effects, request('open', { body: broken }));
    for (const key of ['free', 'fenced', 'answered', 'open', null])
      expect(word(react(step, effects, request(key, { body: broken }), true))).toBe('answer 400 none');
    expect(word(react(step, effects, request('free', { body: right }), true))).toBe(free.replace('effect-1', 'effect-2'));
  });

  it('refuses one that arrives late', () => {
    const effects = new Effects(true);
    expect(told(arrive(effects, request('k', { body: broken }), true))).toBe('400 none');
    expect(told(arrive(effects, request('k', { body: right }), true))).toBe('200 effect-1');
  });
});

describe('what an answer says', () => {
  const body = (step: OnTime, path?: string) => {
    const reaction = react(step, new Effects(true), request('k', path === undefined ? {} : { path }));
    const { content_type, bytes } = reaction.do === 'wait' ? reaction.answer() : reaction.ending;
    return `${content_type} ${bytes?.toString()}`;
  };

  it('is the scripted text of an effect, in every way in which it is answered at once; else which effect it was', () => {
    const plain = 'application/json {"effect_id":"effect-1","name":"pay"}';
    expect(body({ do: 'answer', text: 'Paid.' }, '/effects/pay')).toBe('text/plain;charset=utf-8 Paid.');
    for (const step of [{ do: 'answer' }, { do: 'hold', effect: 'none' }, { do: 'cut', after_bytes: 1 }] as const)
      expect(body(step, '/effects/pay')).toBe(plain);
    expect(body({ ...raw, effect: 'committed' }, '/effects/pay')).toBe('text/html <p>');
  });

  it('asks for the scripted tools', () => {
    const call = { id: 'call-1', name: 'pay', arguments: '{}' };
    expect(body({ do: 'answer', tool_calls: [call] })).toContain('"finish_reason":"tool_calls"');
  });
});

describe('a request that waits', () => {
  const held = (step: OnTime, effects: Effects, key = 'k') => {
    const reaction = react(step, effects, request(key, { token: 1 }));
    if (reaction.do !== 'wait') throw new Error('It does not wait.');
    return reaction;
  };

  it.each<[OnTime, 'answer' | 'abandon', string, string]>([
    [{ do: 'hold', effect: 'none' }, 'answer', '200 effect-1', '412 none'],
    [{ do: 'hold', effect: 'none' }, 'abandon', 'null none', '412 none'],
    [{ do: 'hold', effect: 'committed' }, 'answer', '200 effect-1', '200 effect-1'],
    [{ do: 'hold', effect: 'committed' }, 'abandon', '200 effect-1', '200 effect-1'],
    [{ do: 'delay', ms: 1 }, 'abandon', '200 effect-1', '200 effect-1'],
  ])('%j, %s: %s, and after a fence %s', (step, end, free, fenced) => {
    expect(told(held(step, new Effects(true))[end]())).toBe(free);
    for (const token of [0, 1]) {
      const effects = new Effects(true);
      const reaction = held(step, effects);
      effects.fence('k', token);
      expect(told(reaction[end]())).toBe(token === 1 ? fenced : free);
    }
  });

  it('is in progress for others of its key, until it is over or ruled out', () => {
    const effects = new Effects(true);
    const first = held({ do: 'hold', effect: 'none' }, effects);
    const other = () => word(react({ do: 'status', status: 500 }, effects, request('other')));
    const retry = () => word(react({ do: 'answer' }, effects, request('k', { token: 2 })));
    expect([retry(), other()]).toEqual(['answer 409 none', 'answer 500 none']);
    effects.fence('k', 1);
    expect([retry(), told(first.answer()), retry()]).toEqual(['answer 200 effect-1', '412 none', 'answer 200 effect-1 replayed']);
  });
});

describe('what arrives late', () => {
  it('is served by the rest of the rules', () => {
    const effects = new Effects(true);
    expect(told(arrive(effects, request('k', { token: 1 })))).toBe('200 effect-1');
    expect(told(arrive(effects, request('k', { token: 1 })))).toBe('200 effect-1 replayed');
    expect(told(arrive(effects, request('k', { path: '/effects/pay' })))).toBe('422 none');
    effects.fence('k', 1);
    expect(told(arrive(effects, request('k', { token: 1 })))).toBe('412 none');
    expect(told(arrive(effects, request('k', { body: '{' })))).toBe('400 none');
    react({ do: 'hold', effect: 'none' }, effects, request('held'));
    expect(told(arrive(effects, request('held')))).toBe('409 none');
  });

  it('has an effect of its own where keys are ignored', () => {
    const effects = new Effects(false);
    expect(word(react({ do: 'answer' }, effects, request('k')))).toBe('answer 200 effect-1');
    expect(told(arrive(effects, request('k')))).toBe('200 effect-2');
  });
});
