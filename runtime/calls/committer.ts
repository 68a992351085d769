/**
 * Groups of events into commits, and the owner's lease before the first of them.
 *
 * `each`: every event is a commit, and so a checkpoint. `grouped`: events between which no order protects anything share one
 * sync. Events and states are the same in both. The listener runs after the commit and, on the first one, after the sync of the
 * directory: what it hears of survives.
 */
import type { Draft, LedgerEvent } from '../core/events.js';
import type { RenderedContext } from '../core/request.js';
import type { History } from '../core/history.js';
import { Lease } from '../store/lease.js';
import type { Ledger } from '../store/ledger.js';

export type CommitMode = 'grouped' | 'each';
export type CommitListener = (events: readonly LedgerEvent[]) => void;

export class Committer {
  /** Rendered contexts by compilation: a package never changes, so it is read and rendered once per open. */
  readonly rendered = new Map<string, RenderedContext>();

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

  get nextSeq(): number {
    return this.ledger.nextSeq;
  }

  artifact(sha256: string): Buffer | null {
    return this.ledger.artifact(sha256);
  }

  /** Takes the lease if this runtime has not acted yet, and reads what an earlier owner appended meanwhile. */
  own(): void {
    if (this.lease !== null) return;
    this.lease = Lease.take(this.directory);
    this.ledger.refresh();
  }

  /** Commits a group in the runtime's mode. */
  commit(group: readonly Draft[]): void {
    if (this.mode === 'grouped') this.commitTogether(group);
    else for (const draft of group) this.commitTogether([draft]);
  }

  /** One commit in both modes. */
  commitTogether(group: readonly Draft[]): void {
    this.own();
    const events = this.ledger.append(group);
    this.listener?.(events);
  }

  close(): void {
    this.ledger.close();
    this.lease?.release();
    this.lease = null;
  }
}
