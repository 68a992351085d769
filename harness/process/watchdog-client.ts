/**
 * The harness's side of the watchdog: says what is about to run, what runs, and what is gone.
 *
 * Messages are a few dozen bytes; the stream hands each to the kernel at once while the pipe has room, and it always has, as the
 * watchdog does nothing but read. So a process is named before it exists.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { HarnessError } from '../errors.js';

export interface Watchdog {
  expect(nonce: string, cgroup: string | null): void;
  started(nonce: string, pid: number, ticks: string): void;
  gone(nonce: string): void;
  /** Ends the pipe: whatever is still named is killed. Resolves when the watchdog is done. */
  end(): Promise<void>;
  readonly pid: number;
}

export function startWatchdog(program: string): Watchdog {
  // A session of its own: neither Ctrl-C nor a kill of the harness's group may reach it.
  const child = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: {} });
  if (child.pid === undefined) throw new HarnessError('watchdog-lost', `The watchdog ${program} could not be started.`);
  const exited = once(child, 'exit');
  let ending = false;
  const lines = writable(child);
  const say = (message: object): void => {
    if (ending || child.exitCode !== null || child.signalCode !== null) {
      throw new HarnessError(
        'watchdog-lost',
        'The watchdog has ended; nothing more is started, because nobody would clean up after it.',
      );
    }
    lines.write(`${JSON.stringify(message)}\n`);
  };
  return {
    pid: child.pid,
    expect: (nonce, cgroup) => say({ expect: nonce, cgroup }),
    started: (nonce, pid, ticks) => say({ started: nonce, pid, ticks }),
    gone: (nonce) => {
      if (child.exitCode === null && !ending) lines.write(`${JSON.stringify({ gone: nonce })}\n`);
    },
    end: async () => {
      if (!ending) {
        ending = true;
        lines.end();
      }
      await exited;
    },
  };
}

function writable(child: ChildProcess): NodeJS.WritableStream {
  const stream = child.stdin;
  if (stream === null) throw new HarnessError('watchdog-lost', 'The watchdog has no standard input.');
  // A watchdog that died is noticed at the next message; the broken pipe itself tells nothing more.
  stream.on('error', () => undefined);
  return stream;
}
