/** Runs sessions in processes of their own, to be killed. The runtime is bundled once a file: a loader would take most of each start. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { SessionOptions } from '../api/options.js';

export interface Job {
  folder: string;
  options: Omit<SessionOptions, 'onCommitted'>;
  acts: {
    send?: { runId: string; text: string };
    approve?: { toolCallId: string; decision: 'approved' | 'denied'; by: string };
    cancel?: { at: 'step_boundary' | 'now' };
    queue?: { submissionId: string; text: string };
    resume?: true;
  }[];
  /** SIGKILL in the listener of this commit, counted in the process. */
  killAtCommit?: number;
  /** Say each barrier. */
  tellCommits?: true;
  /** Wait for a byte before the session is opened. */
  waitForGo?: true;
  /** No file of the process may be larger: a disk that is full, as far as the process can tell. */
  fileKibibytes?: number;
}

export interface Ended {
  signal: NodeJS.Signals | null;
  /** What the process said, in order. */
  said: Record<string, unknown>[];
  pid: number;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves with the first thing it says that fits. */
  says: (fits: (said: Record<string, unknown>) => boolean) => Promise<Record<string, unknown>>;
}

let bundled: Promise<string> | null = null;

export async function startChild(job: Job): Promise<Running> {
  const program = await (bundled ??= bundle());
  const limit = job.fileKibibytes === undefined ? '' : `ulimit -f ${job.fileKibibytes};`;
  const command = [process.execPath, program, JSON.stringify(job)];
  const child = spawn('bash', ['-c', `${limit} exec "$0" "$@"`, ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said: Record<string, unknown>[] = [];
  let pending = '';
  const waiting: { fits: (one: Record<string, unknown>) => boolean; resolve: (one: Record<string, unknown>) => void }[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    pending += chunk.toString('utf8');
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      const one = JSON.parse(line) as Record<string, unknown>;
      said.push(one);
      for (const { fits, resolve } of waiting) if (fits(one)) resolve(one);
    }
  });
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([, signal]) => ({
    signal: signal as NodeJS.Signals | null,
    said,
    pid: child.pid ?? 0,
  }));
  return {
    child,
    ended,
    says: (fits) =>
      new Promise((resolve) => {
        const found = said.find(fits);
        if (found === undefined) waiting.push({ fits, resolve });
        else resolve(found);
      }),
  };
}

export async function runChild(job: Job): Promise<Ended> {
  return (await startChild(job)).ended;
}

async function bundle(): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'killpoint-child-')), 'child.mjs');
  const native = createRequire(import.meta.url).resolve('better-sqlite3');
  await build({
    entryPoints: [fileURLToPath(new URL('child-main.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    plugins: [
      {
        name: 'native',
        setup: (on) => on.onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: native, external: true })),
      },
    ],
  });
  return outfile;
}
