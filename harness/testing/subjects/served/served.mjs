/**
 * A subject that keeps its word through a power loss, or, as its scenario says, not: a format, a log of lines, a request between two of
 * them. Its serve role counts the lines, and behaves as a line says that it finds.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';

const role = process.argv[2];
const { KILLPOINT_STATE: state, KILLPOINT_OUT: out, KILLPOINT_SCENARIO: scenario } = process.env;
const behaviour = scenario === undefined ? 'good' : (JSON.parse(readFileSync(scenario, 'utf8')).behaviour ?? 'good');

const place = (name, folder = state) => join(folder, name);

function syncFolder() {
  const descriptor = openSync(state, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function make() {
  const descriptor = openSync(place('format.json.new'), 'w');
  writeSync(descriptor, '{}\n');
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(place('format.json.new'), place('format.json'));
  if (behaviour !== 'syncs no folder') syncFolder();
}

function append(line) {
  const descriptor = openSync(place('log.txt'), 'a');
  writeSync(descriptor, `${line}\n`);
  if (behaviour !== 'syncs no line') fsyncSync(descriptor);
  closeSync(descriptor);
}

async function request(key = 'key-1') {
  const response = await fetch(`${process.env.KILLPOINT_PROVIDER_URL}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ messages: [{ content: 'toy', role: 'user' }], model: 'toy' }),
  });
  return response.text();
}

function answer(more = {}) {
  const document = {
    detail: null,
    egress: { mechanism: 'none', refused: [] },
    pid: process.pid,
    refusal: null,
    replayed: false,
    role,
    settings: { journal_mode: 'none', node: process.versions.node, sqlite: '3.53.2', synchronous: 2 },
    status: 'completed',
    ...more,
  };
  const sorted = Object.fromEntries(Object.entries(document).sort(([left], [right]) => (left < right ? -1 : 1)));
  writeFileSync(`${out}.new`, `${JSON.stringify(sorted)}\n`);
  renameSync(`${out}.new`, out);
}

function held(folder) {
  const text = existsSync(place('log.txt', folder)) ? readFileSync(place('log.txt', folder), 'utf8') : '';
  // A line that was torn is none.
  const lines = text
    .split('\n')
    .slice(0, -1)
    .filter((line) => !line.includes('\0'));
  if (lines.includes('crash')) process.kill(process.pid, 'SIGKILL');
  if (lines.includes('exit')) process.exit(3);
  if (lines.includes('hang')) for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  return {
    digest: lines.length === 0 ? '0'.repeat(64) : createHash('sha256').update(lines.join('\n')).digest('hex'),
    entries: lines.length,
  };
}

if (role === 'serve') {
  for await (const line of createInterface({ input: process.stdin })) {
    const { make: mayMake, state: folder } = JSON.parse(line);
    const isMade = existsSync(place('format.json', folder));
    const told = isMade
      ? { opened: held(folder), refused: null, remade: null }
      : { opened: null, refused: { error: 'state-absent' }, remade: mayMake ? { digest: '0'.repeat(64), entries: 0 } : null };
    // Looking at it changes it, as an owner would.
    appendFileSync(place('lease.sqlite', folder), 'owner\n');
    process.stdout.write(`${JSON.stringify(told)}\n`);
  }
} else if (role === 'inspect') answer();
else {
  if (!existsSync(place('format.json'))) make();
  if (behaviour === 'makes a folder') mkdirSync(place('below'));
  if (behaviour === 'writes from another thread') {
    const code = `require('node:fs').appendFileSync(${JSON.stringify(place('log.txt'))}, 'thread\\n')`;
    const worker = new Worker(code, { eval: true });
    await new Promise((resolve) => worker.once('exit', resolve));
  }
  const has = held(state).entries;
  if (has < 1) append('intent');
  if (has < 1 && behaviour !== 'syncs no folder') syncFolder();
  if (has < 2) await request();
  if (has < 2 && behaviour === 'asks three times') for (const key of ['key-2', 'key-3']) await request(key);
  if (has < 2) append('answer');
  answer();
}
