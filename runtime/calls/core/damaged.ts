/** The error of an event that cannot stand where it stands. */
import { RuntimeError } from '../../core/errors.js';
import type { LedgerEvent } from './events.js';

export function damaged(event: LedgerEvent, what: string): RuntimeError {
  return new RuntimeError(
    'ledger-damaged',
    `The ledger is damaged: event ${event.seq} (${event.type}) ${what}. Nothing was changed; restore it from a copy.`,
  );
}
