/** What every operation of a recovery takes, and what each gives back. */
import type { WorkState } from '../../contract/types.js';
import type { Members } from '../../core/demands.js';
import type { CallOutcome } from '../live/call.js';
import type { OfferedContext } from '../live/offered.js';
import type { EventType, Payloads } from '../core/events.js';
import type { Interpretation } from '../core/interpret.js';
import type { KeptResponse } from '../core/reconciliation.js';
import type { CarriedOut, Finding, Operation, ReconciledReason } from '../core/vocabulary.js';

/**
 * Whose settings a request is built from. `today`: what the settings of today would send must be what is recorded; a difference is refused.
 * `recorded`: nothing of today is used but URL, time limit and transport.
 */
export type SettingsFrom = 'today' | 'recorded';

export interface OperationOptions {
  /** The projection that the decision was made from. Without it, the one of this moment is used. */
  workState?: WorkState;
  /** Default: `today`. */
  settings?: SettingsFrom;
}

export interface ReconcileOptions extends OperationOptions {
  /** Without it the provider is asked. */
  statement?: Statement;
}

export interface ReinterpretOptions extends OperationOptions {
  /** Default: the version on record. */
  interpreterVersion?: number;
}

/** The inputs of a call that are to be fixed; what is left out stays as it is recorded. */
export interface FixedCall {
  instruction?: string;
  compilationId?: string;
}

/** What an operator says about an effect, and the response where it is at hand. */
export interface Statement {
  by: string;
  finding: Finding;
  note: string;
  response?: KeptResponse;
}

/** Who accepted that one attempt may pay again, and why. */
export interface AcceptedBy {
  by: string;
  note: string;
}

export interface Reinterpreted {
  result: Interpretation['result'];
  text: string | null;
  detail: string | null;
}

export type Redecided = Payloads['attempt.retry_decided'];

export interface Reconciled {
  finding: Finding;
  reason: ReconciledReason;
}

/** The policy asked for no other attempt; the decision is recorded. */
export interface Stopped {
  stopped: Redecided['reason'];
}

export interface RecoverOptions {
  settings?: SettingsFrom;
  /** Called after each reading of the projection, with what it names: also after the last, which leads to no step. */
  onRead?: (next: Operation, on: string | null) => void;
  /** Called before each operation, between reading the projection and acting on it. */
  onStep?: (operation: CarriedOut, on: string) => void;
}

export interface Recovered {
  operations: CarriedOut[];
  /** What the record asks for now: `none`, or what needs a person. */
  next: Operation;
  on: string | null;
  /** Of the last call that ended on the way. */
  outcome: CallOutcome | null;
}

/** What a person states or gives, for the operations that take it. */
export interface DryRunOptions extends OperationOptions {
  interpreterVersion?: number;
  statement?: Statement;
  inputs?: OfferedContext | FixedCall;
  judgement?: 'accepted' | 'rejected';
}

/** Of every operation together: whatever takes options knows those of the others by name. */
export const operationMembers: readonly string[] = Object.keys({
  workState: true,
  settings: true,
  statement: true,
  interpreterVersion: true,
  inputs: true,
  judgement: true,
  operation: true,
} satisfies Members<DryRunOptions & ReconcileOptions & ReinterpretOptions & { operation?: Operation }>);

export interface DryRun {
  /** In order, as far as they follow from the record; what depends on the provider's answer is left out. */
  appends: EventType[];
  sends: { method: string; path: string; idempotency_key: string; body_sha256: string | null }[];
}
