import { describe, expect, it } from 'vitest';
import { canonical, parseCanonical, sha256 } from './canonical.js';

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
