import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Json, canonical, sha256, utf8 } from './canonical.js';

const { cases, refused_by_writers } = JSON.parse(
  readFileSync(new URL('../../evidence/schema/vectors/canonical.json', import.meta.url), 'utf8'),
) as {
  cases: { what: string; text: string; canonical: string; sha256: string }[];
  refused_by_writers: { what: string; text: string }[];
};

describe('the known answers of the contract', () => {
  it.each(cases)('$what', ({ text, canonical: wanted, sha256: hash }) => {
    expect(canonical(JSON.parse(text) as Json)).toBe(wanted);
    expect(sha256(wanted)).toBe(hash);
  });
  it.each(refused_by_writers)('a writer refuses $what', ({ text }) =>
    expect(() => canonical(JSON.parse(text) as Json)).toThrow(TypeError),
  );
});

describe('canonical JSON', () => {
  it('sorts by UTF-16 units, escapes as RFC 8785 says, and keeps composed and decomposed text apart', () => {
    expect(canonical({ '\u20ac': 1, a: [true, null, -5], '\ud83d\ude00': '\u000f/"\\', A: {} })).toBe(
      '{"A":{},"a":[true,null,-5],"\u20ac":1,"\ud83d\ude00":"\\u000f/\\"\\\\"}',
    );
    expect(sha256(canonical('\u00e9'))).not.toBe(sha256(canonical('e\u0301')));
  });

  it.each<[string, unknown]>([
    ['a fraction', 0.5],
    ['a large number', 2 ** 53],
    ['-0', -0],
    ['NaN', NaN],
    ['undefined', { a: undefined }],
    ['a date', new Date(0)],
    ['a bigint', 1n],
    ['lone surrogates', ['\ud800\ud800']],
    ['a lone surrogate as a name', { '\udbff': 1 }],
  ])('refuses %s', (_what, value) => {
    expect(() => canonical(value as Json)).toThrow(TypeError);
  });
});

describe('text of bytes', () => {
  it('is exact or nothing', () => {
    expect(utf8(Buffer.from('\ufeffé'))).toBe('\ufeffé');
    expect(utf8(Buffer.from([0xf0, 0x9f, 0xa5]))).toBe(null);
    expect(utf8(Buffer.from([0xed, 0xa0, 0x80]))).toBe(null);
  });
});
