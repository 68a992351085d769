/**
 * The provider by itself, as a person starts it: a prefix at once, its URL in the line, its receipts in the named file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { mainFile } from './testing/provider.js';

const folder = mkdtempSync(join(tmpdir(), 'killpoint-provider-alone-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startedWith(
  ...args: string[]
): Promise<{ line: Record<string, unknown> | null; stop: () => Promise<number | null>; errors: () => string }> {
  const child = spawn(process.execPath, [mainFile(), ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = once(child, 'close') as Promise<[number | null]>;
  const first = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>,
    ended.then(() => null),
  ]);
  const stop = async (): Promise<number | null> => {
    child.stdin.end();
    return (await ended)[0];
  };
  return { line: first === null ? null : (JSON.parse(first[0]) as Record<string, unknown>), stop, errors: () => errors };
}

it('answers at the URL of its first line and keeps two receipts of the request', async () => {
  const receipts = join(folder, 'receipts.jsonl');
  const provider = await startedWith('--receipts', receipts);
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
  const response = await fetch(`${String(provider.line?.url)}/v1/chat/completions`, { method: 'POST', body });
  expect(response.status).toBe(200);
  await response.text();
  expect(await provider.stop()).toBe(0);
  const kinds = readFileSync(receipts, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { kind: string }).kind);
  expect(kinds).toEqual(['received', 'settled']);
});

it('does what the script in a file says', async () => {
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ key: 'ignore', requests: [], otherwise: { do: 'status', status: 503 } }));
  const provider = await startedWith('--receipts', join(folder, 'scripted.jsonl'), '--script', script);
  const response = await fetch(`${String(provider.line?.url)}/v1/chat/completions`, {
    method: 'POST',
    body: '{"model":"m","messages":[{"role":"user","content":"x"}]}',
  });
  expect(response.status).toBe(503);
  await response.text();
  expect(await provider.stop()).toBe(0);
});

it('goes on with receipts that are there, where it is told to', async () => {
  const receipts = join(folder, 'continued.jsonl');
  const ask = async (url: unknown): Promise<void> => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
    await (await fetch(`${String(url)}/v1/chat/completions`, { method: 'POST', body })).text();
  };
  const first = await startedWith('--receipts', receipts);
  await ask(first.line?.url);
  await first.stop();
  const second = await startedWith('--receipts', receipts, '--continue');
  await ask(second.line?.url);
  expect(await second.stop()).toBe(0);
  const seqs = readFileSync(receipts, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(seqs).toEqual([1, 2, 3, 4]);
});

it.each([
  ['one mistake', { key: 'maybe' }, '1 mistake', ['/key: must be one of "ignore", "honour".']],
  [
    'several',
    { key: 'maybe', extra: 1 },
    '2 mistakes',
    ['/: has the unknown member "extra".', '/key: must be one of "ignore", "honour".'],
  ],
])(
  'refuses a script with %s with 64, by its file, one mistake a line, and makes no receipts',
  async (_name, wrong, count, told) => {
    const script = join(folder, `wrong-${told.length}.json`);
    const receipts = join(folder, `wrong-${told.length}.jsonl`);
    writeFileSync(script, JSON.stringify({ requests: [], otherwise: { do: 'answer' }, ...wrong }));
    const provider = await startedWith('--receipts', receipts, '--script', script);
    expect(await provider.stop()).toBe(64);
    const lines = [`synthetic-provider: The script ${script} has ${count}.`, ...told.map((mistake) => `  ${mistake}`)];
    expect(provider.errors()).toBe(`${lines.join('\n')}\n`);
    expect(existsSync(receipts)).toBe(false);
  },
);

it.each([
  ['a script without a prefix', ['--script', 'x.json'], '--script goes with --receipts.'],
  ['receipts that exist', ['--receipts', join(folder, 'script.json')], 'say "continue" (--continue) to go on with this one.'],
  ['receipts to go on with that are not named', ['--continue'], '--continue goes with --receipts.'],
  [
    'a script that is not there',
    ['--receipts', join(folder, 'a'), '--script', 'nope.json'],
    'The script nope.json is not there.',
  ],
  ['a script that is no JSON', ['--receipts', join(folder, 'a'), '--script', mainFile()], 'js is not JSON: '],
])('refuses %s with 64 and one sentence', async (_name, args, sentence) => {
  if (args[1] === join(folder, 'script.json')) writeFileSync(join(folder, 'script.json'), 'mine');
  const provider = await startedWith(...args);
  expect(provider.line).toBeNull();
  expect(await provider.stop()).toBe(64);
  expect(provider.errors()).toContain(sentence);
  expect(provider.errors().trimEnd().split('\n')).toHaveLength(1);
});
