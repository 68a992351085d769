/** The size limit of a session: what it refuses, and that there is always room for a proper end. */
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { sessionLogV1 } from '../../contract/data.js';
import type { Draft } from '../core/records.js';
import { Budget } from './budget.js';
import { SessionLog } from './session-log.js';
import {
  batchFinished,
  codeOf,
  create,
  queued,
  read,
  result,
  runFinished,
  steered,
  stepWithCalls,
  turnFinished,
  types,
  watch,
} from './testing/log.js';

const ceilingBytes = 200_000;
const {
  lineage_bytes: lineage,
  closing_bytes: closing,
  closing_bytes_per_call: perCall,
  terminal_bytes: end,
} = sessionLogV1.reserve;
const kept = lineage + closing + end;

/** Appends messages of 3 kB, then ever smaller ones, until nothing fits. */
function fill(log: SessionLog): void {
  for (const size of [3000, 300, 30, 1])
    for (let index = 0; log.admits([queued('m-0', 'x'.repeat(size))]); index += 1)
      log.append([queued(`m-${index}`, 'x'.repeat(size))], { sync: false });
}

const size = (path: string): number => fs.statSync(path).size;

test('a log is filled up to what is kept, and not one byte further', () => {
  const { path, log } = create({ ceilingBytes });
  fill(log);
  expect(size(path)).toBeLessThanOrEqual(ceilingBytes - kept);
  // The place of a frame is not known before, so up to 50 bytes for each are given away; the smallest frame has about 200.
  expect(size(path)).toBeGreaterThan(ceilingBytes - kept - 300);
  log.close();
});

test('a refusal writes nothing, raises nothing, and the log goes on', () => {
  const { files, calls } = watch();
  const { folder, path, log } = create({ ceilingBytes, files });
  fill(log);
  calls.length = 0;
  const before = size(path);
  for (const draft of [queued('m-0', 'x'.repeat(5000)), steered('x'.repeat(5000))])
    expect(codeOf(() => log.append([draft], { sync: true }))).toBe('session-too-large');
  expect([calls, size(path), fs.existsSync(`${folder}/wal-feature-floor`)]).toEqual([[], before, false]);
  expect(log.append([runFinished], { sync: true })).toHaveLength(1);
  log.close();
  expect(types(folder).at(-1)).toBe('run_finished');
});

test('under each, a group is admitted whole or not at all', () => {
  const { path, log } = create({ ceilingBytes, commit: 'each' });
  const third = queued('m-1', 'x'.repeat(Math.floor((ceilingBytes - kept) / 3)));
  const before = size(path);
  expect(codeOf(() => log.append([third, third, third], { sync: true }))).toBe('session-too-large');
  expect(size(path)).toBe(before);
  log.append([third, third], { sync: true });
  log.close();
});

test('under each, a listener cannot take the room that was promised', () => {
  let refused = 0;
  const { folder, log } = create({
    ceilingBytes,
    commit: 'each',
    onCommitted: ([frame]) => {
      if (frame?.type !== 'queued') return;
      try {
        log.append([{ type: 'retracted', payload: { submission_id: 'x'.repeat(128) } }], { sync: true });
      } catch {
        refused += 1;
      }
    },
  });
  // Two that fit to the last few bytes: no room for anything between them.
  const half = (ceilingBytes - kept - size(`${folder}/session.wal`)) / 2;
  const one = queued('m-1', 'x'.repeat(Math.floor(half) - 260));
  expect(log.append([one, one], { sync: true })).toHaveLength(2);
  expect([refused, types(folder)]).toEqual([2, ['lineage', 'queued', 'queued']]);
  log.close();
});

/** What a close-out appends of a batch with that many calls, in the longest ids that there are. */
function closeOut(calls: number): Draft[] {
  const results = Array.from({ length: calls }, (_, index) =>
    result(`call-${index}-${'x'.repeat(100)}`, sessionLogV1.texts.unknown, 'unknown'),
  );
  return [...results, batchFinished, turnFinished];
}

test.each([1, 8, 40])(
  'a step with %i calls is admitted only where they can still be closed out, also after two further tenures',
  (calls) => {
    const { folder, path, log } = create({ ceilingBytes });
    log.append([stepWithCalls(calls)], { sync: true });
    fill(log);
    expect(size(path)).toBeLessThanOrEqual(ceilingBytes - kept - calls * perCall);
    const output = result('call-0', 'x'.repeat(5000));
    expect(codeOf(() => log.append([output], { sync: true }))).toBe('session-too-large');
    // Its place is kept, for a word that it is not.
    expect(log.append([result('call-0', sessionLogV1.texts.too_large)], { sync: true, closing: true })).toHaveLength(1);
    log.close();

    const second = SessionLog.open(folder, { ceilingBytes });
    expect(second.admits([queued('m-9', 'x'.repeat(5000))])).toBe(false);
    second.append(closeOut(calls - 1), { sync: true, closing: true });
    second.close();
    const third = SessionLog.open(folder, { ceilingBytes });
    third.close();
    const fourth = SessionLog.open(folder, { ceilingBytes });
    fourth.append([runFinished], { sync: true, closing: true });
    fourth.close();
    expect(size(path)).toBeLessThanOrEqual(ceilingBytes);
    expect(read(folder).frames.filter(({ type }) => type === 'lineage')).toHaveLength(3);
  },
);

test('a step that would leave its own calls no room is not admitted', () => {
  const { log } = create({ ceilingBytes: kept + 10 * perCall });
  expect([log.admits([stepWithCalls(2)]), log.admits([stepWithCalls(40)])]).toEqual([true, false]);
  log.close();
});

test('a close-out leaves the end its room, and the end may have the last byte', () => {
  const { path, log } = create({ ceilingBytes });
  const rest = (): number => ceilingBytes - size(path);
  expect(log.admits([queued('m-1', 'x'.repeat(rest() - end))], true)).toBe(false);
  expect(log.admits([queued('m-1', 'x'.repeat(rest() - end - 300))], true)).toBe(true);
  log.append([queued('m-1', 'x'.repeat(rest() - end - 300))], { sync: true, closing: true });
  expect(log.admits([queued('m-2')], true)).toBe(false);
  expect(log.admits([runFinished])).toBe(true);
  log.close();
});

test('no ceiling is above that of the contract', () => {
  const limit = sessionLogV1.ceiling_bytes - kept;
  for (const ceiling of [null, 2 ** 40]) {
    const budget = new Budget(ceiling);
    expect([budget.admits(limit, [], false), budget.admits(limit + 1, [], false)]).toEqual([true, false]);
  }
});
