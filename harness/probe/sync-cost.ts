/**
 * What a sync costs under a path. A disk takes its time: where a small file is synced in some microseconds, none is behind it (a file system in
 * memory), or it says that it has written what it has not. Kills tell nothing of that; a power loss would.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../errors.js';
import { nearestExisting } from '../io/out.js';
import { makeWorkFolder } from '../io/work-folder.js';
import type { Check } from './check.js';

/** As many as tell a median from chance, and no more than a slow disk can do while somebody waits. */
const most = 33;
const longestMs = 2000;
/** What goes to a disk and comes back takes longer, on the fastest of them. */
const leastMicroseconds = 20;

export interface SyncCost {
  readonly median_us: number;
  readonly syncs: number;
}

/** Each a byte more of one small file, which is gone afterwards. */
export function syncCostAt(folder: string): SyncCost {
  const home = makeWorkFolder(folder, '.killpoint-sync');
  try {
    const descriptor = openSync(join(home.path, 'probe'), 'wx');
    try {
      return medianOf(timed(descriptor));
    } finally {
      closeSync(descriptor);
    }
  } finally {
    home.remove();
  }
}

function timed(descriptor: number): number[] {
  const end = performance.now() + longestMs;
  const costs: number[] = [];
  while (costs.length < most && (costs.length === 0 || performance.now() < end)) {
    writeSync(descriptor, 'x');
    const began = process.hrtime.bigint();
    fsyncSync(descriptor);
    costs.push(Number(process.hrtime.bigint() - began) / 1000);
  }
  return costs;
}

function medianOf(costs: readonly number[]): SyncCost {
  const sorted = [...costs].sort((left, right) => left - right);
  return { median_us: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0), syncs: costs.length };
}

export function probeSyncCost(path: string, measure = syncCostAt): Check & Partial<SyncCost> {
  const named = { name: 'sync_cost', weight: 'information' } as const;
  try {
    const cost = measure(nearestExisting(path));
    const said = `a sync of a small file takes ${cost.median_us} \u00b5s (median of ${cost.syncs})`;
    const isPaid = cost.median_us >= leastMicroseconds;
    const warning = 'no disk is that fast: it lies in memory, or says that it wrote what it has not';
    return { ...named, available: isPaid, detail: isPaid ? said : `${said}: ${warning}`, ...cost };
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    return { ...named, available: false, detail: `no file could be synced under the output folder (${code})` };
  }
}
