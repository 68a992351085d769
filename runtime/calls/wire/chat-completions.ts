/** The request of a call over HTTP: one POST with the key and the fencing token, and a word about its delivery that is proved. */
import { exchange } from '../../wire/exchange.js';
import type { Transport } from './transport.js';

export const httpTransport: Transport = async (request) => {
  const headers = {
    'content-type': 'application/json',
    'content-length': request.body.length,
    'idempotency-key': request.idempotencyKey,
    'fencing-token': request.fencingToken,
  };
  const exchanged = await exchange({ ...request, method: 'POST', headers });
  if (exchanged.ended === 'complete') {
    const { status, contentType, bytes } = exchanged;
    return { delivery: 'complete', status, contentType, bytes };
  }
  return { delivery: exchanged.ended === 'refused' ? 'not_sent' : 'broken', detail: exchanged.detail };
};
