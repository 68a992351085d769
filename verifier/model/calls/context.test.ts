/** Sizes of offered items: estimated by the rule of the contract, or counted again. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { SharedContextItem } from '../../contract/types.js';
import { isRequestBody, isSize } from './context.js';

type Size = SharedContextItem['size'];
const o200k = { name: 'o200k_base', version: 1 };

function item(kind: SharedContextItem['kind'], size: Size): SharedContextItem {
  return { content_sha256: '0'.repeat(64), id: 'A', kind, lineage: [], required: true, size };
}
const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(0x61);
const estimated = (length: number, tokens: number): Size => ({ basis: 'estimated', bytes: length, tokens });

describe('an estimated size', () => {
  it('of a record is its bytes divided by four, rounded up', () => {
    expect(isSize(item('record', estimated(47, 12)), bytes(47))).toBe(true);
    expect(isSize(item('record', estimated(47, 11)), bytes(47))).toBe(false);
    expect(isSize(item('record', estimated(48, 12)), bytes(47))).toBe(false);
  });

  it('of another kind is no token', () => {
    expect(isSize(item('claim', estimated(47, 0)), bytes(47))).toBe(true);
    expect(isSize(item('artifact', estimated(47, 1)), bytes(47))).toBe(false);
  });

  it('names no tokenizer', () => {
    expect(isSize(item('record', { ...estimated(47, 12), tokenizer: o200k }), bytes(47))).toBe(false);
  });
});

describe('a measured size', () => {
  const counted = (text: string, tokens: number, tokenizer = o200k): boolean => {
    const content = Buffer.from(text, 'utf8');
    return isSize(item('claim', { basis: 'measured', bytes: content.length, tokens, tokenizer }), content);
  };

  // The table of the tokenizer is large, and loaded with the first count.
  beforeAll(() => void counted('', 0), 60_000);

  it.each([
    ['', 0],
    ['The figure was measured in one run.', 8],
    ['<|endoftext|>', 7],
    ['Grüße, 世界 👋', 7],
  ])('%j is %d tokens of any kind', (text, tokens) => {
    expect(counted(text, tokens)).toBe(true);
    expect(counted(text, tokens + 1)).toBe(false);
  });

  it('has exact bytes, whoever counted the tokens', () => {
    expect(isSize(item('record', { basis: 'measured', bytes: 47, tokens: 40 }), bytes(47))).toBe(true);
    expect(isSize(item('record', { basis: 'measured', bytes: 46, tokens: 40 }), bytes(47))).toBe(false);
  });

  it('by a tokenizer that is not known here cannot be told', () => {
    expect(() => counted('a', 1, { name: 'o200k_base', version: 2 })).toThrow('The tokenizer o200k_base 2 is not known here.');
  });
});

describe('a request body', () => {
  const made = (extra: object): Uint8Array => {
    const system = '{"content":"Be brief.","role":"system"}';
    const user = '{"content":"Do it.\\n\\nContext","role":"user"}';
    const rest = Object.entries(extra).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return Buffer.from(`{"messages":[${system},${user}],"model":"m"${rest.join('')}}`);
  };

  it.each<[string, object, boolean]>([
    ['two messages and a model', {}, true],
    ['tools after them', { tools: [{ name: 'search' }] }, true],
    ['an empty list of tools', { tools: [] }, false],
    ['tools that are no list', { tools: {} }, false],
    ['anything else', { user: 'u' }, false],
  ])('%s', (_what, extra, is) => expect(isRequestBody(made(extra), 'Do it.', 'Context')).toBe(is));

  it('of another instruction', () => expect(isRequestBody(made({}), 'Do that.', 'Context')).toBe(false));
});
