import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Rule, conversationFault, rules, sentenceOf } from './conversation.js';

const user = { role: 'user', content: 'Do it.' };
const system = { role: 'system', content: '' };
const said = { role: 'assistant', content: 'Done.' };
const call = (id: unknown) => ({ id, type: 'function', function: { name: 'pay', arguments: '{' } });
const asks = (...ids: unknown[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: unknown) => ({ role: 'tool', tool_call_id: id, content: '' });
const part = { type: 'text', text: 'Do it.' };
const withCall = (change: object) => [user, { ...asks('a'), tool_calls: [{ ...call('a'), ...change }] }, result('a')];

const broken: Record<Rule, [messages: unknown[], at: number][]> = {
  message: [
    [[7], 0],
    [[null], 0],
    [[[user]], 0],
    [[{ content: 'Do it.' }], 0],
    [[{ ...user, role: 'User' }], 0],
    [[{ ...user, role: 'function' }], 0],
    [[{ ...user, role: 'constructor' }], 0],
    [[{ ...user, role: ['user'] }], 0],
    [[user, said, { role: '__proto__' }], 2],
  ],
  content: [
    [[{ role: 'user' }], 0],
    [[{ ...user, content: null }], 0],
    [[{ ...user, content: '' }], 0],
    [[{ ...user, content: [] }], 0],
    [[{ ...user, content: 7 }], 0],
    [[{ ...user, content: part }], 0],
    [[{ ...user, content: ['Do it.'] }], 0],
    [[{ ...user, content: [part, { text: 'Do it.' }] }], 0],
    [[{ role: 'system', content: null }, user], 0],
    [[{ role: 'developer' }, user], 0],
    [[user, { ...said, content: 7 }, user], 1],
    [[user, { ...said, content: [] }, user], 1],
    [[user, asks('a'), { ...result('a'), content: null }], 2],
    [[user, asks('a'), { role: 'tool', tool_call_id: 'a' }], 2],
    [[user, asks('a'), { ...result('a'), content: { paid: true } }], 2],
  ],
  tool_calls: [
    ...['pay', 7, true, {}, [], { length: 1, 0: call('a') }, [null], ['a'], [[]]].map((tool_calls): [unknown[], number] => [
      [user, { ...said, tool_calls }, user],
      1,
    ]),
    ...[
      { id: '' },
      { id: 7 },
      { id: undefined },
      { type: 'tool' },
      { type: undefined },
      { function: null },
      { function: [] },
      { function: { name: '', arguments: '{}' } },
      { function: { arguments: '{}' } },
      { function: { name: 'pay' } },
      { function: { name: 'pay', arguments: {} } },
    ].map((change): [unknown[], number] => [withCall(change), 1]),
  ],
  silent_assistant: [
    [[user, { role: 'assistant' }, user], 1],
    [[user, { ...said, content: null }, user], 1],
    [[user, { ...said, content: '' }, user], 1],
    [[user, { ...said, content: null, tool_calls: null }, user], 1],
  ],
  repeated_call: [
    [[user, asks('a', 'a'), result('a')], 1],
    [[user, asks('a', 'b', 'a'), result('a'), result('b')], 1],
  ],
  result_without_call: [
    [[result('a')], 0],
    [[user, result('a')], 1],
    [[user, said, result('a')], 2],
    [[user, asks('a'), result('a'), result('b')], 3],
    [[user, asks('a'), result('b')], 2],
    [[user, asks('a'), result(undefined)], 2],
    [[user, asks('7'), result(7)], 2],
    [[user, asks('a'), result('a'), user, result('a')], 4],
    [[user, asks('a'), result('a'), system, result('a')], 4],
    [[user, asks('a'), result('a'), asks('b'), result('a'), result('b')], 4],
  ],
  repeated_result: [
    [[user, asks('a'), result('a'), result('a')], 3],
    [[user, asks('a', 'b'), result('b'), result('b'), result('a')], 3],
  ],
  call_without_result: [
    [[user, asks('a')], 1],
    [[user, asks('a'), user], 1],
    [[user, asks('a'), said, user], 1],
    [[user, asks('a', 'b'), result('b')], 1],
    [[user, asks('a', 'b'), result('a'), user], 1],
    [[user, asks('a'), system, result('a')], 1],
    [[user, asks('a'), asks('b'), result('a'), result('b')], 1],
    [[user, { ...asks('a'), content: 'I pay.' }, user, result('a')], 1],
  ],
  beginning: [
    [[said, user], 0],
    [[system, { ...system, role: 'developer' }, said, user], 2],
    [[asks('a'), result('a')], 0],
    [[], -1],
    [[system], 0],
  ],
  two_users: [
    [[user, user], 1],
    [[user, system, user], 2],
    [[user, asks('a'), result('a'), user, user], 4],
  ],
  end: [
    [[user, said], 1],
    [[user, said, system], 2],
    [[user, asks('a'), result('a'), said], 3],
  ],
};

describe('a conversation is refused', () => {
  it.each(Object.entries(broken).flatMap(([rule, examples]) => examples.map((example) => [rule, ...example] as const)))(
    '%s: %j, at %i',
    (rule, messages, at) => {
      expect(conversationFault(messages)).toEqual({ rule, at });
    },
  );

  it('with a sentence of its own for each rule, and the place', () => {
    const told = rules.map((rule) => sentenceOf({ rule, at: 3 }));
    expect(new Set(told).size).toBe(rules.length);
    for (const sentence of told) expect(sentence).toMatch(/^messages\[3\]: [A-Z"].*\.$/);
  });
});

describe('a conversation is taken', () => {
  it.each<[string, unknown[]]>([
    ['a user', [user]],
    ['system texts, empty ones too, then a user', [system, { role: 'developer', content: [part] }, user]],
    ['system text between turns', [user, said, system, user]],
    ['a list of parts of any type', [{ ...user, content: [part, { type: 'image_url', image_url: {} }] }]],
    ['two assistants in a row', [user, said, said, user]],
    ['a user after results', [user, asks('a'), result('a'), user]],
    ['results in another order than their calls', [user, asks('a', 'b', 'c'), result('c'), result('a'), result('b')]],
    ['the same id in another message', [user, asks('a'), result('a'), asks('a'), result('a')]],
    ['calls without a text, with an empty one and with one', [user, { ...asks('a'), content: '' }, result('a')]],
    ['calls and a text', [user, { ...asks('a'), content: 'I pay.' }, result('a')]],
    ['an assistant that says that it has no calls', [user, { ...said, tool_calls: null }, user]],
    ['calls of one that is no assistant', [{ ...user, tool_calls: 7 }]],
    ['a result as a list of parts', [user, asks('a'), { ...result('a'), content: [part] }]],
    [
      'a call with a name of every object as its id',
      [user, asks('constructor', '__proto__'), result('__proto__'), result('constructor')],
    ],
    ['half a pair in an id', [user, asks('\ud800'), result('\ud800')]],
  ])('%s', (_what, messages) => {
    expect(conversationFault(messages)).toBeNull();
  });
});

/** Turns as a program that does everything right would write them: each a user and what was done about it. */
const batch = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 })
  .chain((ids) => fc.shuffledSubarray(ids, { minLength: ids.length }).map((order) => [asks(...ids), ...order.map(result)]));
const run = fc.tuple(fc.array(batch, { maxLength: 3 }), fc.boolean());
const conversation = fc
  .tuple(fc.boolean(), fc.array(run, { maxLength: 4 }), fc.array(batch, { maxLength: 2 }))
  .map(([prompted, runs, open]) => [
    ...(prompted ? [system] : []),
    // A run of no steps has failed; whoever goes on joins its user text to the next one, so it is left out here.
    ...runs.flatMap(([batches, speaks]) =>
      batches.length === 0 && !speaks ? [] : [user, ...batches.flat(), ...(speaks ? [said] : [])],
    ),
    user,
    ...open.flat(),
  ]);

describe('over conversations', () => {
  it('a right one is taken, and is not when one of its results or calls is missing, given twice, or out of its place', () => {
    let judged = 0;
    fc.assert(
      fc.property(conversation, fc.nat(), (messages, seed) => {
        expect(conversationFault(messages)).toBeNull();
        const results = messages.flatMap(({ role }, at) => (role === 'tool' ? [at] : []));
        const at = results[seed % results.length];
        if (at === undefined) return;
        judged += 1;
        const callAt = messages.findLastIndex((message, index) => index < at && message.role === 'assistant');
        const one = messages[at] as (typeof messages)[number];
        const without = messages.toSpliced(at, 1);
        const wrong = {
          call_without_result: [
            without,
            messages.toSpliced(at, 0, user),
            messages.toSpliced(at, 0, system),
            [...without, user, one],
          ],
          repeated_result: [messages.toSpliced(at, 0, one)],
        };
        for (const [rule, all] of Object.entries(wrong))
          for (const each of all) expect(conversationFault(each)).toMatchObject({ rule });
        // Without their call the results stand behind those of the batch before, where their id may have been answered.
        const uncalled = conversationFault(messages.toSpliced(callAt, 1));
        expect(['result_without_call', 'repeated_result']).toContain(uncalled?.rule);
      }),
      { numRuns: 300 },
    );
    expect(judged).toBeGreaterThan(100);
  });

  it('any value is judged, by a rule that names one of its messages', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(user, said, system, asks('a', 'b'), result('a'), result('b'))),
        ),
        (messages) => {
          const fault = conversationFault(messages);
          if (fault !== null && messages.length > 0) expect(messages[fault.at]).toBeDefined();
        },
      ),
    );
  });

  it('is done in one go over tens of thousands of turns, and of calls of one message', () => {
    const turns = Array.from({ length: 20_000 }, (_, n) => [asks(`${n}`), result(`${n}`)]).flat();
    expect(conversationFault([user, ...turns])).toBeNull();
    expect(conversationFault([user, ...turns, user, user])).toEqual({ rule: 'two_users', at: 40_002 });
    const ids = Array.from({ length: 20_000 }, (_, n) => `${n}`);
    expect(conversationFault([user, asks(...ids), ...ids.map(result)])).toBeNull();
    expect(conversationFault([user, asks(...ids), ...ids.slice(1).map(result)])).toEqual({ rule: 'call_without_result', at: 1 });
  });
});
