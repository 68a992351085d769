import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EvidenceError } from '../errors.js';
import {
  canonical,
  decodeUtf8,
  linesOf,
  parseCanonical,
  parseCanonicalFile,
  parseCanonicalLines,
  parseJson,
  sameJson,
} from './canonical.js';
import { textSha256 } from './hash.js';

interface Vectors {
  cases: { what: string; text: string; canonical: string; sha256: string }[];
  refused_by_readers: { what: string; text: string }[];
  refused_by_writers: { what: string; text: string }[];
}
const vectors = JSON.parse(
  readFileSync(new URL('../../evidence/schema/vectors/canonical.json', import.meta.url), 'utf8'),
) as Vectors;

describe('known answers', () => {
  it.each(vectors.cases)('$what', ({ text, canonical: wanted, sha256 }) => {
    expect(canonical(JSON.parse(text))).toBe(wanted);
    expect(textSha256(wanted)).toBe(sha256);
    expect(parseCanonical(wanted)).toEqual(JSON.parse(text));
  });
  it.each(vectors.refused_by_readers)('a reader refuses $what', ({ text }) =>
    expect(() => parseCanonical(text)).toThrow(EvidenceError),
  );
  it.each(vectors.refused_by_writers)('a writer refuses $what', ({ text }) =>
    expect(() => canonical(JSON.parse(text))).toThrow(EvidenceError),
  );
});

const integers = fc.maxSafeInteger();
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    integers,
    fc.string({ unit: 'binary' }),
    fc.array(tie('tree')),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('tree')),
  ),
}));

describe('any value', () => {
  it('reads back from its canonical form, and only from it', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const text = canonical(value);
        expect(canonical(parseCanonical(text))).toBe(text);
        expect(() => parseCanonical(`${text} `)).toThrow(EvidenceError);
        expect(sameJson(JSON.parse(text), JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is refused when it nests without end, before the stack is', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(() => parseCanonical(deep)).toThrow(EvidenceError);
  });
});

describe('files', () => {
  it('end with one line feed', () => {
    expect(parseCanonicalFile(Buffer.from('{"a":1}\n'))).toEqual({ a: 1 });
    for (const text of ['{"a":1}', '{"a":1}\r\n', '{"a":1}\n\n', ''])
      expect(() => parseCanonicalFile(Buffer.from(text))).toThrow(EvidenceError);
    expect(parseCanonicalLines(Buffer.from('1\n2\n'))).toEqual([1, 2]);
    expect(parseCanonicalLines(Buffer.alloc(0))).toEqual([]);
    for (const text of ['1', '1\n\n2\n', '1\r\n', '\n'])
      expect(() => parseCanonicalLines(Buffer.from(text))).toThrow(EvidenceError);
  });
  it('are UTF-8 or refused', () => {
    for (const bytes of [[0xff], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0xa5]])
      expect(() => decodeUtf8(Uint8Array.from(bytes))).toThrow(EvidenceError);
  });
});

describe('a text that holds more than there is memory for', () => {
  const code = (read: () => unknown): string => {
    try {
      read();
      return 'read';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  it.each<[string, string, () => unknown]>([
    ['two million levels', 'not-canonical', () => parseJson('['.repeat(2_000_000) + ']'.repeat(2_000_000))],
    ['brackets in a string', 'read', () => parseJson(`"${'[\\"{'.repeat(500_000)}"`)],
    ['seventeen million values', 'too-large', () => parseJson(`[${'0,'.repeat(17_000_000)}0]`)],
    ['three million values', 'read', () => parseJson(`[${'0,'.repeat(3_000_000)}0]`)],
    ['five million lines', 'too-large', () => linesOf('\n'.repeat(5_000_000))],
    ['more bytes than a text', 'too-large', () => decodeUtf8(Buffer.alloc(257 * 2 ** 20))],
  ])('%s: %s', (_what, wanted, read) => expect(code(read)).toBe(wanted));
});
