/**
 * The receipts at a cut: the provider's machine keeps its power, so its log stands as it was when the last request had left. Pure.
 */
import type { Request } from './pieces.js';

/** Of a line of a receipt log, what tells its request; null for a line that received none. */
export type Received = Pick<Request, 'method' | 'path' | 'key'> | null;

/** `begun`: the lines that the arm began with. `own`: those behind them. */
export function receiptLinesAt(cut: number, requests: readonly Request[], begun: number, own: readonly Received[]): number {
  const left = new Map<string, number>();
  for (const request of requests) if (request.item <= cut) left.set(nameOf(request), (left.get(nameOf(request)) ?? 0) + 1);
  let lines = 0;
  for (const received of own) {
    if (received !== null) {
      const count = left.get(nameOf(received)) ?? 0;
      if (count === 0) break;
      left.set(nameOf(received), count - 1);
    }
    lines += 1;
  }
  return begun + lines;
}

export function receivedIn(line: string): Received {
  const { kind, method, path, idempotency_key: key } = JSON.parse(line) as Record<string, string | null>;
  return kind === 'received' ? { method: method ?? '', path: path ?? '', key: key ?? '' } : null;
}

function nameOf({ method, path, key }: Pick<Request, 'method' | 'path' | 'key'>): string {
  return JSON.stringify([method, path, key]);
}
