/**
 * What a fuzzer found once is read by every run of the tests from then on, by the readers as they stand; and so is what it
 * begins with.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bagProblems } from '../../verifier/read/bag.js';
import { readPlan } from '../../verifier/read/plan-file.js';
import { readReceipts } from '../../verifier/read/receipts.js';
import { readSessionLog } from '../../verifier/read/session-log.js';
import { mergeWal } from '../../verifier/read/wal.js';
import { seeds } from './seeds.js';
import * as bag from './targets/bag.js';
import * as frames from './targets/frames.js';
import * as ledger from './targets/ledger.js';
import { filesIn } from './targets/ledger.js';
import * as plan from './targets/plan.js';
import * as receipts from './targets/receipts.js';

const targets: Readonly<Record<string, { fuzz(input: Buffer): void }>> = { bag, frames, ledger, plan, receipts };
const kept = 'scripts/fuzz/corpus';

describe.each(Object.entries(targets))('%s', (name, { fuzz }) => {
  it('reads what was found before', () => {
    const folder = join(kept, name);
    for (const file of existsSync(folder) ? readdirSync(folder) : []) fuzz(readFileSync(join(folder, file)));
  });

  it('reads what a fuzzer begins with, and it reaches the reader', () => {
    const all = seeds[name]?.() ?? [];
    expect(all.length).toBeGreaterThan(0);
    for (const bytes of all) fuzz(bytes);
  });
});

/** What is refused at the door is no beginning: chance would have to repair it first. */
it.each<[string, (bytes: Buffer) => unknown]>([
  ['frames', (bytes) => expect(readSessionLog(bytes).frames.length).toBeGreaterThan(0)],
  ['ledger', (bytes) => mergeWal(...filesIn(bytes))],
  ['receipts', (bytes) => expect(readReceipts(bytes).lineCount).toBeGreaterThan(0)],
  ['bag', (bytes) => expect(bagProblems({ files: bag.filesIn(bytes), forbidden: [], unreadable: [] })).toEqual([])],
  ['plan', readPlan],
])('the seeds of %s are taken by its reader', (name, read) => {
  for (const bytes of seeds[name]?.() ?? []) read(bytes);
});

it('one seed of the ledger is a log that the merge takes whole', () => {
  const merged = (seeds['ledger']?.() ?? []).map((bytes) => mergeWal(...filesIn(bytes)));
  expect(merged.map(({ frames, commits }) => [frames, commits])).toContainEqual([4, 2]);
});

it('every target has its seeds', () => expect(Object.keys(seeds).sort()).toEqual(Object.keys(targets).sort()));
