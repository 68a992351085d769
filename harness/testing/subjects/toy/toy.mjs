/**
 * The smallest subject: an intent line, one request, an answer line; a recovery is two lines with a request between them, and its lock is a
 * file that the owner makes. It behaves as its scenario says, well or badly, so that the harness
 * can be shown real processes that break each rule of the subject protocol.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const role = process.argv[2];
const { KILLPOINT_STATE: state, KILLPOINT_OUT: out, KILLPOINT_NONCE: nonce, KILLPOINT_CHECKPOINT: armed = '' } = process.env;
const { KILLPOINT_OPERATION: operation = '', KILLPOINT_INPUT: input = '' } = process.env;
const { behaviour = 'good', children = [] } = JSON.parse(readFileSync(process.env.KILLPOINT_SCENARIO, 'utf8'));
const log = join(state, 'log.txt');

function answer(status, more = {}) {
  const document = {
    detail: null,
    egress: { mechanism: 'none', refused: [] },
    pid: process.pid,
    refusal: null,
    replayed: false,
    role,
    settings: { journal_mode: 'none', node: process.versions.node, sqlite: '3.53.2', synchronous: 2 },
    status,
    ...more,
  };
  const sorted = Object.fromEntries(Object.entries(document).sort(([left], [right]) => (left < right ? -1 : 1)));
  writeFileSync(`${out}.tmp`, `${JSON.stringify(sorted)}\n`);
  renameSync(`${out}.tmp`, out);
}

function announce(checkpoint, given = nonce, pid = process.pid, times = 1) {
  const occurrence = occurrences.get(checkpoint) ?? 1;
  writeSync(3, `${JSON.stringify({ checkpoint, nonce: given, occurrence, pid })}\n`.repeat(times));
}

function park() {
  const byte = Buffer.alloc(1);
  if (readSync(4, byte, 0, 1, null) === 0) process.exit(86);
}

/** What a subject can leave for a careless harness to trip over. */
function leaveTraps() {
  if (behaviour === 'answer is a link') symlinkSync('/etc/hostname', out);
  if (behaviour === 'answer is a fifo') execFileSync('mkfifo', [out]);
  if (behaviour === 'state holds a fifo') execFileSync('mkfifo', [join(state, 'pipe')]);
  if (behaviour === 'state holds a link') symlinkSync('/etc/hostname', join(state, 'link'));
  if (behaviour === 'floods stderr') for (let n = 0; n < 64; n++) writeSync(2, Buffer.alloc(1024 * 1024, 'x'));
}

const occurrences = new Map();

function checkpoint(name) {
  const occurrence = (occurrences.get(name) ?? 0) + 1;
  occurrences.set(name, occurrence);
  if (armed !== `${name}#${occurrence}`) return;
  leaveTraps();
  if (behaviour === 'floods descriptor 3') for (;;) writeSync(3, Buffer.alloc(1024 * 1024, 'x'));
  if (behaviour === 'ignores SIGTERM') process.on('SIGTERM', () => undefined);
  if (behaviour === 'throws at the checkpoint') throw new Error('planted: thrown at the checkpoint');
  if (behaviour === 'exits at the checkpoint') process.exit(0);
  if (behaviour === 'never announces') for (;;) park();
  if (behaviour === 'half a line') {
    writeSync(3, '{"checkpoint":');
    park();
  }
  if (behaviour === 'another nonce') announce(name, 'f'.repeat(32));
  else if (behaviour === 'another pid') announce(name, nonce, process.ppid);
  else if (behaviour === 'another checkpoint') announce('answer.written');
  else announce(name, nonce, process.pid, behaviour === 'announces twice' ? 2 : 1);
  if (behaviour === 'ends after the announcement') process.exit(0);
  park();
}

/** Carries out whatever the record lacks; one at a time, by a lock that a kill leaves behind and a copy does not carry. */
async function recover() {
  checkpoint('role.ready');
  const done = readFileSync(log, 'utf8').split('\n');
  checkpoint('projection.read');
  try {
    closeSync(openSync(join(state, 'lease.sqlite'), 'wx'));
  } catch {
    if (behaviour === 'hangs when refused') await new Promise(() => setInterval(() => {}, 1000));
    answer('refused', { refusal: { call_id: null, drift: [], error: 'OwnerAlive', hazard: null, operation: null } });
    process.exit(64);
  }
  const steps = ['recovering', 'recovered'].filter((step) => !done.includes(step));
  for (const step of steps) {
    if (step === 'recovered') await request();
    appendFileSync(log, `${step}\n`);
    checkpoint('commit');
  }
  if (input !== '') appendFileSync(log, `${operation} ${readFileSync(input, 'utf8')}`);
  answer('completed', { operations: steps.map(() => 'finalize') });
}

async function request() {
  const response = await fetch(`${process.env.KILLPOINT_PROVIDER_URL}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1' },
    body: JSON.stringify({ messages: [{ content: 'toy', role: 'user' }], model: 'toy' }),
  });
  return response.text();
}

/** Children that outlive a careless kill: in the group, in a session of their own, or, as a job, in a group of their own and without any mark. */
const parent = behaviour === 'inspection leaves children' ? 'inspect' : 'produce';
for (const kind of children) {
  if (role !== parent) continue;
  const waits = [process.execPath, '-e', 'setInterval(() => {}, 1000)', out];
  const line = `set -m; env -i ${waits.map((word) => `'${word}'`).join(' ')} &`;
  if (kind === 'job') execFileSync('bash', ['-c', line], { stdio: 'ignore' });
  else spawn(waits[0], waits.slice(1), { stdio: 'ignore', detached: kind === 'setsid' }).unref();
}

if (role === 'inspect') {
  if (behaviour === 'inspection appends') appendFileSync(log, 'looked\n');
  if (behaviour === 'inspection fails') throw new Error('planted: the inspector failed');
  if (existsSync(log)) copyFileSync(log, join(process.env.KILLPOINT_SCRATCH, 'log.txt'));
  answer('completed');
} else if (role === 'resume' && operation !== '') {
  await recover();
} else if (role === 'resume') {
  answer('refused', {
    refusal: { call_id: null, drift: [], error: 'ResumeRefused', hazard: 'unsafe', operation: 'reconcile_effect' },
  });
} else {
  appendFileSync(log, 'intent\n');
  writeFileSync(join(state, 'lock'), String(process.pid));
  checkpoint('intent.written');
  if (behaviour === 'hangs') await new Promise(() => setInterval(() => {}, 1000));
  if (behaviour === 'writes a lot to stderr') process.stderr.write(`${process.argv[1]}\n`);
  if (behaviour !== 'sends nothing') await request();
  appendFileSync(log, 'answer\n');
  checkpoint('answer.written');
  answer('completed');
}
