/**
 * What a power loss may leave of a log, as a model: everything that was synced, and of the rest any part, in any order.
 *
 * A reader must find every frame that was acknowledged and must not call it damage, whatever became of the rest. This is a model of lost
 * writes, applied to a real file; no disk is made to lose any.
 */
import * as fs from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Frame } from '../core/records.js';
import { SessionLog } from './session-log.js';
import { create, logPath, queued, read, stepStarted, steered, type Watched, watch } from './testing/log.js';

/** Drafts by their size and whether they are synced: tenures of barriers of frames. */
const script = fc.array(
  fc.array(fc.record({ sizes: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 4 }), sync: fc.boolean() }), {
    minLength: 2,
    maxLength: 4,
  }),
  { minLength: 1, maxLength: 2 },
);
/** Where in the un-synced rest power is lost, and which blocks of it are on the disk. */
const loss = fc.record({ cut: fc.nat(), pattern: fc.nat(), block: fc.constantFrom(64, 512, 4096) });

interface Written {
  folder: string;
  bytes: Buffer;
  /** After each write: how much of the file is durable, how long it is, and how many frames were acknowledged. */
  moments: { durable: number; size: number; acknowledged: number }[];
}

function write(tenures: { sizes: number[]; sync: boolean }[][]): Written {
  const { folder, path, log: first } = create();
  first.close();
  const moments: Written['moments'] = [];
  for (const tenure of tenures) {
    let acknowledged = 0;
    let durable = fs.statSync(path).size;
    const { files }: Watched = watch({
      // The moment between the write and its sync.
      fdatasyncSync: (real) => {
        moments.push({ durable, size: fs.statSync(path).size, acknowledged });
        real();
        durable = fs.statSync(path).size;
      },
    });
    const frames: Frame[] = [];
    const log = SessionLog.open(folder, { files, onFrame: (frame) => void frames.push(frame) });
    acknowledged = frames.length;
    for (const { sizes, sync } of tenure) {
      log.append(
        sizes.map((size) =>
          size % 3 === 0 ? stepStarted(size + 2) : size % 3 === 1 ? queued('m-1', 'x'.repeat(size)) : steered('é'.repeat(size)),
        ),
        { sync },
      );
      if (sync) acknowledged = log.lastSeq;
      moments.push({ durable, size: fs.statSync(path).size, acknowledged });
    }
    log.close();
  }
  return { folder, bytes: fs.readFileSync(path), moments };
}

/** A coin for each block. */
function isLost(block: number, pattern: number): boolean {
  return ((Math.imul(block ^ pattern, 0x9e3779b1) >>> 15) & 1) === 1;
}

test('no acknowledged frame is lost, and no lost write passes for damage', () => {
  let torn = 0;
  fc.assert(
    fc.property(script, fc.array(loss, { minLength: 5, maxLength: 5 }), (tenures, losses) => {
      const { folder, bytes, moments } = write(tenures);
      for (const { durable, size, acknowledged } of moments)
        for (const { cut, pattern, block } of losses) {
          const length = durable + (cut % (size - durable + 1));
          const left = Buffer.from(bytes.subarray(0, length));
          for (let at = durable - (durable % block); at < length; at += block)
            if (isLost(at / block, pattern)) left.fill(0, Math.max(at, durable), Math.min(at + block, length));
          fs.writeFileSync(logPath(folder), left);
          const { frames, tornBytes } = read(folder);
          if (frames.length < acknowledged) expect(frames.length).toBe(acknowledged);
          torn += tornBytes > 0 ? 1 : 0;
        }
    }),
    { numRuns: 6 },
  );
  expect(torn).toBeGreaterThan(10);
});
