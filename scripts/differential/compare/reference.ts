/** The reference's account of files, in the form in which the three are compared. */
import { orderBroken } from '../reference/calls-order.js';
import { workStates } from '../reference/calls-state.js';
import { readLedger } from '../reference/ledger.js';
import { readLog } from '../reference/log.js';
import { recordsBroken } from '../reference/sessions-order.js';
import { resumeReport, sessionState } from '../reference/sessions.js';
import type { Files } from '../write/ledger.js';

export interface Account {
  readonly read: 'ok' | 'torn' | 'damaged' | 'newer';
  /** Sentences of the contract that are broken: by the bytes, or by the order. */
  readonly broken: readonly string[];
  readonly entries: number;
  readonly digest: string;
  readonly state: unknown;
  readonly resume: unknown;
}

const noDigest = '0'.repeat(64);

export function accountOf(subject: 'calls' | 'sessions', files: Files, scratch: string): Account {
  return subject === 'calls' ? ofCalls(files, scratch) : ofSessions(files);
}

function ofCalls(files: Files, scratch: string): Account {
  const found = readLedger(files, scratch);
  if (found.broken !== null)
    return { read: 'damaged', broken: [found.broken], entries: 0, digest: noDigest, state: undefined, resume: null };
  const events = found.value;
  return {
    ...{ read: 'ok', entries: events.length, digest: events.at(-1)?.digest ?? noDigest, resume: null },
    broken: orderBroken(events).map(({ rule }) => rule),
    state: workStates(events),
  };
}

function ofSessions(files: Files): Account {
  const { is, why, frames } = readLog(Buffer.from(files.get('session.wal') ?? []), files.get('wal-feature-floor'));
  const held = { read: is, entries: frames.at(-1)?.seq ?? 0, digest: frames.at(-1)?.digest ?? noDigest };
  if (is === 'damaged' || is === 'newer') return { ...held, broken: [why], state: undefined, resume: null };
  const broken = recordsBroken(frames).map(({ rule }) => rule);
  return { ...held, broken, state: frames.length === 0 ? undefined : sessionState(frames), resume: resumeReport(frames) };
}
