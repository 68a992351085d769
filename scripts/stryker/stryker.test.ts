/** What runs the tests while mutants are tried: that a failure shows, whatever form it has, and that counts say what was found. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collector, type Test } from './collector.js';
import { chosenAmong, type Line } from './journal.js';
import { isReached, Order, reachOf } from './record.js';
import { scoreOf } from './score.js';
import { tried, triedTest } from './trial.js';

interface Words {
  it: ((title: string, ...rest: unknown[]) => void) & {
    each: (rows: unknown[]) => Words['it'];
    runIf: (is: boolean) => Words['it'];
  };
  describe: Words['it'];
  beforeEach: (body: () => unknown) => void;
  expect: typeof expect;
}

function told(tell: (words: Words) => void): Test[] {
  const { tests, words } = collector();
  tell(words as unknown as Words);
  return tests;
}

describe('a test file that tells its tests to the collector', () => {
  it('tells each with its suites, its rows and what comes before it', async () => {
    const seen: unknown[] = [];
    const tests = told((words) =>
      words.describe.each(['a', 'b'])('suite', (of: unknown) => {
        words.it.each([
          [1, 2],
          [3, 4],
        ])('row', (one: number, two: number) => void seen.push([of, one, two]));
        words.it.runIf(false)('left out', () => undefined);
        words.beforeEach(() => void seen.push('before'));
      }),
    );
    expect(tests.map(({ title }) => title)).toEqual(Array(4).fill('suite > row'));
    for (const test of tests.slice(1, 3)) expect(await triedTest(test, 1000)).toEqual({ is: 'passed' });
    expect(seen).toEqual(['before', ['a', 3, 4], 'before', ['b', 1, 2]]);
  });

  it.each<[string, (expected: typeof expect) => unknown]>([
    ['expects another value', (expected) => expected({ a: [1] }).toEqual({ a: [2] })],
    ['expects a match', (expected) => expected({ a: 1 }).toMatchObject({ a: expected.stringContaining('x') })],
    ['expects nothing to be thrown', () => JSON.parse('{')],
    ['answers later', async (expected) => expected(await Promise.resolve(1)).toBe(2)],
    ['throws what is no error', () => Promise.reject('no error' as unknown as Error)],
  ])('fails where it %s', async (_what, body) => {
    const [test] = told((words) => words.it('fails', () => body(words.expect)));
    expect((await triedTest(test!, 1000)).is).toBe('failed');
  });

  it('fails where what comes before it does', async () => {
    const [test] = told((words) =>
      words.describe('suite', () => {
        words.beforeEach(() => words.expect(1).toBe(2));
        words.it('is fine itself', () => undefined);
      }),
    );
    expect((await triedTest(test!, 1000)).is).toBe('failed');
  });
});

describe('a test that does not end', () => {
  it.each<[string, () => unknown]>([
    [
      'asks nobody',
      () => {
        for (;;);
      },
    ],
    ['waits', () => new Promise(() => undefined)],
  ])('is cut off where it %s', async (_what, body) => expect((await tried(body, 50)).is).toBe('endless'));
});

describe('a choice of mutants', () => {
  const all = Array.from({ length: 100 }, (_, index) => ({ key: String(index) }));

  it('is the same for a seed, in whatever order they come, and another for another', () => {
    expect(chosenAmong(all.toReversed(), 20, 'a')).toEqual(chosenAmong(all, 20, 'a'));
    expect(chosenAmong(all, 20, 'b')).not.toEqual(chosenAmong(all, 20, 'a'));
  });

  it('is within a larger one', () => expect(chosenAmong(all, 30, 'a').slice(0, 20)).toEqual(chosenAmong(all, 20, 'a')));
  it('is all of them where no number is asked', () => expect(chosenAmong(all, null, 'a')).toEqual(all));
});

it('a reach holds the mutants that it was made of and no others', () => {
  const bits = Buffer.from(reachOf(['0', '7', '8', '20916']), 'base64');
  const reached = Array.from({ length: 21_000 }, (_, id) => String(id)).filter((id) => isReached(bits, id));
  expect(reached).toEqual(['0', '7', '8', '20916']);
});

it('the order asks every test, and what noticed before it is sooner', () => {
  const order = new Order();
  const candidates = ['read/a.test.ts', 'read/b.test.ts', 'checks/c.test.ts'].map((file) => ({ file, index: 0, ms: 100 }));
  const files = (): string[] => order.sorted('read/b.ts', candidates).map(({ file }) => file);
  expect(files()).toEqual(['read/b.test.ts', 'read/a.test.ts', 'checks/c.test.ts']);
  for (let time = 0; time < 5; time++) order.noticed('read/b.ts', candidates[2]!);
  expect(files()).toEqual(['checks/c.test.ts', 'read/b.test.ts', 'read/a.test.ts']);
});

it('whatever was not noticed counts against the score, and is listed', () => {
  const statuses = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'RuntimeError'];
  const lines = statuses.map((status, line): Line => ({
    key: status,
    file: 'a.ts',
    line,
    mutator: 'm',
    replacement: 'r',
    status,
  }));
  const { score, counts, survivors } = scoreOf(lines);
  expect(score).toBe(33.33);
  expect(counts).toEqual({ killed: 1, timeout: 1, survived: 1, no_coverage: 1, ignored: 1, error: 1 });
  expect(survivors.map(({ at, status }) => [at, status])).toEqual(
    ['Survived', 'NoCoverage', 'Ignored', 'RuntimeError'].map((status, index) => [`a.ts:${index + 2}`, status]),
  );
});

it('what is expected is expected by the same words as in every other run of the tests', () => {
  const versions = (path: string) =>
    JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<string, Record<string, string>>;
  expect(versions('tool/package.json').dependencies?.['@vitest/expect']).toBe(
    versions('../../package.json').devDependencies?.vitest,
  );
});
