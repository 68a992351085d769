import { describe, expect, it } from 'vitest';
import type { ProviderScript } from '../contract/types.js';
import { behaviourOf, lookupBehaviourOf, rawAnswersOf, textsOf } from './script.js';

const answer = { do: 'answer' } as const;

describe('a script', () => {
  it('gives each request its step, and all others the last word', () => {
    const script: ProviderScript = {
      key: 'ignore',
      requests: [
        { do: 'status', status: 500 },
        { do: 'delay', ms: 0 },
      ],
      otherwise: answer,
    };
    expect([1, 2, 3, 1000].map((number) => behaviourOf(script, number).do)).toEqual(['status', 'delay', 'answer', 'answer']);
  });

  it('knows its texts', () => {
    const requests: ProviderScript['requests'] = [
      { do: 'answer', text: 'a' },
      answer,
      { do: 'answer', text: '' },
      { do: 'answer', text: 'a' },
    ];
    expect(textsOf({ key: 'honour', requests, otherwise: { do: 'answer', text: 'b' } })).toEqual(['a', '', 'b']);
  });

  it('knows the raw answers that come with an effect', () => {
    const raw = { do: 'raw', status: 200, content_type: null, body: '' } as const;
    const requests: ProviderScript['requests'] = [{ ...raw, effect: 'none' }, answer, { ...raw, effect: 'committed' }];
    expect(rawAnswersOf({ key: 'ignore', requests, otherwise: answer })).toEqual([{ ...raw, effect: 'committed' }]);
  });

  it('numbers look-ups among themselves', () => {
    const lookup = { requests: [{ do: 'hold' as const }], otherwise: { do: 'tell' as const } };
    const script: ProviderScript = { key: 'ignore', requests: [answer, answer], otherwise: answer, lookup };
    expect([1, 2, 3].map((number) => lookupBehaviourOf(script, number).do)).toEqual(['hold', 'tell', 'tell']);
  });
});
