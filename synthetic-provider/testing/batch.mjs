/** A real client process: asks for several effects at once, each under a key of its own, and waits for all of them. */
import { request } from 'node:http';

const [url, ...names] = process.argv.slice(2);
for (const name of names) {
  const sent = request(`${url}/effects/${name}`, { method: 'POST', headers: { 'idempotency-key': `key-of-${name}` } });
  sent.on('response', (response) => response.resume()).on('error', () => undefined);
  sent.end('{}');
}
