/** The reference's account of files, in the form in which the three are compared. */
import { orderBroken } from '../reference/calls-order.js';
import { workStates } from '../reference/calls-state.js';
import { contradictsItself, eventsIn, readLedger, type Event, type Read, type Row } from '../reference/ledger.js';
import { readLog, type Trust } from '../reference/log.js';
import { framesBroken } from '../reference/sessions-frames.js';
import { recordsBroken } from '../reference/sessions-order.js';
import { resumeReport, sessionState } from '../reference/sessions.js';
import type { Files } from '../write/ledger.js';

export interface Account {
  readonly read: 'ok' | 'torn' | 'damaged' | 'newer';
  /** The sentence of the contract that the bytes break; empty where they break none. */
  readonly why: string;
  /** Those that the order breaks: of what lies before the place with the damage, where there is one. */
  readonly broken: readonly string[];
  /** How many of them are about frames and not about records. */
  readonly ofFrames: number;
  /** One of its payloads says something against itself. */
  readonly contradicts: boolean;
  readonly entries: number;
  readonly digest: string;
  /** Undefined where nothing can be derived. */
  readonly state: unknown;
  readonly resume: unknown;
  /** Of whoever trusts the digest of a payload and does not serialise it again, where that makes a difference. */
  readonly trusting: Account | null;
}

const noDigest = '0'.repeat(64);

export function accountOf(subject: 'calls' | 'sessions', files: Files, scratch: string): Account {
  return subject === 'calls' ? ofCalls(readLedger(files, scratch)) : ofSessions(files);
}

export function accountOfRows(rows: readonly Row[]): Account {
  return ofCalls(eventsIn(rows));
}

function ofCalls(found: Read<readonly Event[]>): Account {
  const nothing = {
    broken: [],
    ofFrames: 0,
    contradicts: false,
    entries: 0,
    digest: noDigest,
    state: undefined,
    resume: null,
    trusting: null,
  };
  if (found.broken !== null) return { ...nothing, read: 'damaged', why: found.broken };
  const events = found.value;
  return {
    ...{ ...nothing, read: 'ok', why: '', entries: events.length, digest: events.at(-1)?.digest ?? noDigest },
    broken: orderBroken(events).map(({ rule }) => rule),
    contradicts: events.some((event) => contradictsItself(event)),
    state: workStates(events),
  };
}

function ofSessions(files: Files): Account {
  const account = ofLog(files, 'text');
  if (account.read !== 'damaged') return account;
  const trusting = ofLog(files, 'digest');
  const isOther = trusting.read !== account.read || trusting.why !== account.why || trusting.entries !== account.entries;
  return isOther ? { ...account, trusting } : account;
}

function ofLog(files: Files, trust: Trust): Account {
  const log = readLog(Buffer.from(files.get('session.wal') ?? []), files.get('wal-feature-floor'), trust);
  const { is, why, frames } = log;
  const held = {
    read: is,
    why,
    entries: frames.at(-1)?.seq ?? 0,
    digest: frames.at(-1)?.digest ?? noDigest,
    trusting: null,
    ofFrames: 0,
    contradicts: false,
  };
  const records = recordsBroken(frames).map(({ rule }) => rule);
  if (is === 'damaged' || is === 'newer') return { ...held, broken: records, state: undefined, resume: null };
  const ofFrames = framesBroken(log).map(({ rule }) => rule);
  const broken = [...records, ...ofFrames];
  return {
    ...held,
    broken,
    ofFrames: ofFrames.length,
    state: frames.length === 0 ? undefined : sessionState(frames),
    resume: resumeReport(frames),
  };
}
