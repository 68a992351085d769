import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { goodBundle } from '../testing/bundle.js';

/** Few cases: their verdict is longer than what a pipe takes at once. */
const folder = mkdtempSync(join(tmpdir(), 'killpoint-verifier-'));
afterAll(() => rmSync(folder, { recursive: true }));
for (const [path, bytes] of goodBundle(['control', 'held', 'manifest', 'first']).files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), bytes);
}

it.each([[[folder]], [[folder, '--json']]])('a reader that stops reading changes no exit code (%#)', async (args) => {
  const program = spawn(process.execPath, ['--import', 'tsx', 'verifier/cli/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: Buffer[] = [];
  program.stderr.on('data', (bytes: Buffer) => said.push(bytes));
  program.stdout.destroy();
  const [code, signal] = (await once(program, 'close')) as [number | null, string | null];
  expect({ code, signal, said: Buffer.concat(said).toString() }).toEqual({ code: 0, signal: null, said: '' });
});
