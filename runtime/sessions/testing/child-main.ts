/**
 * A process that owns a session, does what it is told, and dies where it is told. Bundled and run by `child.ts`.
 *
 * SIGKILL comes from the process itself, from within the listener: nothing of it runs after the barrier that it just heard of.
 */
import { writeSync } from 'node:fs';
import { once } from 'node:events';
import { openSession, type Session } from '../api/session.js';
import type { Job } from './child.js';

const job = JSON.parse(process.argv[2] ?? '{}') as Job;
const say = (value: unknown): void => void writeSync(1, `${JSON.stringify(value)}\n`);

let commits = 0;
function onCommitted(frames: readonly { type: string }[]): void {
  commits += 1;
  if (job.tellCommits === true) say({ committed: frames.map(({ type }) => type) });
  if (commits === job.killAtCommit) process.kill(process.pid, 'SIGKILL');
}

async function act(session: Session, { send, approve, cancel, queue, resume }: Job['acts'][number]): Promise<unknown> {
  if (send !== undefined) return session.send(send);
  if (approve !== undefined) return session.approve(approve);
  if (cancel !== undefined) return session.cancel(cancel);
  if (queue !== undefined) return session.queue(queue);
  return resume === true ? session.recover() : null;
}

if (job.waitForGo === true) {
  say({ ready: true });
  await once(process.stdin, 'data');
}
try {
  const session = openSession(job.folder, { ...job.options, onCommitted });
  for (const one of job.acts) say({ end: (await act(session, one)) ?? null });
  session.close();
  say({ commits });
} catch (error) {
  const { code, reason, message } = error as { code?: string; reason?: string; message: string };
  say({ error: code ?? 'none', reason: reason ?? null, message });
}
process.exit(0);
