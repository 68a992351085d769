/** The digest chain of the ledger. */
import { canonicalString } from '../../core/canonical.js';
import { sha256 } from '../../core/digest.js';

/** `prev` of the first event. */
export const chainStart = '0'.repeat(64);

export interface ChainedRow {
  seq: number;
  type: string;
  task_id: string;
  call_id: string | null;
  attempt_id: string | null;
  compilation_id: string | null;
  /** Canonical JSON. */
  payload: string;
  recorded_at: string;
}

/**
 * The digest of one row: canonical JSON of the exported event without `digest` and with `prev`. The names are spelled out in
 * their canonical order, so that the payload is serialised once per event and not twice.
 */
export function eventDigest(row: ChainedRow, prev: string): string {
  return sha256(
    `{"attempt_id":${nullable(row.attempt_id)},"call_id":${nullable(row.call_id)},"compilation_id":${nullable(row.compilation_id)},` +
      `"payload":${row.payload},"prev":"${prev}","recorded_at":${canonicalString(row.recorded_at)},"seq":${row.seq},` +
      `"task_id":${canonicalString(row.task_id)},"type":${canonicalString(row.type)}}`,
  );
}

function nullable(id: string | null): string {
  return id === null ? 'null' : canonicalString(id);
}
