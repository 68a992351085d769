/**
 * One request to the provider's control path.
 *
 * `node:http` rather than fetch: the question whether a request is held waits as long as the plan's deadline allows, and fetch has a
 * time-out of its own.
 */
import { request } from 'node:http';

export interface ControlAddress {
  readonly port: number;
  readonly token: string;
}

export function requestControl(
  address: ControlAddress,
  method: string,
  path: string,
  body?: string,
  signal?: AbortSignal,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { authorization: `Bearer ${address.token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const outgoing = request(
      { host: '127.0.0.1', port: address.port, method, path, headers, agent: false, ...(signal === undefined ? {} : { signal }) },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
