/** The role programs of sessions as real processes, over a strict provider that counts; and copies as a crash leaves them. */
import { expect } from 'vitest';
import type { SessionState } from '../../../contract/types.js';
import { bytesOf } from '../../../sessions/testing/session.js';
import { startStrictProvider, type StrictProvider } from '../../../sessions/testing/strict-provider.js';
import { emptyFolder, runRole as runAnyRole, type Role, type RoleOptions } from '../../../testing/roles.js';
import type { Scenario } from '../scenario.js';
import { asksForWhatItIsTold, scenarioOf, tool } from './scenarios.js';

export const plain = scenarioOf([tool('charge')]);

export function startProvider(): Promise<StrictProvider> {
  return startStrictProvider({ model: asksForWhatItIsTold });
}

/** Whatever was killed and taken up: nothing was sent that a chat provider refuses, and, where it is asked for, no call was made twice. */
export function demandLawful(provider: StrictProvider, { once }: { once: boolean }): void {
  const wrong = [...provider.refused()];
  for (const [key, count] of Object.entries(provider.toolKeys())) if (once && count > 1) wrong.push(`${key} came ${count} times`);
  if (wrong.length > 0) throw new Error(`What was sent is not lawful: ${wrong.join('; ')}.`);
}

export function runRole(options: RoleOptions): Promise<Role> {
  return runAnyRole({ subject: 'sessions', scenario: plain, ...options });
}

/** As a person does it: by the record alone. */
export function byRecord(options: Omit<RoleOptions, 'role'>, operation = '', input: object | null = null): Promise<Role> {
  const { variables = {} } = options;
  const given = input === null ? {} : { inputs: { KILLPOINT_INPUT: input } };
  return runRole({
    ...options,
    ...given,
    role: 'resume',
    variables: { KILLPOINT_SCENARIO: '', KILLPOINT_OPERATION: operation, ...variables },
  });
}

export async function killedAt(checkpoint: string, url: string, scenario: Scenario = plain): Promise<string> {
  const state = emptyFolder();
  const role = await runRole({ role: 'produce', state, url, scenario, checkpoint });
  expect(role).toMatchObject({ code: null, signal: 'SIGKILL', answer: null, line: { nonce: 'nonce-1' } });
  return state;
}

export interface Inspected {
  role: Role;
  session: SessionState;
  /** Types of the frames, in order. */
  types: string[];
}

/** A look, which changes no byte. */
export async function inspect(state: string): Promise<Inspected> {
  const before = bytesOf(state);
  const role = await runRole({ role: 'inspect', state, url: '' });
  expect(bytesOf(state)).toEqual(before);
  const frames = (role.answer?.log?.frames ?? []) as { type: string }[];
  return { role, session: role.answer?.session as unknown as SessionState, types: frames.map(({ type }) => type) };
}
