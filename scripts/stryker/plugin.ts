/**
 * What Stryker loads of ours: a runner of the verifier's tests, and a reporter that chooses mutants and writes down what came of each.
 *
 * To Stryker a test is a test file. Which tests of it a mutant can be noticed by is the runner's own knowledge; each mutant gets a new world, and its tests are
 * asked until one notices; before some of them the same tests are asked in the same way with nothing mutated, and must notice nothing. A mutant that was not chosen
 * is answered at once with an error, which is no result and is written nowhere.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleOf, type Bundle } from './bundle.js';
import type { Test } from './collector.js';
import { chosenAmong, control, keyOf, readJournal, type Line, type Told } from './journal.js';
import {
  isReached,
  Order,
  reachOf,
  slowestMs,
  type Candidate,
  type FileRecord,
  type SuiteRecord,
  type TestRecord,
} from './record.js';
import { tried, triedTest, type Outcome } from './trial.js';

/** Under the name `killpoint` among Stryker's options. */
interface Ours {
  root: string;
  /** Where what is known of this state of the sources is kept. */
  state: string;
  mutate: string[];
  /** The folders of the tests that are asked; all where there is none. */
  tests: string[];
  sample: number | null;
  seed: string;
}

interface Options {
  killpoint: Ours;
}

/** What instrumented code and runner share, by Stryker's own name. */
interface Shared {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

/** Far above what a test takes on a busy machine: what is cut off counts as noticed. */
const limitMs = (ms: number): number => 20_000 + 20 * ms;

/** What has not ended by then with nothing mutated, on a busy machine and counted at every step, is not waited for. */
const longestMs = 60_000;
const mostMutants = 1 << 15;
/** No mutant has it, so nothing is mutated: whatever is noticed then, no mutant did. */
const noMutant = 'none';

const shared = ((globalThis as { __stryker__?: Shared }).__stryker__ ??= {});

interface Asked {
  readonly noticed: { readonly by: Candidate; readonly outcome: Exclude<Outcome, { is: 'passed' }> } | null;
  /** How many tests were asked. */
  readonly count: number;
}

class Runner {
  static readonly inject = ['options'] as const;
  private readonly ours: Ours;
  private readonly order = new Order();
  private bundle: Bundle | undefined;
  private known: { file: string; load: Uint8Array; tests: { ms: number | null; reach: Uint8Array }[] }[] | undefined;
  private chosen: Set<string> | undefined;
  /** Of mutants that were chosen. */
  private runs = 0;

  constructor(options: Options) {
    this.ours = options.killpoint;
  }

  capabilities(): { reloadEnvironment: boolean } {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    const sandbox = process.cwd();
    const temporary = join(this.ours.state, 'tmp');
    mkdirSync(temporary, { recursive: true });
    process.env.TMPDIR = temporary;
    process.env.KILLPOINT_MUTANTS = 'all';
    process.chdir(this.ours.root);
    // What a mutant leaves unhandled is of its world alone, and its tests have been answered without it.
    process.on('unhandledRejection', () => undefined);
    this.bundle = await bundleOf(sandbox, this.ours.root, this.ours.tests, join(sandbox, 'tests.cjs'));
  }

  async dryRun(): Promise<object> {
    const path = join(this.ours.state, 'record.json');
    const bundle = this.bundle;
    if (bundle === undefined) throw new Error('There is no bundle.');
    let record = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SuiteRecord) : undefined;
    if (record?.hash !== bundle.hash) {
      record = { hash: bundle.hash, files: [] };
    }
    // After each file, since it takes minutes: whoever ends it goes on from there.
    const known = new Set(record.files.map(({ file }) => file));
    for (const file of bundle.files.filter((one) => !known.has(one))) {
      record.files.push(await recorded(bundle, file));
      writeFileSync(`${path}.partial`, JSON.stringify(record));
      renameSync(`${path}.partial`, path);
    }
    return {
      status: 'complete',
      tests: record.files.map((one) => ({
        ...{ id: one.file, name: one.file, fileName: one.file, status: 0 },
        timeSpentMs: one.tests.reduce((sum, { ms }) => sum + (ms ?? 0), one.load.ms ?? 0),
      })),
      mutantCoverage: { static: {}, perTest: Object.fromEntries(record.files.map(({ file, hits }) => [file, hits])) },
    };
  }

  async mutantRun({ activeMutant, hitLimit }: { activeMutant: Told; hitLimit?: number }): Promise<object> {
    const { id } = activeMutant;
    this.chosen ??= new Set(JSON.parse(readFileSync(join(this.ours.state, 'chosen.json'), 'utf8')) as string[]);
    if (!this.chosen.has(id)) return { status: 'error', errorMessage: 'not chosen' };
    const source = relative(this.ours.root, activeMutant.fileName);
    const candidates = this.order.sorted(source, this.candidatesFor(id));
    if (this.runs++ % control.every === 0) {
      const { noticed } = await this.asked(noMutant, candidates, undefined);
      const said = noticed && `${noticed.by.file}, ${noticed.by.index}: ${noticed.outcome.why}`;
      appendFileSync(join(this.ours.state, control.file), `${JSON.stringify({ tests: candidates.length, noticed: said })}\n`);
    }
    const { noticed, count } = await this.asked(id, candidates, hitLimit);
    if (noticed === null) return { status: 'survived', nrOfTests: count };
    this.order.noticed(source, noticed.by);
    const { is, why } = noticed.outcome;
    if (is === 'endless') return { status: 'timeout', reason: why };
    return { status: 'killed', killedBy: [noticed.by.file], failureMessage: why, nrOfTests: count };
  }

