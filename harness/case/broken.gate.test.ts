/** Subjects that break a rule, as in `case.crash.test.ts`: the other ways to do so. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../run.js';
import { expectVoid, runWithBroken } from '../testing/broken.js';
import { atIntent, killedCase, readJson, restart } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';

const stand = standForRuns();
const behaviours: [string, string][] = [
  ['exits-at-the-checkpoint', 'exited-before-kill'],
  ['never-announces', 'checkpoint-deadline'],
  ['another-pid', 'kill-not-proven'],
  ['another-checkpoint', 'kill-not-proven'],
  ['announces-twice', 'kill-not-proven'],
  ['floods-descriptor-3', 'kill-not-proven'],
  ['answer-is-a-link', 'harness-error'],
  ['answer-is-a-fifo', 'harness-error'],
  ['state-holds-a-fifo', 'harness-error'],
];
let result: RunResult;

beforeAll(async () => {
  result = await runWithBroken(stand, behaviours, [
    killedCase('hangs', 'good', atIntent, [
      { ...restart('arm'), scenario: 'hangs' },
      { ...restart('later'), from: 'arm' },
      restart('other'),
    ]),
    killedCase('floods', 'floods-stderr'),
    killedCase('deaf', 'ignores-SIGTERM'),
  ]);
});

it.each(behaviours)('%s: void, %s', (behaviour, reason) => expectVoid(result, behaviour, reason));

it('an arm that hangs voids its case; what stands on it does not run, its neighbour does', () => {
  expect(result.voids.filter((one) => one.case === 'hangs')).toMatchObject([{ snapshot: 'arm', reason: 'role-deadline' }]);
  expect(readJson(result.bundle, 'data', 'cases', 'hangs', 'case.json')).toMatchObject({
    snapshots: ['producer', 'arm', 'other'],
  });
});

it('keeps the beginning of a flood of words, and says that there was more', () => {
  const words = readFileSync(join(result.bundle, 'data', 'cases', 'floods', 'producer', 'stderr.log'), 'utf8');
  expect(words.length).toBeLessThan(300_000);
  expect(words).toMatch(/^x{1000,}\n\(more was written than is kept\)\n$/);
});

it('does not touch the cases beside it', () => {
  expect(result.voids.map((one) => one.case).sort()).toEqual([...behaviours.map(([behaviour]) => behaviour), 'hangs'].sort());
});
