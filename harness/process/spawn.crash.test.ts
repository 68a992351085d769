/**
 * The harness's first mark of a role is a lower bound: nothing that the role does can be seen before it.
 */
import { expect, it } from 'vitest';
import { spawnRole } from './spawn.js';
import type { Watchdog } from './watchdog-client.js';

const nobody = (): void => undefined;
const watchdog: Watchdog = { expect: nobody, started: nobody, gone: nobody, end: () => Promise.resolve(), pid: 1 };

it('marks a role as spawned before it is there: a busy machine may let the child work before the harness runs again', async () => {
  let asked = 0n;
  const environment = {
    // Read while the child is being made.
    get KILLPOINT_SCENARIO(): string {
      asked = process.hrtime.bigint();
      return 'none';
    },
  };
  const role = spawnRole({
    file: process.execPath,
    args: ['-e', ''],
    folder: '/',
    environment,
    cgroupHome: null,
    watchdog,
  });
  expect(await role.exited).toEqual({ code: 0, signal: null });
  await role.silent;
  role.release();
  const [spawned] = role.timeline.entries;
  expect(spawned?.what).toBe('spawned');
  expect(asked).toBeGreaterThan(0n);
  expect(BigInt(spawned?.monotonic_ns ?? '0')).toBeLessThanOrEqual(asked);
});
