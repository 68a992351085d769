/**
 * A state that a power loss may have left, rebuilt from a bundle by the command line: told, written, held against the record, reduced.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DerivedState } from '../contract/types.js';
import { runPlan } from '../run.js';
import { control, subjectsFolder, toyPlan } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';

const stand = standForRuns();
const subject = join(subjectsFolder, 'served');
let bundle = '';
let states: DerivedState[] = [];

beforeAll(async () => {
  const crash = { model: 'power-loss', persistence: 'strictest', subsets: 0, seed: 's', every: 2, offset: 0 } as const;
  const expected = { ended: 'completed', events: 0, receipts: 1, effects: 1, outcome: 'completed_once' } as const;
  const arm = { id: 'arm', role: 'produce', scenario: 'syncs-no-line', expect: expected } as const;
  const plan = toyPlan(
    [{ ...control(), id: 'case', arms: [{ ...arm, crash: { ...crash, carry_on: 'produce', outcomes: ['completed_once'] } }] }],
    'served',
  );
  const result = await runPlan(stand.request(plan, { subjects: [subject], cases: ['case'] }));
  bundle = result.bundle;
  const text = readFileSync(join(bundle, 'data/cases/case/arm/states.jsonl'), 'utf8');
  states = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as DerivedState);
});

function killpoint(...args: string[]) {
  const main = join(stand.installation.build, 'harness', 'cli', 'main.js');
  const run = spawnSync(process.execPath, [main, ...args, '--case', 'case', '--arm', 'arm', '--subject', subject], {
    encoding: 'utf8',
  });
  return { code: run.status, out: run.stdout, words: run.stderr };
}

const numbered = (wanted: (state: DerivedState) => boolean): string => {
  const found = states.find(wanted);
  if (found === undefined) throw new Error('The sample has no such state.');
  return String(found.state);
};
const empty = (): string => numbered(({ opened, cut }) => opened?.entries === 0 && cut > 10);

describe('a state by its number', () => {
  it('is told, held against the record, and written to a folder of its own', () => {
    const before = execFileSync('sha256sum', ['-c', '--strict', '--quiet', 'manifest-sha256.txt'], {
      cwd: bundle,
      encoding: 'utf8',
    });
    const to = join(stand.folder, 'rebuilt');
    const { code, out } = killpoint('replay', bundle, '--state', empty(), '--to', to);
    expect(code).toBe(0);
    expect(out).toMatch(/^State \d+: the power went behind item \d+ of \d+, by the rule [a-z-]+/);
    expect(out).toMatch(/lost {2}(?:set the size|write 7 bytes at 0) of log\.txt|lost {2}create log\.txt/);
    expect(out).toContain('The subject opened it, and it holds 0 entries.\nThe bundle says the same.\n');
    expect(readdirSync(to)).toContain('format.json');
    expect(existsSync(join(to, 'lease.sqlite'))).toBe(false);
    // Nothing of the bundle changed, and what is there is not written over.
    expect(
      execFileSync('sha256sum', ['-c', '--strict', '--quiet', 'manifest-sha256.txt'], { cwd: bundle, encoding: 'utf8' }),
    ).toBe(before);
    expect(killpoint('replay', bundle, '--state', empty(), '--to', to)).toMatchObject({
      code: 64,
      words: expect.stringContaining('is not empty'),
    });
    expect(killpoint('replay', bundle, '--state', empty(), '--to', import.meta.filename)).toMatchObject({
      code: 64,
      words: expect.stringContaining('is no folder'),
    });
    expect(killpoint('replay', bundle, '--state', empty(), '--to', '/proc/nowhere')).toMatchObject({
      code: 64,
      words: expect.stringMatching(/^killpoint: A state cannot go to \/proc\/nowhere: /),
    });
    expect(killpoint('replay', bundle, '--state', empty(), '--cut', '-1')).toMatchObject({
      code: 64,
      words: expect.stringContaining('from 0'),
    });
  });

  it('is looked for in a bundle, and nowhere else', () => {
    for (const command of ['replay', 'reduce']) {
      expect(killpoint(command, stand.folder, '--state', '1')).toMatchObject({
        code: 64,
        words: `killpoint: ${stand.folder} is no bundle: it has no bagit.txt. Give the folder of a finished run, <out>/<plan>/<run-id>, as the run printed it.\n`,
      });
      expect(killpoint(command, join(stand.folder, 'nowhere'), '--state', '1')).toMatchObject({
        code: 64,
        words: expect.stringContaining('There is no folder'),
      });
    }
  });

  it('that was not in the sample is told too, as one document where that is wanted', () => {
    const { code, out } = killpoint('replay', bundle, '--state', '1', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ state: 1, cut: 0, rule: 'all-lost', recorded: null, files: [], to: null });
  });

  it('is seen where the record says otherwise of it', () => {
    const altered = join(stand.folder, 'altered');
    cpSync(bundle, altered, { recursive: true });
    const file = join(altered, 'data/cases/case/arm/states.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"entries":0', '"entries":5'));
    const { code, out } = killpoint('replay', altered, '--state', empty());
    expect(code).toBe(1);
    expect(out).toContain('The bundle says otherwise');
    appendFileSync(join(altered, 'data/cases/case/arm/trace.txt'), '1 fsync(3<<state>/a>) = 0\n');
    writeFileSync(join(altered, 'data/cases/case/arm/trace.txt'), '1 mkdir("<state>/a", 0777) = 0\n');
    expect(killpoint('replay', altered, '--state', '1')).toMatchObject({
      code: 2,
      words: expect.stringContaining('Nothing can be derived'),
    });
  });

  it.each<[string, string[], RegExp]>([
    ['does not exist', ['--state', '5000'], /There is no state 5000: the trace gives \d+/],
    ['has no number', ['--state', 'x'], /whole number/],
    ['does not occur at a cut', ['--state', '1', '--cut', '99'], /State 1 does not occur at cut 99; it does at 0/],
    ['is of another arm', ['--state', '1', '--arm', 'other'], /no arm "other" \(it has: arm\)/],
  ])('that %s is refused', (_what, args, words) => {
    const main = join(stand.installation.build, 'harness', 'cli', 'main.js');
    const all = [
      'replay',
      bundle,
      '--case',
      'case',
      ...(args.includes('--arm') ? [] : ['--arm', 'arm']),
      ...args,
      '--subject',
      subject,
    ];
    const run = spawnSync(process.execPath, [main, ...all], { encoding: 'utf8' });
    expect(run.status).toBe(64);
    expect(run.stderr).toMatch(words);
  });
});

describe('the shortest story', () => {
  it('of a lost promise names the operations that it takes, and the loss', () => {
    const { code, out } = killpoint('reduce', bundle, '--state', empty(), '--promised', '1');
    expect(code).toBe(0);
    expect(out).toMatch(/^State \d+ fails at cut \d+ \(fewer entries than were promised\)/);
    expect(out).toMatch(/1\. create .*\n(?:.*\n)*.*write 7 bytes at 0 of log\.txt.*\n(?:.*\n)*.*the power goes\n/);
    expect(out).toMatch(/\(lost|lost\)/);
    expect(out.match(/^ +\d+\. /gm)?.length).toBeLessThan(8);
  });

  it('of what was not promised is none', () => {
    expect(killpoint('reduce', bundle, '--state', empty())).toMatchObject({
      code: 1,
      out: expect.stringContaining('fails in no way'),
    });
    expect(killpoint('reduce', bundle, '--state', empty(), '--promised', '9')).toMatchObject({
      code: 64,
      words: expect.stringContaining('with nothing lost, too'),
    });
  });
});
