/**
 * What is known of one call after it was handed over; never better than proved.
 *
 * `completed`: the tool ended and this is all that it said. `not_sent`: proved that nothing reached it. `unknown`: everything else, where
 * the call may or may not have happened.
 */
import { sessionLogV1 } from '../../contract/data.js';
import type { SharedTool } from '../../contract/types.js';
import { canonicalString } from '../../core/canonical.js';
import { utf8Text } from '../../core/untrusted-json.js';

/** A longer timer would fire at once. */
export const timeoutMsMax = 2 ** 31 - 1;
/** Room for what stands beside the output in its record. */
const besideOutputBytes = 4096;

export interface ToolCallToSend {
  /** The idempotency key. */
  key: string;
  tool: SharedTool;
  /** As the model wrote them. */
  arguments: string;
  /** Aborted when nobody waits any more: end the call; what it did is then unknown. */
  signal: AbortSignal;
}

export type Outcome =
  | { outcome: 'completed'; output: string; isError: boolean }
  | { outcome: 'not_sent'; detail: string }
  | { outcome: 'unknown'; detail: string };

/** What a tool said, as its result: text, and no larger than what is kept. `bytes` is null where it was too much to hold. */
export function completed(bytes: Buffer | null, isError: boolean): Outcome {
  const { texts, output_cap: cap } = sessionLogV1;
  if (bytes === null || bytes.length > cap) return { outcome: 'completed', output: texts.too_large, isError: true };
  const text = utf8Text(bytes);
  if (text === null) return { outcome: 'completed', output: texts.not_text, isError: true };
  return isRecordable(text)
    ? { outcome: 'completed', output: text, isError }
    : { outcome: 'completed', output: texts.too_large, isError: true };
}

/** Control characters take six bytes each in a record. */
function isRecordable(text: string): boolean {
  const room = sessionLogV1.records.tool_result.payload_cap - besideOutputBytes;
  return text.length * 6 <= room || Buffer.byteLength(canonicalString(text)) <= room;
}
