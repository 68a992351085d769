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
  body: Buffer;
  timeoutMs: number;
}

export type Delivery =
  | { delivery: 'complete'; status: number; contentType: string | null; bytes: Buffer }
  | { delivery: 'not_sent'; detail: string }
  | { delivery: 'broken'; detail: string };

export type Transport = (request: WireRequest) => Promise<Delivery>;
