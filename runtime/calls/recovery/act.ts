/**
 * The common frame of every operation: decide from the projection that the caller read, take the lease, read again, refuse if the log has
 * grown, decide again from the log itself, append.
 *
 * A proposal says what it would append and send, and does it when it is carried out: a dry run is a proposal that is not. Guarantee: of several
 * processes that act on one state one does, and each other gets `OwnerAlive` or `overtaken` and writes nothing; the ledger compares
 * once more inside the write transaction.
 */
import type { Committer } from '../live/committer.js';
import type { Manifest } from '../core/vocabulary.js';
import { demandMembers } from '../../core/demands.js';
import { RuntimeError } from '../../core/errors.js';
import type { Draft, EventType } from '../core/events.js';
import { requestPath } from '../core/request.js';
import { operationMembers, type DryRun, type OperationOptions } from './options.js';

export type Send = DryRun['sends'][number];

export interface Proposal<Result> {
  /** Types of events, as far as they follow from the record. */
  appends: EventType[];
  sends: Send[];
  carryOut: () => Result;
}

/**
 * Proposes from the log that the caller's projection was made from, and again as its owner; then carries it out. Of the projection only its
 * place in the log is used: the rest follows from the log itself, and what the caller holds may be the state of another ledger.
 */
export function act<Result>(committer: Committer, options: OperationOptions, propose: () => Proposal<Result>): Result {
  const seen = readAgain(committer, options);
  // Who is refused does not take the lease. A caller may have read further than this runtime has; then only the owner can tell.
  if (committer.history.lastSeq === seen) propose();
  committer.own();
  if (committer.history.lastSeq !== seen) throw overtaken();
  return propose().carryOut();
}

/** The place in the log from which the caller decided, or this moment's; refuses where the log is known to have grown since. */
export function readAgain(committer: Committer, options: OperationOptions): number {
  demandMembers('options', options, operationMembers, '');
  const { workState } = options;
  if (workState === undefined) committer.look();
  const { lastSeq } = committer.history;
  const seen = workState?.last_seq ?? lastSeq;
  if (lastSeq > seen) throw overtaken();
  return seen;
}

export function overtaken(): RuntimeError {
  return new RuntimeError('overtaken', 'The ledger has grown since its work state was read. Nothing was done; read it again.');
}

/** A proposal that only appends. */
export function appending<Result>(committer: Committer, drafts: readonly Draft[], told: () => Result): Proposal<Result> {
  return {
    appends: typesOf(drafts),
    sends: [],
    carryOut: () => {
      committer.commit(drafts);
      return told();
    },
  };
}

export function typesOf(drafts: readonly Draft[]): EventType[] {
  return drafts.map(({ type }) => type);
}

/** The request of a call, as a dry run names it. */
export function requestSend(key: string, manifest: Pick<Manifest, 'request_body_sha256'>): Send {
  return { method: 'POST', path: requestPath, idempotency_key: key, body_sha256: manifest.request_body_sha256 };
}
