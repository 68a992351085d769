/** Known answers of the small pure parts. */
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical } from '../../core/canonical.js';
import { compileContext, inventoryItem, type OfferedItem } from './compile.js';
import { chainStart, eventDigest } from './event-digest.js';
import { sha256 } from '../../core/digest.js';
import { interpret } from './interpret.js';
import { buildRequest, driftBetween, render, renderContext, requestBody } from './request.js';
import { decideRetry } from './retry.js';
import type { RetryPolicy } from './vocabulary.js';

const items: OfferedItem[] = [
  {
    id: 'A',
    kind: 'record',
    required: true,
    content: 'The second paragraph cites its measurement once',
    lineage: ['objective-1'],
  },
  { id: 'B', kind: 'claim', required: true, content: 'The figure was measured in one run.', lineage: ['claim-1'] },
  { id: 'D', kind: 'artifact', required: false, content: 'Paragraph two.', lineage: [] },
];
const inventory = items.map((item) => inventoryItem(item, null));
const contents = new Map(items.map((item) => [sha256(item.content), item.content]));
const contentOf = (hash: string): string => contents.get(hash) ?? '';

describe('canonical JSON', () => {
  test('sorts names and prints no space', () => {
    expect(canonical({ b: [1, null, true], a: 'é', '': {} })).toBe('{"":{},"a":"é","b":[1,null,true]}');
  });

  test('is the library’s, in whatever order the names come', () => {
    const leaf = fc.oneof(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
    const name = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('10', '9', '__proto__', 'a', 'B', ''));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(leaf, fc.array(tie('value')), fc.dictionary(name, tie('value'), { noNullPrototype: true })),
    }));
    fc.assert(
      fc.property(value, (drawn) => {
        expect(canonical(drawn)).toBe(canonicalize(drawn));
      }),
    );
    expect(canonical({ 9: 1, 10: 2 })).toBe('{"10":2,"9":1}');
  });

  test.each([
    ['half a surrogate pair', '\ud800'],
    ['half a surrogate pair as a name', { '\udfff': 1 }],
    ['a fraction', 0.5],
    ['a number beyond 2^53', 2 ** 53],
    ['undefined', { a: undefined }],
    ['a hole in an array', [1, , 2]],
    ['a function', { a: () => 1 }],
    ['a date', new Date(0)],
  ])('refuses %s', (_name, value) => {
    expect(() => canonical(value)).toThrow(expect.objectContaining({ code: 'input-invalid' }));
  });
});

test('the digest of a row is that of its canonical export with prev and without digest', () => {
  const row = {
    seq: 1,
    type: 'task.created',
    task_id: 't',
    call_id: null,
    attempt_id: null,
    compilation_id: null,
    recorded_at: '2026-01-01T00:00:00.000Z',
  };
  const exported = canonical({ ...row, payload: { title: 'é"' }, prev: chainStart });
  expect(eventDigest({ ...row, payload: canonical({ title: 'é"' }) }, chainStart)).toBe(sha256(exported));
});

describe('the compiler', () => {
  test('estimates a record at a quarter of its bytes and counts nothing for other kinds', () => {
    expect(inventory.map((item) => item.size)).toEqual([
      { tokens: 12, bytes: 47, basis: 'estimated' },
      { tokens: 0, bytes: 35, basis: 'estimated' },
      { tokens: 0, bytes: 14, basis: 'estimated' },
    ]);
    expect(inventoryItem({ ...items[0]!, tokens: 9 }, null).size).toEqual({ tokens: 9, bytes: 47, basis: 'measured' });
  });

  test('includes everything that fits, in offered order', () => {
    const outcome = compileContext(inventory, ['A', 'B'], 12);
    expect(outcome).toMatchObject({ ok: true, payload: { included_ids: ['A', 'B', 'D'], excluded: [], total_tokens: 12 } });
  });

  test('leaves out an optional item over the budget and keeps a smaller one after it', () => {
    const optional = (id: string, tokens: number) =>
      inventoryItem({ id, kind: 'record', required: false, content: id, lineage: [], tokens }, null);
    const outcome = compileContext([optional('large', 9), ...inventory, optional('small', 1)], ['A'], 13);
    expect(outcome).toMatchObject({
      payload: { included_ids: ['A', 'B', 'D', 'small'], excluded: [{ id: 'large', reason: 'over_budget' }] },
    });
  });

  test('names what is required and was never offered', () => {
    const outcome = compileContext(inventory, ['A', 'never-offered'], 64);
    expect(outcome).toMatchObject({ ok: false, payload: { error: 'RequiredContextMissing' }, missingIds: ['never-offered'] });
  });

  test('fails when the required items alone are over the budget', () => {
    expect(compileContext(inventory, [], 11)).toMatchObject({ ok: false, payload: { error: 'RequiredContextOverBudget' } });
  });
});

