/**
 * Output commit as the kernel saw it: what was synced before the first byte to the provider left.
 *
 * Fault model: power loss, of which SIGKILL shows nothing. The system calls of a real producer are traced.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { available } from '../../testing/mechanism.js';
import { answers, startProvider } from '../../testing/provider.js';
import { emptyFolder, review, runRole } from '../../testing/roles.js';

const strace = available('strace', spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0);

test.skipIf(!strace).each(['each', 'grouped'] as const)(
  '%s: log, folder and parent are synced before the request leaves',
  async (commit) => {
    const provider = await startProvider(answers);
    const parent = emptyFolder();
    const state = join(parent, 'state');
    const trace = join(parent, 'trace');
    const through = ['strace', '-f', '-y', '-e', 'trace=openat,fsync,fdatasync,connect', '-o', trace];
    const role = await runRole({ role: 'produce', state, url: provider.url, scenario: { ...review, commit }, through });
    await provider.close();
    expect(role.answer?.status).toBe('completed');
    expect(existsSync(trace)).toBe(true);
    const lines = readFileSync(trace, 'utf8').split('\n');
    const place = (pattern: string, from = 0): number =>
      lines.findIndex((line, index) => index >= from && line.includes(pattern));
    const placeOfSync = (path: string, from = 0): number =>
      lines.findIndex((line, index) => index >= from && line.includes('sync(') && line.includes(`<${path}>)`));

    const logOpened = place(`"${state}/ledger.sqlite-wal"`);
    // The header of a new log has a sync of its own, after which SQLite syncs the folder by itself; ours must follow the commit.
    const headerSynced = placeOfSync(`${state}/ledger.sqlite-wal`, logOpened);
    const firstCommit = placeOfSync(`${state}/ledger.sqlite-wal`, headerSynced + 1);
    const left = place('connect(');
    expect(logOpened).toBeGreaterThan(0);
    expect(left).toBeGreaterThan(0);
    expect(placeOfSync(parent)).toBeLessThan(logOpened);
    const folderSynced = placeOfSync(state, firstCommit);
    expect(folderSynced).toBeGreaterThan(firstCommit);
    expect(folderSynced).toBeLessThan(left);
    // Each commit is one sync: 8 events one by one, or 4 recordings, the compilation and the intent in groups. SQLite's first frame
    // costs one more, for the header of its log.
    const syncsBefore = lines
      .slice(logOpened, left)
      .filter((line) => line.includes('sync(') && line.includes('ledger.sqlite-wal>)')).length;
    expect(syncsBefore).toBe((commit === 'each' ? 8 : 5) + 1);
  },
);
