import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownCgroup } from '../process/cgroup.js';
import { fileSystemOf, isUnsafeFileSystem } from './file-system.js';
import { probeIsolation } from './isolation.js';
import { loopDevices } from './loop.js';
import { readiness } from './readiness.js';
import { probeSyncCost, syncCostAt } from './sync-cost.js';
import { probeTracing } from './tracing.js';
import { hasWalResetDefect } from './versions.js';

const mounts = [
  'overlay / overlay rw 0 0',
  'tmpfs /tmp tmpfs rw 0 0',
  'host /shared virtiofs rw 0 0',
  '/dev/vdb /shared/disk ext4 rw 0 0',
  'share /shared/disk/inner 9p rw 0 0',
  'srv:/x /nfs nfs4 rw 0 0',
  'ssh /home/a\\040b fuse.sshfs rw 0 0',
  '/dev/vdc /twice ext4 rw 0 0',
  'host /twice virtiofs rw 0 0',
].join('\n');

describe('the file system of a path', () => {
  it.each([
    ['/var/lib', 'overlay', false],
    ['/tmp', 'tmpfs', false],
    ['/tmpfoo', 'overlay', false],
    ['/shared/x', 'virtiofs', true],
    ['/shared/disk/x', 'ext4', false],
    ['/shared/disk/inner', '9p', true],
    ['/nfs/deep/er', 'nfs4', true],
    ['/home/a b/c', 'fuse.sshfs', true],
    ['/twice/x', 'virtiofs', true],
  ])('of %s is %s, by the longest mount prefix and the latest mount', (path, type, unsafe) => {
    expect(fileSystemOf(path, mounts)).toBe(type);
    expect(isUnsafeFileSystem(type)).toBe(unsafe);
  });
});

describe('the WAL-reset defect', () => {
  it.each([
    ['3.40.1', true],
    ['3.44.5', true],
    ['3.44.6', false],
    ['3.50.6', true],
    ['3.50.7', false],
    ['3.51.2', true],
    ['3.51.3', false],
    ['3.53.2', false],
    ['4.0.0', false],
  ])('of SQLite %s: %s', (version, defect) => {
    expect(hasWalResetDefect(version)).toBe(defect);
  });
});

describe('the cgroup of this process', () => {
  it('is found through the v2 mount, wherever it is', () => {
    expect(ownCgroup('cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n', '1:cpu:/a\n0::/user/x\n')).toBe(
      '/sys/fs/cgroup/unified/user/x',
    );
  });

  it('is none where only v1 is mounted', () => {
    expect(ownCgroup('cgroup /sys/fs/cgroup/cpu cgroup rw 0 0\n', '1:cpu:/a\n')).toBeNull();
  });
});

describe('a sync', () => {
  it('is measured on a small file, which is gone afterwards', () => {
    const folder = mkdtempSync(join(tmpdir(), 'killpoint-probe-'));
    expect(syncCostAt(folder).syncs).toBe(33);
    expect(readdirSync(folder)).toEqual([]);
    rmdirSync(folder);
  });

  it.each([
    [3, false, /takes 3 \u00b5s \(median of 33\): no disk is that fast/],
    [19, false, /no disk is that fast/],
    [20, true, /takes 20 \u00b5s \(median of 33\)$/],
    [4210, true, /takes 4210 \u00b5s/],
  ])('that takes %i \u00b5s: is paid for: %s', (median, available, detail) => {
    const check = probeSyncCost('/', () => ({ median_us: median, syncs: 33 }));
    expect(check).toMatchObject({ available, median_us: median, detail: expect.stringMatching(detail) as string });
  });

  it('is measured where the folder would be made', () => {
    let asked = '';
    probeSyncCost('/nowhere/to/be/found', (folder) => ((asked = folder), { median_us: 50, syncs: 1 }));
    expect(asked).toBe('/');
  });

  it('of a folder in which no file can be made is said to be that', () => {
    const check = probeSyncCost('/', () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    });
    expect(check).toMatchObject({ available: false, detail: expect.stringMatching(/\(ENOSPC\)$/) as string });
  });
});

describe('the image of a file system', () => {
  it('can be mounted by root with a loop device and the programs', () => {
    const means = { isRoot: true, device: '/dev/null', has: () => true };
    expect(loopDevices(means)).toMatchObject({ available: true });
    expect(loopDevices({ ...means, isRoot: false }).detail).toMatch(/not root/);
    const lacking = loopDevices({ isRoot: false, device: '/nowhere', has: (program) => program === 'mount' });
    expect(lacking.available).toBe(false);
    expect(lacking.detail).toMatch(
      /not root, \/nowhere cannot be opened, mkfs\.ext4 is not installed \(.*\), mkfs\.xfs is not installed/,
    );
  });
});

describe('a program that is not installed', () => {
  it('is what is said to be missing, not what it would have tried', async () => {
    const [, user, network] = await probeIsolation('/nowhere/unshare');
    for (const check of [user, network])
      expect(check).toMatchObject({
        available: false,
        detail: expect.stringMatching(/not tried: unshare is not installed/) as string,
      });
    const [refused] = (await probeIsolation('/bin/false')).slice(1);
    expect(refused?.detail).toMatch(/cannot be made here/);
  });

  const lost = 'syscall-kill, io-fault and power-loss cannot be run';
  const next = `This machine can run plans, but ${lost}: cases with them would be void. Next:`;

  it('leaves every case void that is traced, power loss too, and is told with its package', async () => {
    const checks = await probeTracing('/nowhere/strace');
    expect(checks[0]?.detail).toBe(`strace is not installed (apt-get install strace): ${lost}, and cases with them are void`);
    expect(readiness(checks)).toBe(`${next} apt-get install strace`);
  });

  it('is no remedy where a tracer is there and may do nothing', async () => {
    const checks = await probeTracing('/bin/true');
    expect(checks[1]?.detail).toBe(`a child may not be traced, or nothing is done to it: ${lost}, and cases with them are void`);
    expect(readiness(checks)).toBe(`${next} allow ptrace here (in a container: --cap-add=SYS_PTRACE)`);
  });

  it('is told last only where nothing that is needed is missing', () => {
    const check = { name: 'strace', available: false, weight: 'used', detail: '' } as const;
    expect(readiness([check, { ...check, name: 'node', weight: 'needed' }])).toBe(
      'This machine cannot run plans: something that is needed is missing.',
    );
    expect(readiness([{ ...check, available: true }])).toBe('This machine can run plans.');
  });
});