describe('the request', () => {
  const packed = (budget: number) => {
    const outcome = compileContext(inventory, ['A', 'B'], budget);
    if (!outcome.ok) throw new Error('does not compile');
    return outcome;
  };
  const settings = { model: 'synthetic-1', system: 'S', tools: null as object[] | null, rendererVersion: 1 as 1 | 2 };
  const built = (changes: Partial<typeof settings> & { budget?: number }) => {
    const used = { ...settings, ...changes };
    return buildRequest(renderContext(packed(changes.budget ?? 64), contentOf, used.rendererVersion), 'Do.', used).hashes;
  };

  test('version 1 and version 2 render to the letter', () => {
    const two = inventory.slice(1);
    expect(render(two, contentOf, 1)).toBe(
      '## B (claim)\nThe figure was measured in one run.\n\n## D (artifact)\nParagraph two.\n',
    );
    expect(render(two, contentOf, 2)).toBe(
      '## B (claim, required)\nThe figure was measured in one run.\n\n## D (artifact, optional)\nParagraph two.\n',
    );
  });

  test('the body is canonical', () => {
    expect(requestBody(settings, 'Do.', 'X')).toBe(
      '{"messages":[{"content":"S","role":"system"},{"content":"Do.\\n\\nX","role":"user"}],"model":"synthetic-1"}',
    );
  });

  test('tools stand after the messages and the model, as they were given', () => {
    expect(requestBody({ ...settings, tools: [{ type: 'function', b: 1, a: 2 }] }, 'Do.', 'X')).toBe(
      '{"messages":[{"content":"S","role":"system"},{"content":"Do.\\n\\nX","role":"user"}],"model":"synthetic-1","tools":[{"a":2,"b":1,"type":"function"}]}',
    );
  });

  test('each setting drifts in exactly its hashes', () => {
    expect(driftBetween(built({}), built({}))).toEqual([]);
    expect(driftBetween(built({}), built({ model: 'synthetic-2' }))).toEqual(['request_body']);
    expect(driftBetween(built({}), built({ tools: [{}] }))).toEqual(['request_body']);
    expect(driftBetween(built({}), built({ rendererVersion: 2 }))).toEqual(['rendered_context', 'request_body']);
    expect(driftBetween(built({}), built({ budget: 128 }))).toEqual(['context_package']);
  });
});

describe('the interpreter', () => {
  const choice = { finish_reason: 'stop', message: { content: 'Yes.', role: 'assistant' } };
  test.each([
    ['an answer', 200, JSON.stringify({ choices: [choice] }), 'answer'],
    ['an error status with an answer inside', 500, JSON.stringify({ choices: [choice] }), 'provider_error'],
    ['an error inside a 200', 200, '{"error":{"message":"overloaded"}}', 'provider_error'],
    ['an empty body', 200, '', 'uninterpretable'],
    ['HTML', 200, '<html></html>', 'uninterpretable'],
    ['no choices', 200, '{"choices":[]}', 'uninterpretable'],
    ['an array at the top', 200, '[]', 'uninterpretable'],
    ['no finish reason', 200, JSON.stringify({ choices: [{ ...choice, finish_reason: null }] }), 'uninterpretable'],
    ['content that is no text', 200, JSON.stringify({ choices: [{ ...choice, message: { content: null } }] }), 'uninterpretable'],
    ['ill-formed text', 200, '{"choices":[{"finish_reason":"stop","message":{"content":"\\ud800"}}]}', 'uninterpretable'],
  ])('%s', (_name, status, body, result) => {
    expect(interpret(status, Buffer.from(body), 1).result).toBe(result);
  });

  const parts = (content: unknown) => JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content } }] });
  test.each<[string, unknown, string | null]>([
    [
      'text in parts',
      [
        { type: 'text', text: 'Yes' },
        { type: 'text', text: '.' },
      ],
      'Yes.',
    ],
    ['a part that is no text', [{ type: 'text', text: 'Yes' }, { type: 'image' }], null],
    ['a part without its text', [{ type: 'text' }], null],
    ['no parts', [], null],
    ['half a pair in a part', [{ type: 'text', text: '\ud800' }], null],
    ['plain text', 'Yes.', 'Yes.'],
  ])('%s is for version 2 alone, and all else is as in version 1', (_name, content, text) => {
    const bytes = Buffer.from(parts(content));
    expect(interpret(200, bytes, 2)).toMatchObject({ result: text === null ? 'uninterpretable' : 'answer', text });
    expect(interpret(200, bytes, 1).result).toBe(typeof content === 'string' ? 'answer' : 'uninterpretable');
  });

  test('bytes that are not UTF-8 are uninterpretable', () => {
    expect(interpret(200, Buffer.from([0x7b, 0xff, 0x7d]), 1).result).toBe('uninterpretable');
  });
});

describe('the retry policy', () => {
  const policy: RetryPolicy = {
    max_attempts: 2,
    retry_statuses: [503],
    retry_not_sent: true,
    retry_broken_if_key_honoured: true,
  };
  const error = (status: number) => ({ delivery: 'complete', status, result: 'provider_error' }) as const;
  test.each([
    [
      'an answer',
      { delivery: 'complete', status: 200, result: 'answer' } as const,
      1,
      false,
      { decision: 'stop', reason: 'answered' },
    ],
    ['a retryable status', error(503), 1, false, { decision: 'retry', reason: 'retryable_status' }],
    ['a retryable status at the last attempt', error(503), 2, false, { decision: 'stop', reason: 'attempts_exhausted' }],
    ['another status', error(500), 1, false, { decision: 'stop', reason: 'not_retryable' }],
    ['not sent', { delivery: 'not_sent' } as const, 1, false, { decision: 'retry', reason: 'not_sent' }],
    ['broken', { delivery: 'broken' } as const, 1, false, null],
    ['broken, key honoured', { delivery: 'broken' } as const, 1, true, { decision: 'retry', reason: 'broken_key_honoured' }],
    ['broken, key honoured, last attempt', { delivery: 'broken' } as const, 2, true, null],
  ])('%s', (_name, seen, number, honoursKey, expected) => {
    expect(decideRetry(policy, honoursKey, number, seen)).toEqual(expected);
  });

  test('broken is never retried by a policy that does not say so', () => {
    expect(decideRetry({ ...policy, retry_broken_if_key_honoured: false }, true, 1, { delivery: 'broken' })).toBeNull();
  });
});
