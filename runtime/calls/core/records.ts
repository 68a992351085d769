/** What the events of a ledger are gathered into: tasks, calls, attempts and compilations. Types alone. */
import type { Payloads } from './events.js';

/** A payload and its place in the ledger. */
export interface Placed<P> {
  seq: number;
  payload: P;
}

/** `adopted`: its response stands for this attempt's observation. */
export type Reconciliation = Placed<Payloads['effect.reconciled']> & { adopted: boolean };

export interface Attempt {
  id: string;
  seq: number;
  number: number;
  observed: Placed<Payloads['attempt.observed']> | null;
  /** Every reading of the response, in order; the last one counts. */
  interpretations: Placed<Payloads['attempt.interpreted']>[];
  decided: Placed<Payloads['attempt.retry_decided']> | null;
  completed: Placed<Payloads['attempt.completed']> | null;
  /** Every reconciliation that names it, in order; which one counts is said by `reconciliationOf`. */
  reconciliations: Reconciliation[];
}

export interface Decision extends Placed<Payloads['duplicate.accepted']> {
  /** The attempt that cites it; null until then. */
  spentBy: string | null;
}

export interface CallRecord {
  id: string;
  seq: number;
  taskId: string;
  compilationId: string;
  request: Payloads['call.requested'];
  manifest: Payloads['call.manifest'] | null;
  preparationFailed: Payloads['call.preparation_failed'] | null;
  attempts: Attempt[];
  /** Operators' decisions to pay again, in order. */
  decisions: Decision[];
  result: Payloads['result.recorded'] | null;
  completed: Payloads['call.completed'] | null;
  supersededBy: string | null;
}

export interface CompilationRecord {
  id: string;
  seq: number;
  taskId: string;
  request: Payloads['context.compilation_requested'];
  compiled: Payloads['context.compiled'] | null;
  failed: Payloads['context.compilation_failed'] | null;
  supersededBy: string | null;
}

export interface TaskRecord {
  id: string;
  title: string;
  stage: 'open' | 'accepted' | 'rejected';
  calls: CallRecord[];
  compilations: CompilationRecord[];
}
