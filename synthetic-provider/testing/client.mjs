/** A real client process: sends one request and waits. Prints the status, or `broken`, for as long as it lives. */
import { request } from 'node:http';

const [url, key] = process.argv.slice(2);
const body = JSON.stringify({ messages: [{ content: 'Say something.', role: 'user' }], model: 'synthetic-1' });
const sent = request(`${url}/v1/chat/completions`, {
  method: 'POST',
  headers: { 'idempotency-key': key, 'content-type': 'application/json' },
});
sent.on('response', (response) => {
  response.resume().on('end', () => console.log(response.statusCode));
});
sent.on('error', () => console.log('broken'));
sent.end(body);
