/**
 * For tests of what may run: git as nobody in particular, and the refusal that a piece of work must end with.
 */
import { execFileSync } from 'node:child_process';
import { HarnessError } from '../errors.js';

export function git(root: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', ['-C', root, ...identity, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Throws where the work was not refused, or failed by anything but a refusal. */
export async function refusalOf(work: Promise<unknown>): Promise<HarnessError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HarnessError)) throw new Error(`A refusal was expected, not ${String(error)}.`);
  return error;
}