  /** Until one notices, in a new world. */
  private async asked(id: string, candidates: readonly Candidate[], hitLimit: number | undefined): Promise<Asked> {
    Object.assign(shared, { activeMutant: id, currentTestId: undefined, hitCount: hitLimit && 0, hitLimit });
    const world = this.bundle?.open();
    const loaded = new Map<string, Test[]>();
    let count = 0;
    try {
      for (const one of candidates) {
        let outcome = await tried(() => loaded.get(one.file) ?? loaded.set(one.file, world?.load(one.file) ?? []), limitMs(5000));
        const test = loaded.get(one.file)?.[one.index];
        // A file that tells fewer tests than it did has lost one to the mutant.
        if (outcome.is === 'passed')
          outcome = test === undefined ? { is: 'failed', why: 'the test is gone' } : await triedTest(test, limitMs(one.ms));
        count++;
        if (hitLimit !== undefined && (shared.hitCount ?? 0) > hitLimit) outcome = { is: 'endless', why: 'hit limit' };
        if (outcome.is !== 'passed') return { noticed: { by: one, outcome }, count };
      }
      return { noticed: null, count };
    } finally {
      Object.assign(shared, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
    }
  }

  private candidatesFor(id: string): Candidate[] {
    this.known ??= (JSON.parse(readFileSync(join(this.ours.state, 'record.json'), 'utf8')) as SuiteRecord).files.map((one) => ({
      file: one.file,
      load: Buffer.from(one.load.reach, 'base64'),
      tests: one.tests.map(({ ms, reach }) => ({ ms, reach: Buffer.from(reach, 'base64') })),
    }));
    return this.known.flatMap(({ file, load, tests }) => {
      const all = isReached(load, id);
      return tests.flatMap(({ ms, reach }, index) =>
        ms !== null && ms <= slowestMs && (all || isReached(reach, id)) ? [{ file, index, ms }] : [],
      );
    });
  }
}

/** In a world of its own, so that what is evaluated on loading it is seen whichever file came first. */
async function recorded(bundle: Bundle, file: string): Promise<FileRecord> {
  const hits: Record<string, number> = {};
  const measured = async (title: string, call: () => Promise<boolean>): Promise<TestRecord> => {
    const coverage = (shared.mutantCoverage ??= { static: {}, perTest: {} });
    shared.currentTestId = 'now';
    // By number and in one piece: some tests read millions of values, and a table that grows would take most of their time.
    const counts = Array.from({ length: mostMutants }, () => 0);
    coverage.perTest.now = counts as unknown as Record<string, number>;
    const before = process.cpuUsage();
    const isWhole = await call();
    const { user, system } = process.cpuUsage(before);
    const reached: string[] = [];
    for (const [id, count] of counts.entries())
      if (count > 0) {
        hits[id] = (hits[id] ?? 0) + count;
        reached.push(String(id));
      }
    shared.currentTestId = undefined;
    const ms = isWhole ? Math.round((user + system) / 1000) : null;
    return { title, ms, reach: reachOf(reached) };
  };
  const isPassed = (outcome: Outcome, what: string): boolean => {
    if (outcome.is === 'failed') throw new Error(`Without a mutant, ${file}, ${what}: ${outcome.why}`);
    return outcome.is === 'passed';
  };
  const world = bundle.open();
  let told: Test[] = [];
  const load = await measured('', async () => isPassed(await tried(() => void (told = world.load(file)), longestMs), 'its load'));
  const tests: TestRecord[] = [];
  for (const test of told)
    tests.push(await measured(test.title, async () => isPassed(await triedTest(test, longestMs), test.title)));
  return { file, load, tests, hits };
}

class Reporter {
  static readonly inject = ['options'] as const;
  private readonly ours: Ours;
  private readonly lines = new Map<string, Omit<Line, 'status'>>();

  constructor(options: Options) {
    this.ours = options.killpoint;
  }

  onMutationTestingPlanReady({ mutantPlans }: { mutantPlans: { mutant: Told }[] }): void {
    const { root, state, mutate, sample, seed } = this.ours;
    const all = mutantPlans.map(({ mutant }) => {
      const { id, mutatorName: mutator, replacement, location } = mutant;
      // Stryker counts lines from 0 here.
      const line = { file: relative(root, mutant.fileName), line: location.start.line + 1, mutator, replacement };
      return { id, ...line, key: keyOf(line.file, mutant) };
    });
    const asked = all.filter(
      ({ file }) => mutate.length === 0 || mutate.some((path) => file === path || file.startsWith(`${path}/`)),
    );
    const chosen = chosenAmong(asked, sample, seed);
    const done = readJournal(state);
    const open = chosen.filter(({ key }) => !done.has(key));
    writeFileSync(join(state, 'chosen.json'), JSON.stringify(open.map(({ id }) => id)));
    writeFileSync(
      join(state, 'asked.json'),
      JSON.stringify({ all: all.length, asked: asked.length, keys: chosen.map(({ key }) => key) }),
    );
    for (const { id, ...line } of open) this.lines.set(id, line);
    process.stderr.write(`${all.length} mutants, ${chosen.length} chosen, ${open.length} not known yet\n`);
    this.began = Date.now();
  }

  private began = 0;
  private count = 0;

  onMutantTested({ id, status }: { id: string; status: string }): void {
    const line = this.lines.get(id);
    if (line === undefined) return;
    const now = Date.now();
    appendFileSync(join(this.ours.state, 'journal.jsonl'), `${JSON.stringify({ ...line, status })}\n`);
    if (++this.count % 100 === 0)
      process.stderr.write(
        `${this.count} of ${this.lines.size}, ${((now - this.began) / 1000 / this.count).toFixed(2)} s each\n`,
      );
  }
}

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'killpoint', injectableClass: Runner },
  { kind: 'Reporter', name: 'killpoint', injectableClass: Reporter },
];
