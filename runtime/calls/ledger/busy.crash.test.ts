/** A writer that waits is not a failure: another process holds the ledger while the response of a call is to be recorded. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answered, newFolder, open, prepare, types } from '../testing/folder.js';

const heldMs = 3_000;
const holding = `
const database = new (require('better-sqlite3'))(process.argv[1]);
database.exec('BEGIN IMMEDIATE');
require('fs').writeSync(1, 'held');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${heldMs});
database.exec('ROLLBACK');`;

test('the observation lands when the other is done, and nothing is sent again', async () => {
  const directory = newFolder();
  let holder: ChildProcess | null = null;
  let sent = 0;
  const transport = async () => {
    sent += 1;
    holder = spawn(process.execPath, ['-e', holding, join(directory, 'ledger.sqlite')], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout!, 'data');
    return answered;
  };
  const runtime = open(directory, { transport });
  const wanted = prepare(runtime);
  const began = performance.now();
  expect(await runtime.call(wanted)).toMatchObject({ outcome: 'succeeded' });
  expect(performance.now() - began).toBeGreaterThan(heldMs - 500);
  expect([sent, types(runtime).at(-1)]).toEqual([1, 'call.completed']);
  runtime.close();
  if (holder !== null && (holder as ChildProcess).exitCode === null) await once(holder, 'exit');
});
