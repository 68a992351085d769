import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EvidenceError } from '../errors.js';
import { parseOneReading } from './one-reading.js';

describe('JSON that every reader reads alike', () => {
  it.each([
    '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}',
    ' { "a" : "\\u0041\\"{" , "A" : [ -1 , 0 , 9007199254740991 ] } ',
    '"\\ud83d\\ude00"',
    '["a","a"]',
    '{"a":"b","b":"a"}',
  ])('takes %s', (text) => expect(parseOneReading(text)).toEqual(JSON.parse(text)));

  it('takes every plan that is kept', () => {
    const plans = readdirSync('preregistrations').filter((name) => name.endsWith('.json'));
    expect(plans.length).toBeGreaterThan(5);
    for (const name of plans) parseOneReading(readFileSync(`preregistrations/${name}`, 'utf8'));
  });

  it.each([
    ['a name twice', '{"a":1,"b":2,"a":3}'],
    ['a name twice, once with an escape', '{"a":1,"\\u0061" :3}'],
    ['a name twice, far inside', '[{"b":[{"a":{},"a":{}}]}]'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}'],
    ['a lone surrogate', '"\\ud800"'],
    ['a lone surrogate in a name', '{"\\udfff":1}'],
    ['a number too large', '1e400'],
    ['a number with an exponent', '[1e3]'],
    ['a number with a fraction', '{"a":1.0}'],
    ['minus zero', '-0'],
    ['a number beyond the safe ones', '9007199254740993'],
    ['257 levels', '['.repeat(257) + ']'.repeat(257)],
    ['a million levels', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
    ['no JSON', '{"a":01}'],
  ])('refuses %s', (_what, text) => expect(() => parseOneReading(text)).toThrow(EvidenceError));
});
