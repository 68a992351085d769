/**
 * cgroup v2: can this process make one, enter it and come back? Tried for real, since a writable mount tells little.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createCgroup, inside, ownCgroup } from '../process/cgroup.js';
import type { Check } from './check.js';

export interface CgroupProbe {
  readonly check: Check;
  /** Where cgroups can be made; null where they cannot. */
  readonly home: string | null;
}

export function probeCgroup(): CgroupProbe {
  const without = (why: string): CgroupProbe => ({
    home: null,
    check: {
      name: 'cgroup_v2',
      available: false,
      weight: 'used',
      detail: `${why}; a process that leaves its group by setsid is looked for by its environment instead`,
    },
  });
  try {
    const home = ownCgroup();
    if (home === null) return without('no cgroup v2 is mounted');
    const cgroup = createCgroup(home, `killpoint-probe-${process.pid}`);
    try {
      if (!existsSync(join(cgroup.path, 'cgroup.kill'))) return without('this kernel has no cgroup.kill');
      inside(cgroup, home, () => undefined);
    } finally {
      cgroup.remove();
    }
    return {
      home,
      check: {
        name: 'cgroup_v2',
        available: true,
        weight: 'used',
        detail: 'each role runs in a cgroup of its own and dies with it',
      },
    };
  } catch (error) {
    return without(`cgroups cannot be made here (${(error as NodeJS.ErrnoException).code ?? 'failed'})`);
  }
}
