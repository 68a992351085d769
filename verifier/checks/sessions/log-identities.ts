/**
 * Which snapshot made a log of which identity first, over the whole bundle: an identity is drawn once, so two logs never share one, also where a
 * case has several because each of its producers began with nothing.
 */
import type { Bundle, Snapshot } from '../../read/bundle.js';
import type { RecordPayloads, SessionRecord } from '../../read/session-records.js';

const known = new WeakMap<Bundle, ReadonlyMap<string, string>>();

export function identityHolder(bundle: Bundle, identity: string): string | undefined {
  const holders = known.get(bundle) ?? holdersIn(bundle);
  known.set(bundle, holders);
  return holders.get(identity);
}

function holdersIn({ cases }: Bundle): ReadonlyMap<string, string> {
  const holders = new Map<string, string>();
  for (const snapshot of cases.flatMap(({ snapshots }) => snapshots)) {
    const identity = lineageIn(snapshot.log.value?.records ?? [])?.identity;
    if (identity !== undefined && !holders.has(identity)) holders.set(identity, makerOf(snapshot));
  }
  return holders;
}

/** The snapshot that made the log which this one has: the first of its line that has one. */
export function makerOf({ lineage, caseId, name }: Snapshot): string {
  const maker = lineage.find(({ log }) => lineageIn(log.value?.records ?? []) !== undefined);
  return `${caseId}/${maker?.name ?? name}`;
}

/** How a log names itself first. */
export function lineageIn(records: readonly SessionRecord[]): RecordPayloads['lineage'] | undefined {
  const first = records.find(({ type }) => type === 'lineage');
  return first?.type === 'lineage' ? first.payload : undefined;
}
