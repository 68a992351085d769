/** The refusal of what would be sent while nobody named a provider: it comes before anything is appended. */
import { RecoveryRefused } from '../../../calls/core/refusals.js';
import type { DryRun } from '../../../calls/recovery/options.js';
import type { Acting } from './acting.js';

export class NoProvider extends RecoveryRefused {}

export function demandProvider({ context, named }: Acting, operation: string, on: string | null, would: () => DryRun): void {
  if (context.environment.providerUrl !== null || would().sends.length === 0) return;
  throw new NoProvider(
    { on, operation: named.workState.task.next_operation, hazard: null },
    `${operation} sends a request, and no provider is named. Nothing was sent; name one and do it again.`,
  );
}
