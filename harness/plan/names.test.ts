import { describe, expect, it } from 'vitest';
import { HarnessError } from '../errors.js';
import { parsePlan } from './load.js';
import { maxDepth, odditiesIn } from './names.js';

describe('what JSON.parse hides', () => {
  it.each<[string, string[]]>([
    ['{"a":1,"b":{"a":[{"a":1}]}}', []],
    ['{"a":1,"a":2}', ['/a']],
    ['{"a":{"b":[0,{"c":1,"\\u0063":2}]}}', ['/a/b/1/c']],
    ['{"x/y":1,"x/y":2,"~":1,"~":2}', ['/x~1y', '/~0']],
    ['{"a":"{\\"b\\":1,\\"b\\":2}"}', []],
    ['[{"a":1},{"a":1}]', []],
    ['{"a":[[],{}],"__proto__":{}}', ['/__proto__']],
    ['"text"', []],
  ])('%s', (text, pointers) => {
    expect(JSON.parse(text)).toBeDefined();
    expect(odditiesIn(text).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('is told with everything else that is wrong with a plan', () => {
    const refusal = refusalOf('{"id":"a","id":"b"}');
    expect(refusal.items).toEqual(
      expect.arrayContaining(['/id is given twice; only one of the two would count', '/ lacks the member "version"']),
    );
  });
});

describe('a plan that is hard to read', () => {
  it('may be nested deep, but no deeper than anybody needs', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(odditiesIn(nested(maxDepth))).toEqual([]);
    expect(refusalOf(nested(100_000)).items).toEqual(['/ is nested more than 64 deep']);
  });

  it.each([
    ['\uFEFF{}', /begins with a byte order mark/],
    ['', /is not JSON in UTF-8/],
    [Buffer.from([0xff, 0xfe]), /is not JSON in UTF-8/],
  ])('is refused: %j', (bytes, sentence) => {
    expect(refusalOf(bytes).message).toMatch(sentence);
  });
});

function refusalOf(bytes: string | Buffer): HarnessError {
  try {
    parsePlan(Buffer.from(bytes as string), 'plan.json', []);
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error('The plan was not refused.');
}
