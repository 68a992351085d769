/**
 * What a transport promises: at most one request per call of it, and a word about the delivery that is never better than proved.
 *
 * `complete`: one whole response, of any status. `not_sent`: proved that no byte left. `broken`: everything else, where the
 * provider may or may not have served the request.
 */
export interface WireRequest {
  /** The provider's URL; the path is appended to it. */
  url: string;
  path: string;
  idempotencyKey: string;
  /** Grows with every attempt under a key: a provider that fenced the key refuses every token up to the fence's. */
  fencingToken: number;
  body: Buffer;
  /** At most 2,147,483,647, the longest that a timer can wait. */
  timeoutMs: number;
  /** Aborted when nobody waits any more: end the request; what it did is then unknown. */
  signal?: AbortSignal;
}

export type Delivery =
  | { delivery: 'complete'; status: number; contentType: string | null; bytes: Buffer }
  | { delivery: 'not_sent'; detail: string }
  | { delivery: 'broken'; detail: string };

export type Transport = (request: WireRequest) => Promise<Delivery>;

/** The word of a transport, which anybody may have written: what is outside its promise proves nothing. */
export function asDelivery(told: Delivery): Delivery {
  const word: Partial<Record<'delivery' | 'status' | 'contentType' | 'bytes' | 'detail', unknown>> = told ?? {};
  if (word.delivery === 'not_sent' || word.delivery === 'broken')
    return { delivery: word.delivery, detail: typeof word.detail === 'string' ? word.detail : 'no reason was given' };
  const { delivery, status, contentType, bytes } = word;
  const isStatus = Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999;
  const isType = contentType === null || (typeof contentType === 'string' && contentType.isWellFormed());
  if (delivery === 'complete' && isStatus && isType && bytes instanceof Uint8Array) return told;
  return { delivery: 'broken', detail: 'the transport gave no whole response: status, content type or bytes are amiss' };
}
