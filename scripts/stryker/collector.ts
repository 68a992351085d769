/**
 * What test files import as `vitest` while mutants are tried: the same words, so that any test of a
 * file can be run alone, in one process that stays. Vitest finds and compiles every module anew for a run, which takes longer than most tests.
 *
 * `expect` is Vitest's own, put together as Vitest does. Of the rest there is what the tests of the verifier use, and a word that is missing here fails
 * the load. Two things differ, and neither can hide a failure: what Vitest does once before a suite is done before each of its tests, since a mutant may be active
 * in it; and what it does after a suite is left out, since the suite runs again (there it removes folders, which are below one that is removed as a whole).
 */
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  chai,
  customMatchers,
} from '@vitest/expect';

type Body = (...values: unknown[]) => unknown;

export interface Test {
  title: string;
  before: () => Body[];
  body: () => unknown;
}

interface Suite {
  title: string;
  before: Body[];
}

export interface Collected {
  /** In the order in which the file tells them: the same however often it is loaded. */
  tests: Test[];
  /** What `vitest` exports to the file. */
  words: Record<string, unknown>;
}

/** For the load of one file. Nothing is shared by two of them but `expect`. */
export function collector(): Collected {
  const tests: Test[] = [];
  let suites: Suite[] = [];

  const it = (title: unknown, ...rest: unknown[]): void => {
    const body = bodyOf(rest);
    const name = [...suites.map((suite) => suite.title), String(title)].join(' > ');
    // By reference: a hook may be told after the first test of its suite.
    const around = suites;
    tests.push({ title: name, before: () => around.flatMap(({ before }) => before), body: () => body({}) });
  };
  const describe = (title: unknown, ...rest: unknown[]): void => {
    const above = suites;
    suites = [...suites, { title: String(title), before: [] }];
    const answer = bodyOf(rest)();
    if (answer instanceof Promise) throw new Error(`The suite ${String(title)} is told later, which is not understood here.`);
    suites = above;
  };
  const before = (body: Body): void => {
    const inner = suites.at(-1);
    if (inner === undefined) throw new Error('A hook of a whole file is not understood here.');
    inner.before.push(body);
  };
  const words = { it: withTables(it), test: withTables(it), describe: withTables(describe), expect };
  return { tests, words: { ...words, beforeAll: before, beforeEach: before, afterAll: () => undefined } };
}

type Told = (title: unknown, ...rest: unknown[]) => void;

function withTables(tell: Told): Told {
  return Object.assign((title: unknown, ...rest: unknown[]): void => tell(title, ...rest), {
    each:
      (rows: readonly unknown[]): Told =>
      (title, ...rest) => {
        const body = bodyOf(rest);
        for (const row of rows) tell(title, () => body(...(Array.isArray(row) ? (row as unknown[]) : [row])));
      },
    runIf: (wanted: unknown): Told => (wanted ? tell : () => undefined),
  });
}

/** Beside the body there may be a limit of time or options, before it or after it; time is limited from outside here. */
function bodyOf(rest: unknown[]): Body {
  const body = rest.find((one) => typeof one === 'function');
  if (body === undefined) throw new Error('A test or suite has no body.');
  return body as Body;
}

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

const expect = Object.assign((value: unknown, message?: string) => chai.expect(value, message), chai.expect);
Object.assign(expect, (globalThis as unknown as Record<symbol, object>)[ASYMMETRIC_MATCHERS_OBJECT]);
(chai.expect as unknown as { extend: (words: unknown, matchers: unknown) => void }).extend(expect, customMatchers);
