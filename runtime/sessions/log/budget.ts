/**
 * The bytes of a session: what may still be appended so that the log can always be brought to a proper end.
 *
 * Below the ceiling a reserve is kept: for the lineage frames of later tenures, for closing the calls that are open, and for the end of
 * the run. An ordinary barrier must leave all of it, a close-out what the end needs, and the end may use the last byte. How many calls
 * are open is read from the records themselves.
 */
import { sessionLogV1 } from '../../contract/data.js';
import type { Told } from '../core/records.js';

const {
  lineage_bytes: forLineage,
  closing_bytes: forClosing,
  closing_bytes_per_call: forCall,
  terminal_bytes: forEnd,
} = sessionLogV1.reserve;

export class Budget {
  private readonly ceiling: number;
  /** Calls that a close-out would have to answer. */
  private openCalls = 0;

  constructor(ceilingBytes: number | null) {
    this.ceiling = Math.min(ceilingBytes ?? sessionLogV1.ceiling_bytes, sessionLogV1.ceiling_bytes);
  }

  observe(record: Told): void {
    this.openCalls = openAfter(this.openCalls, record);
  }

  /** Whether a log of this size may have the drafts, once they are in it. `closing`: they close a run out. */
  admits(sizeAfter: number, drafts: readonly Told[], closing: boolean): boolean {
    return sizeAfter <= this.ceiling - this.reserveAfter(drafts, closing);
  }

  private reserveAfter(drafts: readonly Told[], closing: boolean): number {
    if (drafts.some(({ type }) => type === 'run_finished')) return 0;
    if (closing) return forEnd;
    let open = this.openCalls;
    for (const draft of drafts) open = openAfter(open, draft);
    return forLineage + forClosing + open * forCall + forEnd;
  }
}

function openAfter(open: number, record: Told): number {
  if (record.type === 'model_step_finished') return record.payload.assistant.tool_calls.length;
  if (record.type === 'tool_result' || record.type === 'tool_no_dispatch') return Math.max(0, open - 1);
  return record.type === 'tool_batch_finished' || record.type === 'run_finished' ? 0 : open;
}
