/**
 * Questions to a provider about a key: a look-up, which only tells, and a fence, after which no earlier request of the key has an effect.
 *
 * As strict as the request itself: one exchange, nothing tried again, and an answer counts only when it is whole. What it means is decided
 * elsewhere, from what is kept of it.
 */
import type { Told } from '../core/reconciliation.js';
import { exchange } from '../../wire/exchange.js';

export interface Question {
  ask: 'lookup' | 'fence';
  idempotencyKey: string;
  /** The hash of the body that the key was sent with. */
  requestSha256: string;
  /** A fence refuses every token up to this one. */
  fencingToken: number;
}

export interface KeyQuestion {
  method: 'GET' | 'POST';
  /** Below the provider's URL. */
  path: string;
  requestSha256: string;
  /** Null for a look-up. */
  fencingToken: number | null;
}

/** The one exchange that a question is. */
export function questionOf({ ask, idempotencyKey, requestSha256, fencingToken }: Question): KeyQuestion {
  const path = `/keys/${encodeURIComponent(idempotencyKey)}`;
  if (ask === 'lookup') return { method: 'GET', path, requestSha256, fencingToken: null };
  return { method: 'POST', path: `${path}/fence`, requestSha256, fencingToken };
}

export async function askProvider(
  url: string,
  { method, path, requestSha256, fencingToken }: KeyQuestion,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Told> {
  const headers: Record<string, string | number> = { 'request-sha256': requestSha256 };
  if (method === 'POST') headers['content-length'] = 0;
  if (fencingToken !== null) headers['fencing-token'] = fencingToken;
  const exchanged = await exchange({ method, url, path, headers, body: null, timeoutMs, signal });
  if (exchanged.ended === 'complete') return exchanged;
  return { ended: exchanged.ended === 'timed_out' ? 'timed_out' : 'unreachable' };
}
