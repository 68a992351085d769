/** A refusal of a session: what was asked for would be wrong here. Nothing was appended, nothing was sent. */
import type { SharedSessionDrift, SharedSessionOperation, SharedSessionRefusal } from '../contract/types.js';
import { RuntimeError } from './errors.js';

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
