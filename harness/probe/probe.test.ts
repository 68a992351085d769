import { describe, expect, it } from 'vitest';
import { ownCgroup } from '../process/cgroup.js';
import { fileSystemOf, isUnsafeFileSystem } from './file-system.js';
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
