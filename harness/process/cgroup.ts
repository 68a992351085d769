/**
 * A cgroup (v2) for each role process, where the system lets us make one.
 *
 * It reaches what a process group does not: a `setsid` child. The harness enters the cgroup, spawns and leaves in one
 * synchronous step, so that the child is born inside and no other child can slip in. After `cgroup.kill` the kernel reports
 * `populated 0` by changing `cgroup.events`; that is awaited as an event.
 */
import { mkdirSync, readFileSync, rmdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Cgroup {
  readonly path: string;
  kill(): void;
  /** True as soon as nobody is left; false when the time is over. */
  emptied(timeoutMs: number): Promise<boolean>;
  members(): number[];
  remove(): void;
}

/** The cgroup that this process lives in: the place where new ones are made and to which it returns. Null without a v2 mount. */
export function ownCgroup(
  mounts = readFileSync('/proc/mounts', 'utf8'),
  own = readFileSync('/proc/self/cgroup', 'utf8'),
): string | null {
  const mount = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .find((fields) => fields[2] === 'cgroup2')?.[1];
  const path = /^0::(.*)$/m.exec(own)?.[1];
  return mount === undefined || path === undefined ? null : join(mount, path);
}

export function createCgroup(home: string, name: string): Cgroup {
  const path = join(home, name);
  mkdirSync(path);
  return openCgroup(path);
}

export function openCgroup(path: string): Cgroup {
  const populated = (): boolean => {
    try {
      return /^populated 1$/m.test(readFileSync(join(path, 'cgroup.events'), 'utf8'));
    } catch (error) {
      // Gone means empty: only an empty cgroup can be removed.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENODEV') return false;
      throw error;
    }
  };
  return {
    path,
    kill: () => writeFileSync(join(path, 'cgroup.kill'), '1'),
    members: () => readFileSync(join(path, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number),
    emptied: (timeoutMs) => untilEmpty(join(path, 'cgroup.events'), populated, timeoutMs),
    remove: () => rmdirSync(path),
  };
}

function untilEmpty(events: string, populated: () => boolean, timeoutMs: number): Promise<boolean> {
  if (!populated()) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const finish = (value: boolean): void => {
      watcher.close();
      clearTimeout(timer);
      resolve(value);
    };
    const look = (): void => {
      if (!populated()) finish(true);
    };
    const timer = setTimeout(() => finish(!populated()), timeoutMs);
    const watcher = watch(events, look);
    watcher.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    // The change may have come between the first look and the watch.
    look();
  });
}

/** Runs `spawn` with this process inside the cgroup, and comes back whatever happens. */
export function inside<T>(cgroup: Cgroup | null, home: string | null, spawn: () => T): T {
  if (cgroup === null || home === null) return spawn();
  const self = String(process.pid);
  writeFileSync(join(cgroup.path, 'cgroup.procs'), self);
  try {
    return spawn();
  } finally {
    writeFileSync(join(home, 'cgroup.procs'), self);
  }
}
