import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonical, parseCanonical, sha256 } from './canonical.js';

const { cases, refused_by_readers, refused_by_writers } = JSON.parse(
  readFileSync(new URL('../../evidence/schema/vectors/canonical.json', import.meta.url), 'utf8'),
) as {
  cases: { what: string; text: string; canonical: string; sha256: string }[];
  refused_by_readers: { what: string; text: string }[];
  refused_by_writers: { what: string; text: string }[];
};

describe('the known answers of the contract', () => {
  it.each(cases)('$what', ({ text, canonical: wanted, sha256: hash }) => {
    expect(canonical(JSON.parse(text))).toBe(wanted);
    expect(sha256(wanted)).toBe(hash);
    expect(parseCanonical(wanted)).toEqual(JSON.parse(text));
  });
  it.each(refused_by_readers)('a reader refuses $what', ({ text }) => expect(() => parseCanonical(text)).toThrow());
  it.each(refused_by_writers)('a writer refuses $what', ({ text }) =>
    expect(() => canonical(JSON.parse(text))).toThrow(TypeError),
  );
});

describe('canonical JSON', () => {
  it('sorts names by UTF-16 units and has no spaces', () => {
    expect(canonical({ b: [1, null, true], a: 'x', '\u20ac': 1, '\r': 2 })).toBe(
      '{"\\r":2,"a":"x","b":[1,null,true],"\u20ac":1}',
    );
  });

  it('refuses what two programs could write differently', () => {
    for (const value of [
      0.5,
      Number.NaN,
      2 ** 53,
      '\ud800',
      { '\udc00': 1 },
      undefined,
      [undefined],
      { a: undefined },
      1n,
      () => 1,
      Symbol('s'),
    ])
      expect(() => canonical(value)).toThrow(TypeError);
  });

  it('is read back only from its own bytes', () => {
    expect(parseCanonical('{"a":1}\n')).toEqual({ a: 1 });
    for (const text of ['{"a": 1}', '{"a":1,"a":1}', '{"a":1.0}', '{"b":1,"a":1}']) expect(() => parseCanonical(text)).toThrow();
  });

  it('hashes to lower-case hexadecimal', () => {
    expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});
