/**
 * A tool that is a local program: one process group, no shell, the body on its standard input.
 *
 * It ended well or badly only where its exit code says so, and its output is whole only when nobody can write to it any more. A signal, a
 * time-out or a cancel ends the whole group, and what it did is unknown. After an end nobody of the group lives: what was recorded as
 * done must not go on acting.
 *
 * The environment is made, not inherited: a program that a model may start has no use for the credentials of its host.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { sessionLogV1 } from '../../contract/data.js';
import { completed, timeoutMsMax, type Outcome, type ToolCallToSend } from './outcome.js';

const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER'];

/** What the host gives its commands beside the inherited variables. */
export type CommandEnvironment = Readonly<Record<string, string>>;

export function dispatchCommand(
  { key, tool, signal }: ToolCallToSend,
  body: Buffer,
  { url, given }: { url: string | null; given: CommandEnvironment },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const [program = '', ...args] = tool.argv ?? [];
    const child = started(program, args, environment(key, url, given));
    if (child instanceof Error) return resolve({ outcome: 'not_sent', detail: child.message });
    const output = collect(child);
    let stopped: string | null = null;
    const stop = (why: string): void => {
      stopped ??= why;
      endGroup(child);
      // Whoever left the group could hold the output open for ever.
      child.stdout?.destroy();
    };
    const timeoutMs = Math.min(tool.timeout_ms, timeoutMsMax);
    const timer = setTimeout(() => stop(`no end within ${timeoutMs} ms`), timeoutMs);
    const givenUp = (): void => stop('nobody waits for its end any more');
    signal.addEventListener('abort', givenUp, { once: true });
    const settle = (outcome: Outcome): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', givenUp);
      endGroup(child);
      resolve(outcome);
    };
    child.on('error', (error) => {
      if (child.pid === undefined) settle({ outcome: 'not_sent', detail: error.message });
    });
    child.on('close', (code, ended) => {
      if (child.pid === undefined) settle({ outcome: 'not_sent', detail: 'it could not be started' });
      else if (stopped !== null) settle({ outcome: 'unknown', detail: stopped });
      else if (code === null) settle({ outcome: 'unknown', detail: `it was ended by ${ended}` });
      else settle(completed(output(), code !== 0));
    });
    // A program need not read what it is given.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(body);
  });
}

function started(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess | Error {
  try {
    return spawn(program, args, { detached: true, env, stdio: ['pipe', 'pipe', 'ignore'] });
  } catch (error) {
    // Refused before there was a process: a NUL byte in a name, say.
    return error instanceof Error ? error : new Error(String(error));
  }
}

function environment(key: string, url: string | null, given: CommandEnvironment): NodeJS.ProcessEnv {
  const kept = inherited.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(kept) as NodeJS.ProcessEnv),
    ...given,
    KILLPOINT_TOOL_KEY: key,
    ...(url !== null && { KILLPOINT_PROVIDER_URL: url }),
  };
}

/** Reads all, so that the program can end, and keeps what may be kept; the rest makes it null. */
function collect(child: ChildProcess): () => Buffer | null {
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= sessionLogV1.output_cap) chunks.push(chunk);
    else chunks.length = 0;
  });
  child.stdout?.on('error', () => undefined);
  return () => (size <= sessionLogV1.output_cap ? Buffer.concat(chunks) : null);
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
}
