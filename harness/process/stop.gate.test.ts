/** A role that makes children all the time is stopped whole, at whatever moment it is told to. */
import { expect, it } from 'vitest';
import { isStopped, resume, stop } from './stop.js';
import { spawnRole } from './spawn.js';
import type { Watchdog } from './watchdog-client.js';

const nobody = (): void => undefined;
const watchdog: Watchdog = { expect: nobody, started: nobody, gone: nobody, end: () => Promise.resolve(), pid: 1 };

/** Node, parked for good, over a shell that makes one child after the other: a stop often falls between a vfork and its exec. */
const program = `
const { spawn } = require('node:child_process');
for (let index = 0; index < 3; index += 1) spawn('sh', ['-c', 'while :; do /bin/true; done'], { stdio: 'ignore' });
setInterval(() => {}, 1000);
process.stdout.write('.');`;

it('a shell that was stopped while it waited for its child is no reason to say that the role did not stop', async () => {
  const role = spawnRole({
    file: process.execPath,
    args: ['-e', program],
    folder: '/',
    environment: {},
    cgroupHome: null,
    watchdog,
  });
  try {
    for (let round = 0; round < 30; round += 1) {
      expect(await stop(role, 4000), `round ${round}`).toBe(true);
      expect(isStopped(role)).toBe(true);
      resume(role);
    }
  } finally {
    process.kill(-role.pgid, 'SIGKILL');
    await role.exited;
    role.release();
  }
});
