/** What a caller of calls must tell apart by more than a code: failures on record, an unknown effect, a conflict, two refusals. */
import { RuntimeError } from '../../core/errors.js';
import type { Call, Drift, Operation } from './vocabulary.js';

/** A recorded compilation failure: the event is in the ledger, under `compilationId`. */
export class CompilationFailed extends RuntimeError {
  readonly reason: 'RequiredContextMissing' | 'RequiredContextOverBudget';
  readonly compilationId: string;
  /** Required ids that were not offered; empty when the budget was the reason. */
  readonly missingIds: readonly string[];

  constructor(reason: CompilationFailed['reason'], message: string, compilationId: string, missingIds: readonly string[]) {
    super('compilation-failed', message);
    this.reason = reason;
    this.compilationId = compilationId;
    this.missingIds = missingIds;
  }
}

/** A recorded preparation failure: the request could not be built, nothing was sent. */
export class PreparationFailed extends RuntimeError {
  readonly reason: 'CompilationNotUsable' | 'RequestTooLarge';
  readonly callId: string;

  constructor(reason: PreparationFailed['reason'], message: string, callId: string) {
    super('preparation-failed', message);
    this.reason = reason;
    this.callId = callId;
  }
}

/**
 * The request may have been served, and the call stays open in the ledger: nobody can know from here, or what came back is on record and
 * what follows from it is not. It is not to be sent again either way.
 */
export class EffectUnknown extends RuntimeError {
  readonly callId: string;
  readonly attemptId: string;

  /** `left`: the call as its record shows it now. */
  constructor(
    callId: string,
    attemptId: string,
    detail: string,
    { next_operation: next, provider_effect: effect }: Pick<Call, 'next_operation' | 'provider_effect'>,
    options?: { cause?: unknown },
  ) {
    const what = effect === 'unknown' ? `The effect of ${callId} is unknown` : `${callId} did not come to its end`;
    const whatToDo =
      next === 'reconcile_effect' ? 'reconcile it with the provider first' : `go on from its record, which asks for ${next}`;
    super('effect-unknown', `${what} (${detail}). Do not send it again: ${whatToDo}.`, options);
    this.callId = callId;
    this.attemptId = attemptId;
  }
}

/** The idempotency key already names another request; nothing was appended, nothing was sent. */
export class KeyConflict extends RuntimeError {
  readonly idempotencyKey: string;
  readonly earlierCallId: string;

  constructor(idempotencyKey: string, earlierCallId: string) {
    super(
      'key-conflict',
      `The key ${JSON.stringify(idempotencyKey)} already names another request, that of ${earlierCallId}. Use a new key for a new request.`,
    );
    this.idempotencyKey = idempotencyKey;
    this.earlierCallId = earlierCallId;
  }
}

/** Resuming would be wrong. `operation` is what the record says comes next; nothing was appended, nothing was sent. */
export class ResumeRefused extends RuntimeError {
  readonly callId: string | null;
  readonly operation: Operation;
  /**
   * `unsafe`: the effect is unknown. `unneeded`: everything else. Null: what was intended cannot be done here, since the request would
   * not be the recorded one (`drift`) or this program has not what it was recorded with.
   */
  readonly hazard: 'unsafe' | 'unneeded' | null;
  readonly drift: readonly Drift[];

  constructor(
    refusal: { callId: string | null; operation: Operation; hazard: 'unsafe' | 'unneeded' | null; drift?: readonly Drift[] },
    message: string,
  ) {
    super('resume-refused', message);
    this.callId = refusal.callId;
    this.operation = refusal.operation;
    this.hazard = refusal.hazard;
    this.drift = refusal.drift ?? [];
  }
}

/** An operation would be wrong here. `operation` is what the record says comes next; nothing was appended, nothing was sent. */
export class RecoveryRefused extends RuntimeError {
  /** The call or compilation that was asked about; null where there is none. */
  readonly on: string | null;
  readonly operation: Operation;
  /** As in `ResumeRefused`; `unsafe` where the effect is unknown and what was asked for would send. */
  readonly hazard: 'unsafe' | 'unneeded' | null;
  readonly drift: readonly Drift[];

  constructor(
    refusal: { on: string | null; operation: Operation; hazard: 'unsafe' | 'unneeded' | null; drift?: readonly Drift[] },
    message: string,
  ) {
    super('recovery-refused', message);
    this.on = refusal.on;
    this.operation = refusal.operation;
    this.hazard = refusal.hazard;
    this.drift = refusal.drift ?? [];
  }
}
