/**
 * A tool behind HTTP: one POST under the call's key.
 *
 * A whole response is the result, whatever its status: an error that the tool tells of is known. Refused at every address proves that no
 * byte left. A time-out, a cut or a reset proves nothing.
 */
import { exchange } from '../../wire/exchange.js';
import { completed, timeoutMsMax, type Outcome, type ToolCallToSend } from './outcome.js';

export async function dispatchHttp({ key, tool, signal }: ToolCallToSend, body: Buffer, url: string): Promise<Outcome> {
  const exchanged = await exchange({
    method: 'POST',
    url,
    path: `/effects/${tool.effect}`,
    headers: { 'content-type': 'application/json', 'content-length': body.length, 'idempotency-key': key },
    body,
    timeoutMs: Math.min(tool.timeout_ms, timeoutMsMax),
    signal,
  });
  if (exchanged.ended === 'complete') return completed(exchanged.bytes, exchanged.status < 200 || exchanged.status > 299);
  return { outcome: exchanged.ended === 'refused' ? 'not_sent' : 'unknown', detail: exchanged.detail };
}
