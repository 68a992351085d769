/**
 * Spawns one role process: own group, own cgroup where there is one, descriptors 3 and 4, a fixed environment.
 *
 * `node:child_process` rather than execa: the spawn must happen in one synchronous step inside the cgroup, and the exit must be seen when
 * the process is reaped, not when the last descriptor closes, which a surviving child would delay for ever.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { CaseVoid } from '../errors.js';
import { type Cgroup, createCgroup, inside } from './cgroup.js';
import { processFacts } from './proc.js';
import { keepFirst } from './stream.js';
import { startTimeline, type Timeline } from './timeline.js';
import type { Watchdog } from './watchdog-client.js';

export interface SpawnRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where cgroups are made; null where none can be had. */
  readonly cgroupHome: string | null;
  readonly watchdog: Watchdog;
  /** It is spoken to over its standard input and output. */
  readonly talks?: true;
}

export interface Talk {
  readonly input: Writable;
  readonly output: Readable;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface RoleProcess {
  readonly pid: number;
  readonly pgid: number;
  readonly startTicks: string;
  readonly nonce: string;
  readonly cgroup: Cgroup | null;
  readonly timeline: Timeline;
  /** The wait status, as soon as the process is reaped. */
  readonly exited: Promise<Exit>;
  /** Null where it is not spoken to. */
  readonly talk: Talk | null;
  /** All that came over descriptor 3 so far. */
  announced(): Buffer;
  /** Calls back on every new byte of descriptor 3. */
  onAnnounced(listener: () => void): void;
  /** What it wrote to standard error, the first part where it wrote very much. */
  stderr(): string;
  /** Resolves when descriptor 3 and standard error have ended: nobody can say anything any more. */
  readonly silent: Promise<void>;
  /** Answers the parked process with `g`, and notes the moment just before. */
  goOn(): void;
  /** Closes descriptor 4 and forgets the process; its cgroup is removed. */
  release(): void;
}

/** Nothing of the harness's own environment reaches a subject: two runs differ only in the KILLPOINT variables. */
const fixedEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', TZ: 'UTC', LANG: 'C.UTF-8' };

/** A checkpoint line has some two hundred bytes; of words, a long stack or two tell a person enough. */
const announcedBytes = 64 * 1024;
const stderrBytes = 256 * 1024;

export type SpawnRole = (request: SpawnRequest) => RoleProcess;

export function spawnRole(request: SpawnRequest): RoleProcess {
  const nonce = randomBytes(16).toString('hex');
  const cgroupName = `killpoint-${process.pid}-${nonce}`;
  const expected = request.cgroupHome === null ? null : `${request.cgroupHome}/${cgroupName}`;
  request.watchdog.expect(nonce, expected);
  const cgroup = request.cgroupHome === null ? null : createCgroup(request.cgroupHome, cgroupName);
  const timeline = startTimeline();
  // Taken before the spawn: on a busy machine the child may have sent its request before this process runs again.
  timeline.mark('spawned');
  const child = startChild(request, nonce, cgroup);
  const pid = child.pid;
  if (pid === undefined) {
    child.on('error', () => undefined);
    cgroup?.remove();
    request.watchdog.gone(nonce);
    throw new CaseVoid('harness-error', `${request.file} could not be started.`);
  }
  // The child cannot be reaped before this turn of the event loop ends, so its entry in /proc is there.
  const startTicks = processFacts(pid)?.startTicks ?? '';
  request.watchdog.started(nonce, pid, startTicks);
  return {
    pid,
    pgid: pid,
    startTicks,
    nonce,
    cgroup,
    timeline,
    ...watchChild(child, timeline, () => forget(request.watchdog, nonce, cgroup)),
  };
}

function startChild(request: SpawnRequest, nonce: string, cgroup: Cgroup | null): ChildProcess {
  return inside(cgroup, request.cgroupHome, () =>
    spawn(request.file, request.args, {
      cwd: request.folder,
      env: { ...fixedEnvironment, ...request.environment, KILLPOINT_NONCE: nonce },
      detached: true,
      stdio: [...(request.talks ? (['pipe', 'pipe'] as const) : (['ignore', 'ignore'] as const)), 'pipe', 'pipe', 'pipe'],
    }),
  );
}

function watchChild(
  child: ChildProcess,
  timeline: Timeline,
  onRelease: () => void,
): Pick<RoleProcess, 'exited' | 'talk' | 'announced' | 'onAnnounced' | 'stderr' | 'silent' | 'goOn' | 'release'> {
  const [, , said, from, to] = child.stdio as [null, null, Readable, Readable, Writable];
  const announced = keepFirst(from, announcedBytes);
  const stderr = keepFirst(said, stderrBytes);
  to.on('error', () => undefined);
  const talk = child.stdin === null || child.stdout === null ? null : { input: child.stdin, output: child.stdout };
  // A pipe breaks when its reader dies, which its exit tells.
  for (const stream of [talk?.input, talk?.output]) stream?.on('error', () => undefined);
  return {
    talk,
    exited: new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        timeline.mark('exit_seen');
        resolve({ code, signal });
      });
    }),
    silent: Promise.all([announced.ended, stderr.ended]).then(() => undefined),
    announced: announced.bytes,
    onAnnounced: announced.onData,
    stderr: () => `${stderr.bytes().toString('utf8')}${stderr.overflowed() ? '\n(more was written than is kept)\n' : ''}`,
    goOn: () => {
      timeline.mark('released');
      to.write('g');
    },
    release: () => {
      announced.destroy();
      stderr.destroy();
      to.destroy();
      talk?.input.destroy();
      talk?.output.destroy();
      onRelease();
    },
  };
}

function forget(watchdog: Watchdog, nonce: string, cgroup: Cgroup | null): void {
  try {
    cgroup?.remove();
  } catch {
    // Still populated: the watchdog keeps its name and kills it at the end.
    return;
  }
  watchdog.gone(nonce);
}
