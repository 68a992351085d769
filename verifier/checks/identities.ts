/**
 * Who had which identity first, over the whole bundle, in the order of the plan: processes (pid with start time) and nonces. Cases
 * run side by side, so one process in two cases is as wrong as one in two snapshots.
 */
import type { Bundle, Snapshot } from '../read/bundle.js';
import type { RoleEvidence } from '../read/role.js';

export type Part = RoleEvidence | 'inspector';

interface Holder {
  readonly snapshot: Snapshot;
  readonly part: Part;
}

const known = new WeakMap<Bundle, ReadonlyMap<string, Holder>>();

export function firstHolder(bundle: Bundle, identity: string): Holder | undefined {
  const before = known.get(bundle);
  if (before !== undefined) return before.get(identity);
  const holders = new Map<string, Holder>();
  const hold = (name: string, holder: Holder): void => void (holders.has(name) ? null : holders.set(name, holder));
  for (const snapshot of bundle.cases.flatMap(({ snapshots }) => snapshots)) {
    const { roles, inspector } = snapshot;
    for (const role of roles) {
      const record = role.process.value;
      if (record === undefined) continue;
      hold(processName(record), { snapshot, part: role });
      hold(nonceName(record), { snapshot, part: role });
    }
    if (inspector.value !== undefined) hold(processName(inspector.value), { snapshot, part: 'inspector' });
  }
  known.set(bundle, holders);
  return holders.get(identity);
}

export function processName({ pid, start_time_ticks: started }: { pid: number; start_time_ticks: string }): string {
  return `process ${pid}@${started}`;
}

export function nonceName({ nonce }: { nonce: string }): string {
  return `nonce ${nonce}`;
}
