/**
 * Runs one role of an installed subject for a person, on a state folder of theirs, and brings back its answer and its words.
 *
 * The role has a process group of its own, so that Ctrl-C reaches this program first; a watchdog names it, so that nothing is left whatever
 * ends first. Only who looks may have a time limit: a role that acts may have a request on its way, and is never killed but by a person.
 */
import { execa } from 'execa';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../contract/types.js';
import { validateAnswer } from '../contract/validators.js';
import { HarnessError } from '../errors.js';
import type { Installation } from '../io/installation.js';
import { limits, readPlainFile } from '../io/read.js';
import { makeWorkFolder } from '../io/work-folder.js';
import { livingOf, processFacts } from '../process/proc.js';
import { startWatchdog, type Watchdog } from '../process/watchdog-client.js';
import { commandOf, type InstalledSubject, type Role } from '../subject/find.js';

export interface RoleRequest {
  readonly installation: Installation;
  readonly subject: InstalledSubject;
  readonly role: Role;
  readonly state: string;
  /** What the role is told besides the state and where its answer goes. */
  readonly variables: Readonly<Record<string, string>>;
  /** Files that the role is given, by the variable that names each. */
  readonly files?: Readonly<Record<string, Buffer | string>>;
  readonly timeoutMs?: number;
}

export interface RoleEnd {
  /** Null where it left none, or nothing that is one. */
  readonly answer: Answer | null;
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  /** What it wrote to standard error. */
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly timedOut: boolean;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function runRole(request: RoleRequest): Promise<RoleEnd> {
  const home = makeWorkFolder(tmpdir(), 'killpoint-role');
  const folder = home.path;
  const watchdog = startWatchdog(request.installation.watchdog);
  const interruption = new AbortController();
  const stop = (): void => {
    interruption.abort();
    void watchdog.end();
  };
  for (const name of signals) process.once(name, stop);
  try {
    const run = await ended(request, folder, watchdog);
    return { ...run, answer: validAnswer(join(folder, 'answer.json')), interrupted: interruption.signal.aborted };
  } finally {
    for (const name of signals) process.off(name, stop);
    // Whatever the role left behind still has its name there, and dies with the watchdog.
    await watchdog.end();
    home.remove();
  }
}

async function ended(request: RoleRequest, folder: string, watchdog: Watchdog): Promise<Omit<RoleEnd, 'answer' | 'interrupted'>> {
  const nonce = randomBytes(16).toString('hex');
  watchdog.expect(nonce, null);
  const command = commandOf(request.subject, request.role, request.installation);
  const running = execa(command.file, command.args, {
    cwd: request.subject.folder,
    extendEnv: false,
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      TZ: 'UTC',
      LANG: 'C.UTF-8',
      KILLPOINT_STATE: request.state,
      KILLPOINT_OUT: join(folder, 'answer.json'),
      KILLPOINT_NONCE: nonce,
      KILLPOINT_SCRATCH: mkdtempSync(join(folder, 'scratch-')),
      ...request.variables,
      ...written(request.files ?? {}, folder),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'ignore'],
    reject: false,
    detached: true,
    ...(request.timeoutMs !== undefined && { timeout: request.timeoutMs }),
    killSignal: 'SIGKILL',
  });
  if (running.pid !== undefined) watchdog.started(nonce, running.pid, processFacts(running.pid)?.startTicks ?? '');
  const { exitCode, stderr, timedOut, failed, signal, message } = await running;
  // Nobody is left: the watchdog need not search for those who may be hard to find.
  if (running.pid !== undefined && livingOf(running.pid, nonce).length === 0) watchdog.gone(nonce);
  if (failed && exitCode === undefined && signal === undefined && !timedOut)
    throw new HarnessError('subject-malformed', `${command.file} could not be started: ${message ?? 'no reason was given'}.`);
  return { exitCode: exitCode ?? null, stderr, timedOut };
}

function written(files: Readonly<Record<string, Buffer | string>>, folder: string): Record<string, string> {
  const entries = Object.entries(files).map(([variable, content]) => {
    const path = join(folder, `${variable.toLowerCase()}.json`);
    writeFileSync(path, content);
    return [variable, path];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Null where there is no answer, or nothing that is one. */
function validAnswer(path: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(readPlainFile(path, limits.answer, { follow: false }).toString('utf8'));
    return validateAnswer(answer) ? answer : null;
  } catch {
    return null;
  }
}
