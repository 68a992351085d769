/** Which case has a log of which identity first, over the whole bundle: an identity is drawn once, so two cases never share one. */
import type { Bundle } from '../../read/bundle.js';
import type { RecordPayloads, SessionRecord } from '../../read/session-records.js';

const known = new WeakMap<Bundle, ReadonlyMap<string, string>>();

export function identityHolder(bundle: Bundle, identity: string): string | undefined {
  const holders = known.get(bundle) ?? holdersIn(bundle);
  known.set(bundle, holders);
  return holders.get(identity);
}

function holdersIn({ cases }: Bundle): ReadonlyMap<string, string> {
  const holders = new Map<string, string>();
  for (const { log, caseId } of cases.flatMap(({ snapshots }) => snapshots)) {
    const identity = lineageIn(log.value?.records ?? [])?.identity;
    if (identity !== undefined && !holders.has(identity)) holders.set(identity, caseId);
  }
  return holders;
}

/** How a log names itself first. */
export function lineageIn(records: readonly SessionRecord[]): RecordPayloads['lineage'] | undefined {
  const first = records.find(({ type }) => type === 'lineage');
  return first?.type === 'lineage' ? first.payload : undefined;
}
