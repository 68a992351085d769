/** A producer of calls that is killed where it parks, and what the tests of the roles ask of the state that it leaves. */
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkpoints } from '../contract/data.js';
import type { Scenario } from '../subjects/calls/scenario.js';
import type { TestProvider } from './provider.js';
import { emptyFolder, review, runRole, withCall, type Role } from './roles.js';

export const stateOf = (role: Role) => role.answer?.projections?.[0];
export const eventCount = (role: Role) => role.answer?.events?.length;
export const inspect = (folder: string): Promise<Role> => runRole({ role: 'inspect', state: folder, url: '' });

export async function killedProducer(provider: TestProvider, checkpoint: string, scenario: Scenario = review): Promise<string> {
  const folder = emptyFolder();
  const role = await runRole({ role: 'produce', state: folder, url: provider.url, scenario, checkpoint });
  expect(role).toMatchObject({ code: null, signal: 'SIGKILL', answer: null, line: { nonce: 'nonce-1' } });
  return folder;
}

const isDurable = (file: string): boolean => !/-shm$|^lease/.test(file);

export function copyOf(folder: string): string {
  const copy = emptyFolder();
  for (const name of readdirSync(folder).filter(isDurable)) cpSync(join(folder, name), join(copy, name));
  return copy;
}

export function hashes(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .filter(isDurable)
      .map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex'),
      ]),
  );
}

/** Which scenario commits a type that the plain one does not. */
const special: Record<string, Scenario> = {
  'context.compilation_failed': { ...review, context: { ...review.context, required_ids: ['A', 'B', 'never-offered'] } },
  'call.preparation_failed': withCall({ max_request_bytes: 64 }),
  'task.accepted': { ...review, accept: 'accepted' },
  'task.rejected': { ...review, accept: 'rejected' },
};

const onlyOfResume = ['call.resumed', 'effect.reconciled', 'duplicate.accepted'];

/** The types that a producer commits. */
export const producible: readonly string[] = checkpoints['calls/v1'].committed.filter((name) => !onlyOfResume.includes(name));
/** Those at which each test run kills one: before a request, after it, and where there is to be none. The others are for the gate. */
export const parkedFirst: readonly string[] = ['attempt.started', 'attempt.observed', 'context.compilation_failed'];

export async function expectParkedAt(provider: TestProvider, name: string): Promise<void> {
  const folder = await killedProducer(provider, `${name}#1`, special[name]);
  const inspected = await inspect(folder);
  expect(inspected.answer?.events?.at(-1)?.type).toBe(name);
  const tooEarly = producible.indexOf('attempt.observed') > producible.indexOf(name) || name === 'call.preparation_failed';
  expect(provider.seen.length).toBe(tooEarly ? 0 : 1);
}
