/**
 * Groups of events into commits, and the owner's lease before the first of them.
 *
 * `each`: every event is a commit, and so a checkpoint. `grouped`: events between which no order protects anything share one
 * sync. Events and states are the same in both, and in both a group that holds something unfit to be recorded is refused whole. The
 * listener runs after the commit and, on the first one, after the sync of the directory: what it hears of survives.
 */
import { setMaxListeners } from 'node:events';
import { RuntimeError } from '../../core/errors.js';
import type { Draft, LedgerEvent } from '../core/events.js';
import type { RenderedContext } from '../core/request.js';
import type { History } from '../core/history.js';
import type { Settings } from '../ledger/connection.js';
import { Lease } from '../../store/lease.js';
import { demandRecordable, type Ledger } from '../ledger/ledger.js';

export type CommitMode = 'grouped' | 'each';
export type CommitListener = (events: readonly LedgerEvent[]) => void;

export class Committer {
  /** Rendered contexts by compilation: a package never changes, so it is read and rendered once per open. */
  readonly rendered = new Map<string, RenderedContext>();
  /** Made for who asks: most that open a ledger never send, and to make and abort one costs as much as to check several events. */
  private closing: AbortController | null = null;
  private isClosed = false;
  private readonly underWay = new Map<string, number>();
  private telling = false;

  constructor(
    private readonly directory: string,
    private readonly ledger: Ledger,
    private lease: Lease | null,
    private readonly mode: CommitMode,
    private readonly listener: CommitListener | null,
  ) {}

  get history(): History {
    return this.ledger.history;
  }

  /** Durability as read back on the connection in use. */
  get settings(): Settings {
    return this.ledger.settings;
  }

  get nextSeq(): number {
    return this.ledger.nextSeq;
  }

  /** Aborted by `close`: nobody waits any more for what is under way. */
  get closed(): AbortSignal {
    if (this.closing === null) {
      this.closing = new AbortController();
      // One listener for each request under way is no leak.
      setMaxListeners(0, this.closing.signal);
      if (this.isClosed) this.closing.abort();
    }
    return this.closing.signal;
  }

  artifact(sha256: string): Buffer | null {
    return this.ledger.artifact(sha256);
  }

  /** Takes the lease if this runtime has not acted yet, and reads what an earlier owner appended meanwhile. */
  own(): void {
    if (this.isClosed) throw new RuntimeError('closed', 'The runtime is closed. Open it again.');
    // Ids are numbered before a commit; an append in the middle of one would take their place.
    if (this.telling)
      throw new RuntimeError('input-invalid', 'A listener of commits may read, but not act. Act after it returned.');
    if (this.lease !== null) return;
    const lease = Lease.take(this.directory);
    try {
      this.ledger.refresh();
    } catch (error) {
      lease.release();
      throw error;
    }
    this.lease = lease;
  }

  /** Reads what others appended, where this runtime does not own the log and so may have missed something. */
  look(): void {
    if (this.lease === null) this.ledger.refresh();
  }

  /** Commits a group in the runtime's mode. */
  commit(group: readonly Draft[]): void {
    if (this.mode === 'grouped') return this.commitTogether(group);
    for (const draft of group) demandRecordable(draft);
    for (const draft of group) this.commitTogether([draft]);
  }

  /** One commit in both modes. */
  commitTogether(group: readonly Draft[]): void {
    this.own();
    const events = this.ledger.append(group);
    if (this.listener === null) return;
    this.telling = true;
    try {
      this.listener(events);
    } finally {
      this.telling = false;
    }
  }

  /** Runs a call of a task, which must not be ended meanwhile: what comes back has to be recorded in an open task. */
  async during<T>(taskId: string, call: () => Promise<T>): Promise<T> {
    this.underWay.set(taskId, this.callsUnderWay(taskId) + 1);
    try {
      return await call();
    } finally {
      this.underWay.set(taskId, this.callsUnderWay(taskId) - 1);
    }
  }

  callsUnderWay(taskId: string): number {
    return this.underWay.get(taskId) ?? 0;
  }

  close(): void {
    this.isClosed = true;
    this.closing?.abort();
    this.ledger.close();
    this.lease?.release();
    this.lease = null;
  }
}
