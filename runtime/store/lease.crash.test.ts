/**
 * Half-way locks. An exclusive lock of SQLite is taken in steps, the first of which is a shared one: a racer that is at that step, or
 * somebody who only looks whether an owner lives, must not pass for an owner. Found by racing two processes: in up to 5 of 100
 * rounds each stopped the other and nobody won. Here the step is held still by a process, so that the meeting is no chance.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Lease, leaseName } from './lease.js';

const atTheFirstStep = `
const { default: Database } = await import('better-sqlite3');
const database = new Database(process.argv[1]);
database.exec('BEGIN');
database.prepare('SELECT count(*) FROM sqlite_schema').get();
console.log('held');
setTimeout(() => database.close(), Number(process.argv[2]));
`;

async function meeting(heldMs: number): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'killpoint-lease-'));
  Lease.take(directory).release();
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', atTheFirstStep, join(directory, leaseName), String(heldMs)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  try {
    Lease.take(directory).release();
    return 'taken';
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

test('who meets a racer half-way waits for its step, and wins', async () => {
  expect(await meeting(60)).toBe('taken');
});

test('who stays half-way is an owner: the wait has an end', async () => {
  expect(await meeting(10_000)).toBe('owner-alive');
});
