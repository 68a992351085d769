/**
 * What can go wrong for whoever drives the provider, as a closed union of codes. A request of a subject never sees these: it gets
 * a scripted answer, a plain HTTP refusal, or a destroyed socket.
 */
export type ProviderErrorCode =
  | 'usage'
  | 'script-invalid'
  | 'receipts-exist'
  | 'receipts-missing'
  | 'receipts-damaged'
  | 'receipts-busy'
  | 'receipts-unsynced'
  | 'receipts-foreign'
  | 'prefix-closed';

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  constructor(
    readonly code: ProviderErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The text of anything that was thrown. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
