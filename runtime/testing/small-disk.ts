/** Small disks for one test file: a file system in memory that is full after some pages, with a ballast that can be thrown off. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { available } from './mechanism.js';

export interface SmallDisk {
  /** Where a state folder may be made. */
  readonly folder: string;
  /** Leaves so much room, in bytes. */
  fill(spare: number): void;
  free(): void;
}

const mounted: string[] = [];

function mount(kibibytes: number): string {
  const path = mkdtempSync(join(tmpdir(), 'killpoint-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'killpoint-test', path], { stdio: 'pipe' });
  mounted.push(path);
  return path;
}

function canMount(): boolean {
  try {
    mount(4);
    return true;
  } catch {
    return false;
  }
}

/** Mounting needs root. */
export const smallDisks = available('a file system of its own', canMount());

export function smallDisk(kibibytes: number): SmallDisk {
  const path = mount(kibibytes);
  const ballast = join(path, 'ballast');
  return {
    folder: join(path, 'state'),
    fill: (spare) => {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(ballast, Buffer.alloc(Math.max(bavail * bsize - spare, 0)));
    },
    free: () => rmSync(ballast),
  };
}

afterAll(() => {
  for (const path of mounted.splice(0)) {
    // A test that failed may have files open there.
    execFileSync('umount', ['--lazy', path]);
    rmSync(path, { recursive: true });
  }
});
