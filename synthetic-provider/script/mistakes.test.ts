import { describe, expect, it } from 'vitest';
import { scriptMistakes } from './mistakes.js';

const answer = { do: 'answer' } as const;

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
        { do: 'cut', after_bytes: 1, how: 'chunked' },
        { do: 'delay_arrival' },
        { do: 'raw', status: 204, content_type: null, body: '', effect: 'none' },
      ],
      otherwise: { do: 'delay', ms: 60_000 },
    },
    {
      key: 'ignore',
      requests: [],
      otherwise: answer,
      lookup: { requests: [{ do: 'status', status: 500 }, { do: 'malformed' }], otherwise: { do: 'tell' } },
      fence: true,
      arrivals: { after_questions: 1 },
    },
    {
      key: 'honour',
      strict: true,
      requests: [
        { do: 'answer', tool_calls: [{ id: 'a', name: 'pay', arguments: '{' }] },
        {
          do: 'answer',
          text: '',
          tool_calls: [
            { id: 'a', name: 'no such tool', arguments: '' },
            { id: 'a', name: 'pay', arguments: '' },
          ],
        },
      ],
      otherwise: answer,
      effects: {
        pay: {
          requests: [
            { do: 'answer', text: 'Paid.' },
            { do: 'hold', effect: 'none' },
          ],
          otherwise: answer,
        },
        'constructor.v1_0-x': { requests: [], otherwise: { do: 'delay_arrival' } },
      },
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
      '/requests/1: "do" must be one of answer, hold, status, cut, drop, delay, raw, delay_arrival.',
    ]);
  });

  it('are told in the words that plans have: what is unknown, what is lacking, what may be there', () => {
    expect(scriptMistakes({ key: 'maybe', requests: [], extra: 1 })).toEqual([
      '/: lacks the member "otherwise".',
      '/: has the unknown member "extra".',
      '/key: must be one of "ignore", "honour".',
    ]);
  });

  it('of look-ups and arrivals are told with their place', () => {
    const lookup = { requests: [{ do: 'guess' }, { do: 'status', status: 200 }, { do: 'tell', status: 500 }], otherwise: {} };
    const script = { key: 'ignore', requests: [], otherwise: answer, lookup, arrivals: { after_questions: 0 } };
    const told = 'must be one of tell, not_found, without_response, in_progress, other_request, hold, malformed, status.';
    expect(scriptMistakes(script)).toEqual([
      `/lookup/requests/0: "do" ${told}`,
      '/lookup/requests/1/status: must be >= 400.',
      '/lookup/requests/2: has the unknown member "status".',
      `/lookup/otherwise: "do" ${told}`,
      '/arrivals/after_questions: must be >= 1.',
    ]);
  });

  it('of what an effect does are told with its name', () => {
    const calls = [{ id: 'a', name: 'pay', arguments: '' }];
    const raw = { do: 'raw', status: 204, content_type: 'text/\n', body: 'x', effect: 'none' };
    const name = 'must be letters, digits, ".", "_" and "-", 128 at most, the first a letter or a digit.';
    const names = ['', '_pay', 'a/b', 'a~b', '__proto__', 'pay?x', 'x'.repeat(129)];
    const list = { requests: [], otherwise: answer };
    const pay = {
      requests: [answer, { ...answer, tool_calls: calls }, raw],
      otherwise: { ...answer, text: 'x', tool_calls: calls },
    };
    // By entries, since a literal would take `__proto__` for something else.
    const effects = Object.fromEntries([['pay', pay], ...names.map((wrong) => [wrong, list])]) as Record<string, unknown>;
    const escaped = names.map((wrong) => wrong.replace('~', '~0').replace('/', '~1'));
    expect(scriptMistakes({ key: 'ignore', requests: [], otherwise: answer, effects })).toEqual([
      '/effects/pay/requests/2/content_type: must be printable ASCII.',
      '/effects/pay/requests/2/body: must be empty, as an answer with status 204 has no body.',
      '/effects/pay/requests/1/tool_calls: must not be there, as an effect asks for no tools.',
      '/effects/pay/otherwise/tool_calls: must not be there, as an effect asks for no tools.',
      ...escaped.map((wrong) => `/effects/${wrong}: ${name}`),
    ]);
  });

  it('of the shape of an effect and of tool calls are told with their place', () => {
    const effects = {
      pay: { requests: [{ do: 'fly' }, { do: 'status', status: 99 }], otherwise: answer },
      mail: { requests: [] },
      requests: 7,
    };
    const requests = [
      { do: 'answer', tool_calls: [] },
      { do: 'answer', tool_calls: 'pay' },
      { do: 'answer', tool_calls: [{ id: '', name: 'pay', arguments: {} }] },
      { do: 'answer', tool_calls: [{ id: 'a', name: 'pay', arguments: '\ud800' }] },
      { do: 'hold', effect: 'none', tool_calls: [] },
    ];
    expect(scriptMistakes({ key: 'ignore', requests, otherwise: answer, effects, strict: 'yes' })).toEqual([
      '/requests/0/tool_calls: must NOT have fewer than 1 items.',
      '/requests/1/tool_calls: must be array.',
      '/requests/2/tool_calls/0/id: must match pattern "^[\\s\\S]".',
      '/requests/2/tool_calls/0/arguments: must be string.',
      '/requests/4: has the unknown member "tool_calls".',
      '/strict: must be boolean.',
      '/effects/pay/requests/0: "do" must be one of answer, hold, status, cut, drop, delay, raw, delay_arrival.',
      '/effects/pay/requests/1/status: must be >= 400.',
      '/effects/mail: lacks the member "otherwise".',
      '/effects/requests: must be object.',
      '/requests/3/tool_calls/0/arguments: the text holds a lone surrogate.',
    ]);
  });

  it.each([
    [{ effects: { pay: { requests: [], otherwise: { ...answer, text: '\ud800' } } } }, '/effects/pay/otherwise/text'],
    [{ requests: [{ ...answer, tool_calls: [{ id: '\udc00', name: 'x', arguments: '' }] }] }, '/requests/0/tool_calls/0/id'],
  ])('are lone surrogates, as deep as a text may lie: %#', (part, place) => {
    expect(scriptMistakes({ key: 'ignore', requests: [], otherwise: answer, ...part })).toEqual([
      `${place}: the text holds a lone surrogate.`,
    ]);
  });

  it.each([
    [{ content_type: 'text/plain\r\nx: y' }, '/otherwise/content_type: must be printable ASCII.'],
    [{ status: 304 }, '/otherwise/body: must be empty, as an answer with status 304 has no body.'],
    [{ body: '\udc00' }, '/otherwise/body: the text holds a lone surrogate.'],
  ])('are raw answers that cannot be sent: %j', (wrong, mistake) => {
    const otherwise = { do: 'raw', status: 200, content_type: 'text/plain', body: 'x', effect: 'none', ...wrong };
    expect(scriptMistakes({ key: 'ignore', requests: [], otherwise })).toEqual([mistake]);
  });

  it.each([null, [], 'x', undefined])('are told of %j', (value) => {
    expect(scriptMistakes(value)).toHaveLength(1);
  });
});
