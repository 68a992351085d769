/**
 * A real disk that is full in the middle of an append: part of the barrier is on it, space comes back, and the process lives on. It has lost
 * the right to append; the next one drops the part and goes on.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { smallDisk, smallDisks } from '../../testing/small-disk.js';
import { openSessionReader } from '../api/reader.js';
import { openSession } from '../api/session.js';
import { create, types } from '../testing/session.js';
import { startStrictProvider } from '../testing/strict-provider.js';

describe.runIf(smallDisks)('a session on a disk of 64 KiB', () => {
  // A page is 4096 bytes; the log is somewhere within its last one.
  test.each([0, 4096, 12_288])('of which %i bytes and a part of a page are left', async (spare) => {
    const provider = await startStrictProvider({ model: () => ({ text: 'Yes.' }) });
    const disk = smallDisk(64);
    const session = create(disk.folder, provider.url);
    expect(await session.send({ runId: 'run-a', text: 'Well?' })).toMatchObject({ status: 'finished' });
    const log = join(disk.folder, 'session.wal');
    const [asked, whole, before] = [provider.received.length, statSync(log).size, types(disk.folder)];
    disk.fill(spare);
    const text = 'x'.repeat(20_000);
    await expect(session.send({ runId: 'run-b', text })).rejects.toMatchObject({
      code: 'log-failed',
      message: expect.stringMatching(/\(ENOSPC after [1-9]\d* of \d+ bytes\)/) as string,
    });
    expect(statSync(log).size).toBeGreaterThan(whole);

    disk.free();
    // It says again what it could not make durable.
    await expect(session.send({ runId: 'run-c', text: 'Now?' })).rejects.toMatchObject({ code: 'log-failed' });
    await expect(session.recover()).rejects.toMatchObject({ code: 'log-failed' });
    session.close();
    expect(provider.received).toHaveLength(asked);
    const reader = openSessionReader(disk.folder);
    expect([reader.frames().map(({ type }) => type), reader.tornBytes > 0]).toEqual([before, true]);

    const next = openSession(disk.folder, { providerUrl: provider.url });
    expect(await next.send({ runId: 'run-b', text })).toMatchObject({ status: 'finished' });
    next.close();
    expect(openSessionReader(disk.folder).tornBytes).toBe(0);
    expect(provider.refused()).toEqual([]);
    await provider.close();
  });
});
