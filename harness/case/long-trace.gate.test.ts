/**
 * A trace of 100,000 operations, in a file that is larger than the memory that its derivation may take: derived twice, each time by a
 * process of its own, as a run derives it.
 */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeLines } from '../io/lines.js';
import { standForRuns } from '../testing/stand.js';

const stand = standForRuns();
const commits = 50_000;
const most = 180 * 1024 * 1024;

/** Commits of a log that begins anew after each thousand, as a ledger's does; what is put says which commit it is. */
function* lines(): Generator<string> {
  yield '7 openat(AT_FDCWD, "<state>/wal", O_WRONLY|O_CREAT, 0666) = 3<<state>/wal>';
  for (let commit = 0; commit < commits; commit++) {
    const bytes = `${commit}`.padEnd(bytesPut, '.');
    yield `7 pwrite64(3<<state>/wal>, "${bytes}", ${bytesPut}, ${(commit % 1000) * bytesPut}) = ${bytesPut}`;
    yield '7 fsync(3<<state>/wal>) = 0';
  }
  yield '7 +++ exited with 0 +++';
}

const bytesPut = 4000;

/** Told of every state: its number, where it first occurs and its digest, hashed. */
const program = `
  const [build, trace] = process.argv.slice(1);
  const { distinctStatesOf, survey } = await import(build + '/harness/power-loss/derive.js');
  const { linesIn } = await import(build + '/harness/io/lines.js');
  const { createHash } = await import('node:crypto');
  const parameters = { persistence: 'strictest', subsets: 8, seed: 'one' };
  const source = { begun: new Map(), lines: () => linesIn(trace), volatile: [] };
  const surveyed = survey(source, parameters);
  const states = distinctStatesOf(source, parameters, surveyed);
  const told = createHash('sha256');
  let state = states.next();
  for (; state.done !== true; state = states.next()) {
    const { number, cut, choice, sha256 } = state.value;
    told.update([number, cut, choice.rule, choice.at, sha256].join(' ') + '\\n');
  }
  const { items, operations, weight } = surveyed;
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify({ told: { ...state.value, items, operations, weight, states: told.digest('hex') }, peak }));
`;

interface Derived {
  readonly told: Readonly<Record<string, number | string>>;
  /** Bytes of memory at the most. */
  readonly peak: number;
}

async function derived(trace: string, environment: NodeJS.ProcessEnv): Promise<Derived> {
  const build = pathToFileURL(stand.installation.build).href;
  const args = ['--input-type=module', '--max-semi-space-size=4', '-e', program, build, trace];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...environment } });
  return JSON.parse(stdout) as Derived;
}

describe('a trace of 100,000 operations', () => {
  let trace = '';
  let first: Derived;
  let second: Derived;
  beforeAll(async () => {
    trace = join(stand.folder, 'trace.txt');
    writeLines(trace, lines());
    [first, second] = await Promise.all([derived(trace, {}), derived(trace, { TZ: 'Asia/Tokyo', LC_ALL: 'C' })]);
  }, 300_000);

  it('is sampled by the seed past the stated bound, and says how many cuts it left out', () => {
    const { items, operations, weight, cuts, left_out, derived: all } = first.told;
    expect({ items, operations }).toEqual({ items: 2 * commits + 1, operations: 2 * commits + 1 });
    expect(weight).toBeGreaterThan(262_144);
    expect(Number(cuts) + Number(left_out)).toBe(2 * commits + 2);
    expect(left_out).toBeGreaterThan(0);
    expect(Math.abs(Number(all) - 262_144)).toBeLessThan(30_000);
  });

  it('takes less memory than the trace has bytes', () => {
    expect(statSync(trace).size).toBeGreaterThan(most);
    expect(first.peak).toBeLessThan(most);
  });

  it('gives the same states and numbers every time', () => expect(second.told).toEqual(first.told));
});
