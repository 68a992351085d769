import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, open } from '../calls/testing/folder.js';
import { demandOwnFileSystem, fileSystemAt, isSharedFileSystem } from './file-system.js';

const mounted = (...mounts: [point: string, type: string][]): string =>
  mounts.map(([point, type]) => `none ${point} ${type} rw,relatime 0 0\n`).join('');

test.each<[string, string, [string, string][], string | null]>([
  [
    'ext4 inside virtiofs',
    '/share/disk/state',
    [
      ['/', 'overlay'],
      ['/share', 'virtiofs'],
      ['/share/disk', 'ext4'],
    ],
    null,
  ],
  [
    'virtiofs inside ext4',
    '/home/share/state',
    [
      ['/', 'ext4'],
      ['/home/share', 'virtiofs'],
    ],
    'virtiofs',
  ],
  [
    'beside virtiofs, with its name as a prefix',
    '/home/shared/state',
    [
      ['/', 'ext4'],
      ['/home/share', 'virtiofs'],
    ],
    null,
  ],
  [
    '9p',
    '/mnt/c/state',
    [
      ['/', 'ext4'],
      ['/mnt/c', '9p'],
    ],
    '9p',
  ],
  [
    'nfs4',
    '/net/state',
    [
      ['/', 'ext4'],
      ['/net', 'nfs4'],
    ],
    'nfs4',
  ],
  [
    'nfs',
    '/net',
    [
      ['/', 'ext4'],
      ['/net', 'nfs'],
    ],
    'nfs',
  ],
  [
    'cifs',
    '/net/state',
    [
      ['/', 'ext4'],
      ['/net', 'cifs'],
    ],
    'cifs',
  ],
  [
    'fuse.sshfs',
    '/far/state',
    [
      ['/', 'ext4'],
      ['/far', 'fuse.sshfs'],
    ],
    'fuse.sshfs',
  ],
  [
    'a local file system in user space',
    '/near/state',
    [
      ['/', 'ext4'],
      ['/near', 'fuse.fuse-overlayfs'],
    ],
    null,
  ],
  ['overlay', '/state', [['/', 'overlay']], null],
  [
    'tmpfs',
    '/tmp/state',
    [
      ['/', 'ext4'],
      ['/tmp', 'tmpfs'],
    ],
    null,
  ],
  [
    'mounted over later',
    '/net/state',
    [
      ['/', 'ext4'],
      ['/net', 'ext4'],
      ['/net', 'nfs4'],
    ],
    'nfs4',
  ],
  [
    'a mount point with a space',
    '/my net/state',
    [
      ['/', 'ext4'],
      ['/my\\040net', 'nfs4'],
    ],
    'nfs4',
  ],
  ['a kind that nobody knows', '/state', [['/', 'zonefs2']], null],
  ['no mount at all', '/state', [], null],
])('%s', (_name, path, mounts, refused) => {
  const type = fileSystemAt(path, mounted(...mounts));
  expect(type !== null && isSharedFileSystem(type) ? type : null).toBe(refused);
});

test('a link is followed to where it leads, also from a folder that is not there yet', () => {
  const folder = newFolder();
  const [real, link] = [join(folder, 'real'), join(folder, 'link')];
  mkdirSync(real, { recursive: true });
  symlinkSync(real, link);
  const table = mounted(['/', 'ext4'], [real, 'nfs4']);
  expect(() => demandOwnFileSystem(join(link, 'state'), table)).toThrow(
    expect.objectContaining({ code: 'file-system-unsafe', message: expect.stringContaining('is on nfs4') }),
  );
  expect(() => demandOwnFileSystem(folder, table)).not.toThrow();
});

test('the table of this machine is read where none is given, and lets a test folder pass', () => {
  const folder = newFolder();
  expect(() => demandOwnFileSystem(folder)).not.toThrow();
  open(folder).close();
});
