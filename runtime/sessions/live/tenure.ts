/**
 * What a process has while it owns a session: the log, what it says, the tool plane, and whether anything may still be done.
 *
 * Fault model: process crash, and a log that fails. Everything is done from the record: an append comes before what it allows, and after an
 * append that failed nothing is appended or sent any more. Appends are synchronous, so nothing lies between a barrier and who hears of it.
 */
import { setMaxListeners } from 'node:events';
import { RuntimeError } from '../../core/errors.js';
import type { SessionHistory } from '../core/history.js';
import { times, type Draft } from '../core/records.js';
import { RecordMisplaced, SessionError, SessionRefused } from '../core/refusals.js';
import type { Run } from '../core/run.js';
import { nextOf } from '../core/session-state.js';
import type { RunConfig, SessionDrift, SessionRefusal } from '../core/vocabulary.js';
import type { SessionLog } from '../log/session-log.js';
import type { ToolPlane } from '../tools/plane.js';

/** A run while this process carries it on. */
export interface LiveRun {
  readonly run: Run;
  /** Aborted by a cancel at once, by a close and by a failure: end what is under way. */
  readonly stop: AbortController;
  /** The run had a cancel on record before this process took it up. */
  readonly wasCancelled: boolean;
  /** Keys of the calls whose intent this process wrote, and of those that it then handed over. */
  readonly intended: Set<string>;
  readonly handedOver: Set<string>;
}

export interface TenureParts {
  history: SessionHistory;
  log: SessionLog;
  plane: ToolPlane;
  providerUrl: string | null;
  /** What the caller asks for; null: what is on record. */
  config: RunConfig | null;
  now: () => number;
}

/** The log itself cannot go on. */
const fatal: ReadonlySet<string> = new Set(['log-failed', 'log-damaged', 'foreign-write', 'writer-poisoned']);

export class Tenure {
  readonly history: SessionHistory;
  readonly plane: ToolPlane;
  readonly providerUrl: string | null;
  readonly wanted: RunConfig | null;
  live: LiveRun | null = null;
  private readonly log: SessionLog;
  private readonly now: () => number;
  /** The `resume_started` that comes with what is appended first. */
  private preface: Draft | null = null;
  private over: RuntimeError | null = null;

  constructor(parts: TenureParts) {
    this.history = parts.history;
    this.log = parts.log;
    this.plane = parts.plane;
    this.providerUrl = parts.providerUrl;
    this.wanted = parts.config;
    this.now = parts.now;
  }

  get sessionId(): string {
    return this.log.sessionId;
  }

  /** Milliseconds of Unix time. */
  clock(): number {
    return this.now();
  }

  /** Throws where nothing may be appended or sent any more. */
  demandOpen(): void {
    if (this.over !== null) throw this.over;
  }

  begin(run: Run): LiveRun {
    const stop = new AbortController();
    // One listener for each request under way is no leak.
    setMaxListeners(0, stop.signal);
    this.live = { run, stop, wasCancelled: run.cancel !== null, intended: new Set(), handedOver: new Set() };
    return this.live;
  }

  end(): void {
    this.live = null;
    this.preface = null;
  }

  /** Goes in front of whatever is appended next. */
  prefaceWith(draft: Draft): void {
    this.preface = draft;
  }

  /** Appends the preface alone, where a number that follows from it is needed; it is durable with what comes next. */
  appendPreface(): void {
    if (this.preface !== null) this.append([], { sync: false, closing: true });
  }

  /** One barrier. Unsynced records are durable with the next synced ones, and nobody hears of them before. */
  append(drafts: readonly Draft[], { sync = true, closing = false }: { sync?: boolean; closing?: boolean } = {}): void {
    this.demandOpen();
    const { preface } = this;
    const before = this.history.lastSeq;
    const barrier = (preface === null ? drafts : [preface, ...drafts]).map((draft) => this.timed(draft));
    // Before the append: a listener may append too.
    this.preface = null;
    try {
      this.log.append(barrier, { sync, closing });
    } catch (error) {
      if (this.history.lastSeq === before) this.preface = preface;
      // Part of what belongs together is on record, and a listener did what the rest cannot follow: whoever opens the log goes on from there.
      const isTorn = error instanceof RecordMisplaced && this.history.lastSeq !== before;
      if (error instanceof RuntimeError && (isTorn || fatal.has(error.code))) this.giveUp(error);
      throw error;
    }
  }

  admits(drafts: readonly Draft[]): boolean {
    return this.log.admits(
      drafts.map((draft) => this.timed(draft)),
      false,
    );
  }

  /** As `append`, for what a caller asked for: where the budget does not admit it, it is refused. */
  record(drafts: readonly Draft[]): void {
    try {
      this.append(drafts);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      throw this.refusal('session_too_large', null, error.message);
    }
  }

  refusal(reason: SessionRefusal, on: string | null, message: string, drift: readonly SessionDrift[] = []): SessionRefused {
    const next = nextOf(this.history);
    return new SessionRefused({ reason, operation: next.next_operation, on: on ?? next.on, drift }, message);
  }

  close(): void {
    this.giveUp(new RuntimeError('closed', 'The session is closed. Open it again.'));
    this.log.close();
  }

  /** Ends what is under way; from here on everything throws. */
  private giveUp(why: RuntimeError): void {
    this.over = why;
    this.live?.stop.abort();
  }

  private timed(draft: Draft): Draft {
    const member = times[draft.type];
    const config = this.history.current?.config;
    if (member === undefined || config?.times !== true || Object.hasOwn(draft.payload, member)) return draft;
    return { ...draft, payload: { ...draft.payload, [member]: this.clock() } } as Draft;
  }
}

export function isTooLarge(error: unknown): error is SessionError {
  return error instanceof SessionError && error.code === 'session-too-large';
}
