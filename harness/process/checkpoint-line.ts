/**
 * Reads what a role wrote to descriptor 3. Pure over the bytes.
 *
 * Bytes of a subject are untrusted. A half line is not a announcement: a process killed inside the line announced nothing. The line must
 * be canonical and name this very process (nonce and pid) and the armed place.
 */
import { validateCheckpointLine } from '../contract/validators.js';
import { parseCanonical } from '../io/canonical.js';

export interface Armed {
  readonly checkpoint: string;
  readonly occurrence: number;
}

export type Announcement = { kind: 'none' } | { kind: 'announced' } | { kind: 'wrong'; why: string };

/** Far more than a checkpoint line can have. */
const longestLine = 4096;

export function readCheckpointLine(bytes: Buffer, armed: Armed, nonce: string, pid: number): Announcement {
  const end = bytes.indexOf(0x0a);
  if (end < 0 && bytes.length > longestLine) return wrong('much came, and no line');
  if (end < 0) return { kind: 'none' };
  if (end !== bytes.length - 1) return wrong('more came after the announcing line');
  let line: unknown;
  try {
    line = parseCanonical(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end)));
  } catch (error) {
    return wrong(`the line is not canonical JSON: ${(error as Error).message}`);
  }
  if (!validateCheckpointLine(line)) return wrong('the line does not have the shape of a checkpoint line');
  if (line.nonce !== nonce) return wrong('the nonce is not the one that was given');
  if (line.pid !== pid) return wrong(`process ${line.pid} announced, but process ${pid} was spawned`);
  if (line.checkpoint !== armed.checkpoint || line.occurrence !== armed.occurrence) {
    return wrong(`${line.checkpoint}#${line.occurrence} was announced, but ${armed.checkpoint}#${armed.occurrence} was armed`);
  }
  return { kind: 'announced' };
}

function wrong(why: string): Announcement {
  return { kind: 'wrong', why };
}
