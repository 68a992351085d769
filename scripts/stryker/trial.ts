/**
 * Runs one test or loads one file under limits, so that a mutant that never ends costs seconds and not the process.
 *
 * A loop that asks nobody is stopped from outside by the engine; what waits for an answer that does not come is left behind with its world.
 */
import { Script } from 'node:vm';
import type { Test } from './collector.js';

export type Outcome = { is: 'passed' } | { is: 'failed'; why: string } | { is: 'endless'; why: string };

const caller = new Script('globalThis.__killpointCall()');

/** Calls it, and throws if it takes longer than the limit. */
function limited<T>(call: () => T, ms: number): T {
  let answer: T | undefined;
  (globalThis as { __killpointCall?: () => void }).__killpointCall = () => {
    answer = call();
  };
  caller.runInThisContext({ timeout: ms });
  return answer as T;
}

export async function tried(call: () => unknown, ms: number): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = limited(call, ms);
    if (!(answer instanceof Promise)) return { is: 'passed' };
    const late = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => resolve({ is: 'endless', why: `no answer in ${ms} ms` }), ms);
    });
    return await Promise.race([answer.then((): Outcome => ({ is: 'passed' })), late]);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { is: 'endless', why: `not done in ${ms} ms` };
    return { is: 'failed', why: String(message ?? error).slice(0, 200) };
  } finally {
    clearTimeout(timer);
  }
}

/** With what its suites do before it. */
export async function triedTest({ before, body }: Test, ms: number): Promise<Outcome> {
  for (const hook of before()) {
    const outcome = await tried(hook, ms);
    if (outcome.is !== 'passed') return outcome;
  }
  return tried(body, ms);
}
