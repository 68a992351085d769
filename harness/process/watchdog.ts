/**
 * The watchdog: a process of its own session that outlives the harness by a moment.
 *
 * Its standard input is a pipe from the harness. Each line names what is about to run, what runs, and what is gone:
 *
 *   {"expect": <nonce>, "cgroup": <path or null>}      before the spawn
 *   {"started": <nonce>, "pid": n, "ticks": <string>}  after it
 *   {"gone": <nonce>}                                  dead and reaped
 *
 * Fault model: the harness may be killed by SIGKILL between any two instructions. When the pipe ends, everything still named
 * is killed: the cgroup, the group and the session (if their leader is the process that was named: pids are reused), and whoever carries
 * the nonce in its environment, which finds a child born between `expect` and `started`, and a tool with a session of its own. Nobody else
 * is ever touched.
 */
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { openCgroup } from './cgroup.js';
import { allPids, carriesNonce, isLiving, processFacts, signal } from './proc.js';

interface Entry {
  cgroup: string | null;
  pid: number | null;
  ticks: string | null;
}

const entries = new Map<string, Entry>();
const emptyTimeoutMs = 3000;
/** A fork that has not reached exec shows the harness's environment; no event tells when it has, so the search is repeated. */
const repeatSearchMs = [0, 100, 400];

function take(line: string): void {
  const message = JSON.parse(line) as {
    expect?: string;
    started?: string;
    gone?: string;
    cgroup?: string | null;
    pid?: number;
    ticks?: string;
  };
  if (message.expect !== undefined) entries.set(message.expect, { cgroup: message.cgroup ?? null, pid: null, ticks: null });
  else if (message.started !== undefined)
    Object.assign(entries.get(message.started) ?? {}, { pid: message.pid, ticks: message.ticks });
  else if (message.gone !== undefined) entries.delete(message.gone);
}

function killNamed(nonce: string, { cgroup, pid, ticks }: Entry): void {
  if (cgroup !== null) attempt(() => openCgroup(cgroup).kill());
  const leader = pid === null ? null : processFacts(pid);
  // Without a leader its number cannot have been given to anybody else while a member of its group or session lives.
  const session = pid !== null && (leader === null || leader.startTicks === ticks) ? pid : null;
  if (session !== null) signal(-session, 'SIGKILL');
  for (const candidate of allPids()) {
    const facts = processFacts(candidate);
    const isNamed = (session !== null && facts?.session === session) || carriesNonce(candidate, nonce);
    if (isNamed && isLiving(facts)) signal(candidate, 'SIGKILL');
  }
}

async function removeCgroup(path: string): Promise<void> {
  const cgroup = openCgroup(path);
  if (await cgroup.emptied(emptyTimeoutMs)) attempt(() => cgroup.remove());
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // Already gone, which is what was wanted; the watchdog has nobody to tell anything else.
  }
}

// The harness may be stopped from a terminal; what it started must still be found.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

for await (const line of createInterface({ input: process.stdin })) take(line);
if (entries.size > 0) {
  for (const wait of repeatSearchMs) {
    await delay(wait);
    for (const [nonce, entry] of entries) killNamed(nonce, entry);
  }
  await Promise.all([...entries.values()].flatMap(({ cgroup }) => (cgroup === null ? [] : [removeCgroup(cgroup)])));
}
