/**
 * Durable steps: completed calls with grouped commits, against the bare insert loop; and the syncs that a call costs.
 *
 * Syncs are counted by the kernel's word: the difference between two traced processes that make few and many calls, so that
 * opening and closing cancel out.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCalls, openForCalls } from './calls.mjs';
import { bareDatabase } from './commits.js';
import { atLeast, inFolder, median, milliseconds, pairs, ratio, shortPairs, type Measured } from './measure.js';

const calls = 400;
const script = fileURLToPath(new URL('calls.mjs', import.meta.url));

/** One row of about the size that an event has. */
const bareRow = (seq: number) => [
  seq,
  'attempt.observed',
  'task-1',
  'call-5',
  'attempt-7',
  'compilation-3',
  'x'.repeat(250),
  '2026-01-01T00:00:00.000Z',
  'f'.repeat(64),
];

export async function measureDurableSteps(build: string): Promise<Measured[]> {
  return inFolder(async (folder) => {
    let name = 0;
    const stepSide = async (): Promise<number> => {
      const opened = await openForCalls(build, join(folder, `state-${name++}`));
      await makeCalls(opened, 0, 10);
      const time = await milliseconds(() => makeCalls(opened, 10, calls));
      opened.runtime.close();
      return time;
    };
    const bareSide = async (): Promise<number> => {
      const bare = bareDatabase(join(folder, `bare-${name++}.sqlite`));
      const time = await milliseconds(() => {
        for (let seq = 1; seq <= calls; seq++) bare.insert(bareRow(seq));
      });
      bare.close();
      return time;
    };
    await stepSide();
    await bareSide();
    const measured = await pairs(shortPairs, bareSide, stepSide);
    const perSecond = (side: 0 | 1): number => Math.round(calls / (median(measured.map((pair) => pair[side])) / 1000));
    return [
      atLeast('durable steps ÷ bare insert', ratio(measured), 0.3, `${perSecond(1)} and ${perSecond(0)} a second`),
      syncsPerCall(build, folder),
    ];
  });
}

function syncsPerCall(build: string, folder: string): Measured {
  const few = 20;
  const many = 220;
  const name = 'syncs a completed call';
  const available = spawnSync('strace', ['-o', '/dev/null', '-e', 'trace=fsync', process.execPath, '-e', '0'], {
    encoding: 'utf8',
  });
  if (available.error || available.status !== 0) {
    return { name, value: NaN, bound: '= 2', passed: false, detail: 'strace cannot be used here, so nothing was counted' };
  }
  const counts = [few, many].map((count) => {
    const trace = join(folder, `trace-${count}`);
    const args = [
      '-f',
      '-o',
      trace,
      '-e',
      'trace=fsync,fdatasync',
      process.execPath,
      script,
      build,
      join(folder, `traced-${count}`),
      String(count),
    ];
    const run = spawnSync('strace', args, { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`The traced calls failed: ${run.stderr}`);
    return readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => /\b(fsync|fdatasync)\(\d+\)\s+= 0/.test(line)).length;
  });
  const [before = 0, after = 0] = counts;
  const value = (after - before) / (many - few);
  // A checkpoint of SQLite's log syncs too, once in some hundred calls: that is not a sync of a call.
  return {
    name,
    value,
    bound: '= 2',
    passed: value >= 1.99 && value < 2.1,
    detail: `${before} in ${few} calls, ${after} in ${many}`,
  };
}
