/**
 * Hands a command over to another of the four programs: same descriptors, its exit code.
 *
 * A program that was ended by a signal has no exit code; that is an internal error here, never a verdict.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { HarnessError } from '../errors.js';

export async function passThrough(file: string, args: readonly string[]): Promise<number> {
  if (!existsSync(file)) throw new HarnessError('build-missing', `${file} is not there: this installation is not complete.`);
  const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' });
  const forward = (name: NodeJS.Signals): void => void child.kill(name);
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, forward);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 70;
}
