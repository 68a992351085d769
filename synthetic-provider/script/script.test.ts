import { describe, expect, it } from 'vitest';
import type { ProviderScript } from '../contract/types.js';
import { behaviourOf, scriptMistakes, textsOf } from './script.js';

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
});

describe('mistakes of a script', () => {
  it.each([
    { key: 'honour', requests: [], otherwise: answer },
    {
      key: 'ignore',
      requests: [
        { do: 'answer', text: '' },
        { do: 'hold', effect: 'none' },
        { do: 'status', status: 599, message: 'm' },
        { do: 'cut', after_bytes: 0 },
        { do: 'drop', when: 'after_commit' },
      ],
      otherwise: { do: 'delay', ms: 60_000 },
    },
  ])('none in %j', (script) => {
    expect(scriptMistakes(script)).toEqual([]);
  });

  it('are all told, each with its place, and only those of the step that was meant', () => {
    const requests = [
      { do: 'hold' },
      { do: 'fly' },
      { do: 'status', status: 600 },
      { do: 'status', status: 200, text: 'no' },
      { do: 'cut', after_bytes: -1 },
      { do: 'delay', ms: 60_001 },
      { do: 'answer', text: '\ud800' },
      7,
    ];
    const mistakes = scriptMistakes({ key: 'maybe', requests, otherwise: {}, extra: 1 });
    expect(mistakes.map((mistake) => /^([^ ]*):/.exec(mistake)?.[1]).sort()).toEqual(
      [
        '/',
        '/key',
        '/otherwise',
        '/requests/0',
        '/requests/1',
        '/requests/2/status',
        '/requests/3',
        '/requests/3/status',
        '/requests/4/after_bytes',
        '/requests/5/ms',
        '/requests/6/text',
        '/requests/7',
      ].sort(),
    );
    expect(mistakes.filter((mistake) => mistake.startsWith('/requests/1:'))).toEqual([
      '/requests/1: "do" must be one of answer, hold, status, cut, drop, delay.',
    ]);
  });

  it.each([null, [], 'x', undefined])('are told of %j', (value) => {
    expect(scriptMistakes(value)).toHaveLength(1);
  });
});
