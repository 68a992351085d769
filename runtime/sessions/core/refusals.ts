/** What a caller of sessions must tell apart by more than a code: a log that cannot be used, and a refusal. */
import type { SharedSessionDrift, SharedSessionOperation, SharedSessionRefusal } from '../../contract/types.js';
import { RuntimeError, type SessionErrorCode } from '../../core/errors.js';

/** A session log cannot be read, or cannot be appended to. Where it was read, nothing was changed. */
export class SessionError extends RuntimeError {
  declare readonly code: SessionErrorCode;
  /** The byte at which the log is damaged or newer; null where no place is meant. */
  readonly offset: number | null;
  /** What is not understood, where a newer writer was met. */
  readonly names: readonly string[];

  constructor(
    code: SessionErrorCode,
    message: string,
    options: { offset?: number | null; names?: readonly string[]; cause?: unknown } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.offset = options.offset ?? null;
    this.names = options.names ?? [];
  }
}

/** A record that cannot stand where it would stand: what led to it has changed meanwhile. It was not written. */
export class RecordMisplaced extends RuntimeError {
  constructor(type: string, why: string) {
    super('input-invalid', `${type} cannot be recorded: ${why}. Nothing was written; look at the state, then ask again.`);
  }
}

/** What was asked for would be wrong here. Nothing was appended, nothing was sent. */
export class SessionRefused extends RuntimeError {
  readonly reason: SharedSessionRefusal;
  /** What the record says comes next; null where it was not read. */
  readonly operation: SharedSessionOperation | null;
  /** The run, call or submission that it concerns. */
  readonly on: string | null;
  /** Where the configurations differ. */
  readonly drift: readonly SharedSessionDrift[];

  constructor(
    refusal: {
      reason: SharedSessionRefusal;
      operation: SharedSessionOperation | null;
      on: string | null;
      drift?: readonly SharedSessionDrift[];
    },
    message: string,
  ) {
    super('session-refused', message);
    this.reason = refusal.reason;
    this.operation = refusal.operation;
    this.on = refusal.on;
    this.drift = refusal.drift ?? [];
  }
}
