/**
 * A command tool that has an effect elsewhere: `node tools/effect.js <name>` posts its standard input to that effect of the provider, under the
 * key of its call, and prints what came back.
 *
 * Exit 0 where the answer's status is 2xx, 1 where it is another or nothing was sent. Where nobody can know it ends by a signal, which is how
 * a program says that.
 */
import { exchange } from '../../../wire/exchange.js';

const { KILLPOINT_PROVIDER_URL: url = '', KILLPOINT_TOOL_KEY: key = '' } = process.env;
const [, , name = ''] = process.argv;
if (url === '' || key === '' || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
  process.stderr.write('Usage: node effect.js <name of the effect>, with KILLPOINT_PROVIDER_URL and KILLPOINT_TOOL_KEY set\n');
  process.exit(64);
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const body = Buffer.concat(chunks);
const exchanged = await exchange({
  method: 'POST',
  url,
  path: `/effects/${name}`,
  headers: { 'content-type': 'application/json', 'content-length': body.length, 'idempotency-key': key },
  body,
  timeoutMs: 2 ** 31 - 1,
});
if (exchanged.ended === 'complete') {
  process.stdout.write(exchanged.bytes);
  process.exitCode = exchanged.status >= 200 && exchanged.status <= 299 ? 0 : 1;
} else if (exchanged.ended === 'refused') {
  process.stdout.write(exchanged.detail);
  process.exitCode = 1;
} else process.kill(process.pid, 'SIGTERM');
