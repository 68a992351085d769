/** The kept evidence of a reconciliation: an exchange with the provider, or the statement of an operator. Pure. */
import type { EffectReconciled } from '../../contract/types.js';
import { decodeUtf8, parseCanonical } from '../../read/canonical.js';
import { isExchange, type Exchange } from '../provider-exchange.js';
import { hasExactly, isObject, parsed } from '../values.js';

export interface Evidence {
  readonly basis: EffectReconciled['basis'];
  readonly exchange: Exchange | null;
  readonly statement: { readonly by: string; readonly note: string } | null;
}

/** The evidence artifact; null where the bytes are not canonical JSON of its shape. */
export function readEvidence(bytes: Uint8Array): Evidence | null {
  const value = parsed(() => parseCanonical(decodeUtf8(bytes)));
  if (!isObject(value) || !hasExactly(value, ['basis', 'exchange', 'statement'])) return null;
  const { basis, exchange, statement } = value;
  const isAsked = basis === 'provider_lookup' || basis === 'provider_fence';
  const isTold = basis === 'operator_statement';
  if (isAsked && isExchange(exchange) && statement === null) return { basis, exchange, statement };
  return isTold && exchange === null && isStatement(statement) ? { basis, exchange, statement } : null;
}

function isStatement(value: unknown): value is NonNullable<Evidence['statement']> {
  return isObject(value) && hasExactly(value, ['by', 'note']) && typeof value.by === 'string' && typeof value.note === 'string';
}
