/** Command tools as real processes: groups, signals, and what is left when a call has ended. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sessionLogV1 } from '../../contract/data.js';
import type { SharedTool } from '../../contract/types.js';
import { toolPlane, type Outcome } from './plane.js';

const key = 's-1/run-a/batch-3/call_1';
const folder = mkdtempSync(join(tmpdir(), 'killpoint-command-'));
let scripts = 0;

function node(source: string): string[] {
  const path = join(folder, `tool-${(scripts += 1)}.mjs`);
  writeFileSync(path, source);
  return [process.execPath, path];
}

const toolOf = (argv: string[], timeoutMs: number): SharedTool => ({
  name: 'local',
  description: '',
  arguments: [],
  kind: 'command',
  effect: null,
  argv: argv as SharedTool['argv'],
  safety: 'side_effect',
  approval: 'never',
  on_unknown: 'interrupt',
  timeout_ms: timeoutMs,
});

function run(argv: string[], { timeoutMs = 20_000, signal = new AbortController().signal } = {}): Promise<Outcome> {
  return toolPlane('http://127.0.0.1:9/p').dispatch({ key, tool: toolOf(argv, timeoutMs), arguments: '{}', signal });
}

/** Resolves once the file is there: the tool says so, nobody guesses. */
function written(path: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    });
    if (existsSync(path)) {
      watcher.close();
      resolve();
    }
  });
}

function livesInGroup(pid: number): boolean {
  const states = execFileSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return states.some((line) => {
    const [group, state = ''] = line.trim().split(/\s+/);
    return Number(group) === pid && !state.startsWith('Z');
  });
}

describe('a command', () => {
  test('gets the body and the key, no credential of its host, and its output is the result', async () => {
    process.env['SECRET_TOKEN'] = 'a credential';
    const argv = node(`
      let body = '';
      for await (const chunk of process.stdin) body += chunk;
      const { KILLPOINT_TOOL_KEY: key, KILLPOINT_PROVIDER_URL: url, SECRET_TOKEN: secret } = process.env;
      process.stdout.write(JSON.stringify([body, key, url, secret ?? null]));`);
    const outcome = await run(argv);
    delete process.env['SECRET_TOKEN'];
    expect(outcome).toMatchObject({ outcome: 'completed', isError: false });
    expect(JSON.parse((outcome as { output: string }).output)).toEqual([
      '{"arguments":"{}","tool":"local"}',
      key,
      'http://127.0.0.1:9/p',
      null,
    ]);
  });

  test('gets what its host gives it, and nothing of its host by a name that the host did not say', async () => {
    process.env['KILLPOINT_NONCE'] = 'of the host';
    const call = { key, tool: toolOf(node(`process.stdout.write(JSON.stringify(process.env));`), 20_000), arguments: '{}' };
    const { signal } = new AbortController();
    const [given, none] = await Promise.all(
      [{ MARK: 'given', KILLPOINT_TOOL_KEY: 'another' }, {}].map((environment) =>
        toolPlane(null, { environment }).dispatch({ ...call, signal }),
      ),
    );
    delete process.env['KILLPOINT_NONCE'];
    const said = [given, none].map((outcome) => JSON.parse((outcome as { output: string }).output) as NodeJS.ProcessEnv);
    expect(said.map(({ MARK, KILLPOINT_NONCE, KILLPOINT_TOOL_KEY }) => [MARK, KILLPOINT_NONCE, KILLPOINT_TOOL_KEY])).toEqual([
      ['given', undefined, key],
      [undefined, undefined, key],
    ]);
  });

  test('is an error by its exit code, also where it read nothing of what it was given', async () => {
    const argv = node(`process.stdout.write('no'); process.exitCode = 3;`);
    expect(await run(argv)).toEqual({ outcome: 'completed', output: 'no', isError: true });
  });

  test('is not sent where it cannot be started, and is then not available', async () => {
    const absent = [join(folder, 'nothing-here')];
    expect((await run(absent)).outcome).toBe('not_sent');
    expect((await run([folder])).outcome).toBe('not_sent');
    expect((await run(['a\0b'])).outcome).toBe('not_sent');
    const plane = toolPlane(null);
    expect(
      [absent, [folder], ['sh'], ['no-such-program'], [process.execPath]].map((argv) => plane.available(toolOf(argv, 1))),
    ).toEqual([false, false, true, false, true]);
  });

  test('is unknown where a signal ended it', async () => {
    expect((await run(node(`process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);`))).outcome).toBe('unknown');
  });

  test.each(['time-out', 'cancel'] as const)('ends with its whole group on a %s', async (how) => {
    const ready = join(folder, `ready-${how}`);
    const argv = node(`
      import { spawn } from 'node:child_process';
      import { renameSync, writeFileSync } from 'node:fs';
      const child = spawn('sleep', ['60'], { stdio: 'inherit' });
      child.on('spawn', () => { writeFileSync('${ready}.new', String(process.pid)); renameSync('${ready}.new', '${ready}'); });
      setInterval(() => {}, 1000);`);
    const stop = new AbortController();
    const ending = run(argv, { timeoutMs: how === 'time-out' ? 2000 : 60_000, signal: stop.signal });
    await written(ready);
    const pid = Number(readFileSync(ready, 'utf8'));
    expect(livesInGroup(pid)).toBe(true);
    if (how === 'cancel') stop.abort();
    expect((await ending).outcome).toBe('unknown');
    expect(livesInGroup(pid)).toBe(false);
  });

  test('leaves nobody of its group behind when it has ended', async () => {
    const argv = node(`
      import { spawn } from 'node:child_process';
      spawn('sleep', ['60'], { stdio: 'ignore' }).on('spawn', () => { process.stdout.write(String(process.pid)); process.exitCode = 0; setTimeout(() => process.exit(), 10); });`);
    const outcome = await run(argv);
    expect(outcome).toMatchObject({ outcome: 'completed', isError: false });
    expect(livesInGroup(Number((outcome as { output: string }).output))).toBe(false);
  });

  test('is unknown where somebody holds its output open until the end of its time', async () => {
    const argv = node(`
      import { spawn } from 'node:child_process';
      spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'ignore'] }).on('spawn', () => process.exit(0));`);
    expect((await run(argv, { timeoutMs: 1500 })).outcome).toBe('unknown');
  });

  test('keeps no output that is too large, and still ends', async () => {
    const argv = node(`process.stdout.write('a'.repeat(${sessionLogV1.output_cap + 1}));`);
    expect(await run(argv)).toEqual({ outcome: 'completed', output: sessionLogV1.texts.too_large, isError: true });
  });
});
