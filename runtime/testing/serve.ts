/** A serve role as a real process: lines in, lines out. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServeAnswer } from '../contract/types.js';
import { buildFolder } from './roles.js';

export interface Serve {
  ask: (state: string, make?: boolean) => Promise<ServeAnswer>;
  /** Descriptors that the process has open. */
  descriptors: () => number;
  /** Ends its input, and says how it ended. */
  end: () => Promise<Ended>;
}

export interface Ended {
  code: number | null;
  stderr: string;
}

export type Served = 'calls' | 'sessions';

function started(subject: Served) {
  const child = spawn(process.execPath, ['serve.js'], {
    cwd: join(buildFolder(), 'runtime/subjects', subject),
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {},
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  // It may have ended before it was told to.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, stderr }));
  return { child, ended };
}

export function startServe(subject: Served): Serve {
  const { child, ended } = started(subject);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (state, make = false) => {
      child.stdin.write(`${JSON.stringify({ make, state })}\n`);
      const { value, done } = await answers.next();
      if (done === true) throw new Error(`The serve role ended: ${(await ended).stderr}`);
      return JSON.parse(value as string) as ServeAnswer;
    },
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    end: () => {
      child.stdin.end();
      return ended;
    },
  };
}

/** Gives it a whole input at once. */
export async function serveAll(subject: Served, input: readonly (string | Buffer)[]): Promise<Ended & { stdout: string }> {
  const { child, ended } = started(subject);
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stdin.end(Buffer.concat(input.map((piece) => Buffer.from(piece as string))));
  return { ...(await ended), stdout };
}
