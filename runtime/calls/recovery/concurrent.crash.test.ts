/**
 * K processes open one state folder, read it, and carry out the same operation: exactly one acts, each other gets a refusal of its own and
 * writes nothing, not even to the files of the ledger. Nobody fails for another reason.
 *
 * In the forced rounds everybody has read the projection before anybody acts. The processes live through all rounds; what they hold of a
 * folder they give up after each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notSent } from '../testing/folder.js';
import { startKeyedProvider, tells, type KeyedProvider } from '../testing/keyed-provider.js';
import { buildFolder } from '../../testing/roles.js';
import { diedAfter, openAt } from '../testing/stages.js';

const k = 8;
const racer = `
const { createInterface } = await import('node:readline');
const { openRuntime } = await import(process.argv[1] + '/runtime/index.js');
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (told) => console.log(JSON.stringify(told));
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const { folder, url, method, forced } = JSON.parse(line.value);
  const open = () => openRuntime({
    directory: folder, commit: 'each',
    provider: { url, model: 'synthetic-1', system: 'You review.', reconcile: 'lookup' },
    context: { budgetTokens: 64 }, retry: { max_attempts: 3, retry_statuses: [503], retry_not_sent: true },
  });
  const told = { pid: process.pid, error: null };
  let runtime;
  try {
    if (forced) runtime = open();
    const workState = runtime?.workState('task-1');
    say('ready');
    await lines.next();
    runtime ??= open();
    await runtime[method]('call-6', { workState: workState ?? runtime.workState('task-1') });
  } catch (error) {
    told.error = error.code ?? String(error);
  } finally {
    runtime?.close();
  }
  say(told);
}
`;

interface Told {
  pid: number;
  error: string | null;
}

function startRacer() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', racer, buildFolder()], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const hear = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? 'null');
  return { child, exited: once(child, 'exit'), hear, say: (line: string) => void child.stdin.write(`${line}\n`) };
}

let racers: ReturnType<typeof startRacer>[];
let provider: KeyedProvider;
beforeAll(async () => {
  racers = Array.from({ length: k }, startRacer);
  provider = await startKeyedProvider();
});
afterAll(async () => {
  for (const { child } of racers) child.stdin.end();
  await Promise.all(racers.map(({ exited }) => exited));
  await provider.close();
});

/** Lets everybody go together once all are ready, and hears what each has to say. */
async function race(folder: string, method: string, forced: boolean): Promise<Told[]> {
  for (const { say } of racers) say(JSON.stringify({ folder, url: provider.url, method, forced }));
  for (const { hear } of racers) expect(await hear()).toBe('ready');
  for (const { say } of racers) say('go');
  return Promise.all(racers.map(async ({ hear }) => (await hear()) as Told));
}

describe.each([true, false])('forced: %s', (forced) => {
  test.each([
    ['resumeCall', 'call.manifest', 1, 'resume-refused'],
    ['reconcile', 'attempt.started', 0, 'recovery-refused'],
    ['finalize', 'attempt.retry_decided', 0, 'recovery-refused'],
    ['startNextAttempt', 'attempt.completed', 1, 'recovery-refused'],
  ])('%s after %s', async (method, type, requests, late) => {
    const { folder } = await diedAfter(type, method === 'startNextAttempt' ? notSent : undefined);
    provider.now.question = tells.found;
    const before = openAt(folder, provider).events().length;
    const known = provider.calls().length;
    const told = await race(folder, method, forced);
    const acted = told.filter(({ error }) => error === null);
    expect(acted, JSON.stringify(told)).toHaveLength(1);
    const refusals = ['owner-alive', 'overtaken', ...(forced ? [] : [late])];
    for (const { error } of told) if (error !== null) expect(refusals).toContain(error);
    expect(provider.calls().length - known).toBe(requests);
    const runtime = openAt(folder, provider);
    const appended = runtime.events().slice(before);
    const pids = appended.flatMap(({ payload }) => ('recovery' in payload ? [payload.recovery?.pid] : []));
    expect(new Set(pids)).toEqual(new Set([acted[0]?.pid]));
    expect(appended.map(({ seq }) => seq)).toEqual(appended.map((_event, index) => before + 1 + index));
    runtime.close();
  });
});

test('who is refused leaves the files of the ledger as they were, byte for byte', async () => {
  const { folder } = await diedAfter('attempt.retry_decided');
  const owner = openAt(folder, provider);
  owner.recordClaim('task-1', { claimId: 'claim-2', statement: 's', basis: 'b' });
  const files = () => ['ledger.sqlite', 'ledger.sqlite-wal'].map((name) => readFileSync(join(folder, name)).toString('base64'));
  const before = files();
  const told = await race(folder, 'finalize', false);
  expect(told.map(({ error }) => error)).toEqual(Array(k).fill('owner-alive'));
  expect(files()).toEqual(before);
  owner.close();
});
