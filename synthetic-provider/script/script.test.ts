import { describe, expect, it } from 'vitest';
import type { ProviderScript } from '../contract/types.js';
import { Steps, answersFor, lookupBehaviourOf } from './script.js';

const answer = { do: 'answer' } as const;
const chat = '/v1/chat/completions';
const status = (code: number) => ({ do: 'status', status: code }) as const;
const codes = (script: ProviderScript, ...paths: string[]) => {
  const steps = new Steps(script);
  return paths.map((path) => {
    const step = steps.take(path);
    return step.do === 'status' ? step.status : step.do;
  });
};

describe('the steps of a script', () => {
  const list = { requests: [status(500), status(501)], otherwise: answer };

  it('are taken one by one, and then the last word', () => {
    expect(codes({ key: 'ignore', ...list }, chat, chat, chat, chat)).toEqual([500, 501, 'answer', 'answer']);
  });

  it('are those of the prefix for an effect without steps of its own, and for what is not served', () => {
    expect(codes({ key: 'ignore', ...list }, '/effects/pay', '/nowhere', chat)).toEqual([500, 501, 'answer']);
  });

  it('are numbered by name where an effect has its own, by the path alone, and the others without them', () => {
    const own = { requests: [status(510)], otherwise: status(511) };
    const script: ProviderScript = { key: 'ignore', ...list, effects: { pay: own, mail: own } };
    const paths = [
      '/effects/pay',
      chat,
      '/effects/pay?to=x',
      '/effects/mail',
      '/effects/pay/x',
      '/effects/other',
      '/effects/mail',
    ];
    expect(codes(script, ...paths)).toEqual([510, 500, 511, 510, 501, 'answer', 511]);
  });

  it('are not found in what every object has', () => {
    expect(codes({ key: 'ignore', ...list, effects: {} }, '/effects/constructor', '/effects/toString')).toEqual([500, 501]);
  });
});

describe('what a request may have been answered with', () => {
  const raw = { do: 'raw', status: 200, content_type: null, body: '' } as const;
  const text = (said: string) => ({ do: 'answer', text: said }) as const;
  const calls = { do: 'answer', tool_calls: [{ id: 'a', name: 'pay', arguments: '' }] } as const;
  const script = {
    key: 'honour',
    requests: [{ ...raw, effect: 'none' }, answer, { ...raw, effect: 'committed' }, { do: 'hold', effect: 'none' }],
    otherwise: { ...calls, tool_calls: [...calls.tool_calls] },
    effects: { mail: { requests: [], otherwise: text('Sent.') }, pay: { requests: [answer], otherwise: text('Paid.') } },
  } satisfies ProviderScript;

  it('is what its own steps say, then what others say, then the plain answer', () => {
    const own = [{ ...raw, effect: 'committed' }, calls];
    expect(answersFor(script, chat)).toEqual([...own, text('Sent.'), text('Paid.'), answer]);
    expect(answersFor(script, '/effects/pay?x=present')).toEqual([text('Paid.'), ...own, text('Sent.'), answer]);
    expect(answersFor(script, '/effects/other')).toEqual(answersFor(script, chat));
  });
});

describe('look-ups', () => {
  it('are numbered among themselves', () => {
    const lookup = { requests: [{ do: 'hold' as const }], otherwise: { do: 'tell' as const } };
    const script: ProviderScript = { key: 'ignore', requests: [answer, answer], otherwise: answer, lookup };
    expect([1, 2, 3].map((number) => lookupBehaviourOf(script, number).do)).toEqual(['hold', 'tell', 'tell']);
  });
});
