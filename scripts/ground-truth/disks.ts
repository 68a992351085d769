/**
 * File systems of one's own: an image in a file, mounted by a loop device; and what is on it after the power went, which is a copy of the
 * image as it is, with nothing synced, mounted elsewhere so that the journal is replayed.
 *
 * Whatever happens, nothing stays mounted: `release` takes off all that was mounted, the last one first.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasProgram, lackingForImages, systemFolders } from '../../harness/probe/loop.js';

export type FileSystem = 'ext4' | 'xfs';

const image: Readonly<Record<FileSystem, { size: string; make: string[]; mount: string; again: string }>> = {
  // No commit of the journal but by a sync: what came by itself would only hide what may be lost.
  ext4: { size: '64M', make: ['mkfs.ext4', '-q', '-F'], mount: 'loop,commit=300', again: 'loop' },
  // A copy has the same UUID.
  xfs: { size: '320M', make: ['mkfs.xfs', '-q', '-f'], mount: 'loop', again: 'loop,nouuid' },
};

export interface Disk {
  /** A folder on it, empty and durable. */
  readonly state: string;
  /**
   * Somebody else writes a file on the disk and syncs it, as any program of a machine may: the file system may make durable with it what nobody
   * asked it to.
   */
  syncAnother(): void;
  /** The power goes: the durable files of the folder as they are found afterwards. The disk itself is gone then. */
  powerOff(read: (folder: string) => void): void;
}

export interface Disks {
  make(fileSystem: FileSystem): Disk;
  release(): void;
}

/** Why there can be none here, in the words of `killpoint doctor`; null where there can. */
export function whyNoDisks(): string | null {
  const lacking = [...lackingForImages(), ...(hasProgram('strace') ? [] : ['strace is not installed (Debian: strace)'])];
  return lacking.length === 0 ? null : lacking.join(', ');
}

export function createDisks(folder: string): Disks {
  const mounted: string[] = [];
  let count = 0;
  let over = false;
  const mount = (options: string, file: string, at: string): void => {
    if (over) throw new Error('The disks are released.');
    mkdirSync(at, { recursive: true });
    run('mount', '-o', options, file, at);
    mounted.push(at);
  };
  const unmount = (at: string): void => {
    run('umount', at);
    mounted.splice(mounted.lastIndexOf(at), 1);
  };
  return {
    make: (fileSystem) => {
      const { size, make, mount: options, again } = image[fileSystem];
      const home = join(folder, `disk-${++count}`);
      const [file, copy, live, after] = ['image', 'copy', 'live', 'after'].map((name) => join(home, name)) as [
        string,
        string,
        string,
        string,
      ];
      mkdirSync(home, { recursive: true });
      run('truncate', '-s', size, file);
      run(make[0] ?? '', ...make.slice(1), file);
      mount(options, file, live);
      const state = join(live, 'state');
      mkdirSync(state);
      run('sync', '-f', live);
      return {
        state,
        syncAnother: () => writeFileSync(join(live, 'another'), 'of somebody else', { flush: true }),
        powerOff: (read) => {
          run('cp', '--sparse=always', file, copy);
          mount(again, copy, after);
          try {
            read(join(after, 'state'));
          } finally {
            unmount(after);
            unmount(live);
            rmSync(home, { recursive: true });
          }
        },
      };
    },
    release: () => {
      over = true;
      for (const at of mounted.splice(0).reverse()) {
        try {
          run('umount', at);
        } catch {
          // Somebody still holds it: it goes when they do.
          run('umount', '-l', at);
        }
      }
    },
  };
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: [process.env.PATH ?? '', ...systemFolders].join(':') },
  });
}
