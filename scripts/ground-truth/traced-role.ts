/**
 * Runs a program under the tracer, by the harness's own steps: to its end, or killed before a system call. What is kept of its trace is
 * what a case under power loss keeps.
 */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { underTracer, tracedEnvironment } from '../../harness/crash/tracer.js';
import type { Installation } from '../../harness/io/installation.js';
import { linesIn } from '../../harness/io/lines.js';
import type { Plan } from '../../harness/plan/types.js';
import { keptTrace } from '../../harness/power-loss/kept-trace.js';
import { killAll, leftUnderTracer } from '../../harness/process/end.js';
import { type Exit, spawnRole } from '../../harness/process/spawn.js';
import type { Watchdog } from '../../harness/process/watchdog-client.js';
import type { Provider } from '../../harness/provider/provider.js';
import { commandOf, type InstalledSubject } from '../../harness/subject/find.js';

export interface Ground {
  readonly program: Program;
  readonly scenario: Plan['scenarios'][string];
  readonly script: Plan['providers'][string];
  readonly provider: Provider;
  readonly watchdog: Watchdog;
}

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly volatile: readonly string[];
}

export function producerOf(subject: InstalledSubject, installation: Installation): Program {
  const { file, args } = commandOf(subject, 'produce', installation);
  return { file, args, folder: subject.folder, volatile: subject.description.volatile };
}

export interface KillBefore {
  readonly name: string;
  readonly nth: number;
}

export interface TracedRole {
  readonly exit: Exit;
  /** As they are kept. */
  readonly lines: string[];
}

/** `work` is a new folder beside the state. `killBefore`: a call of this name, counted over the whole process; null where it runs to its end. */
export async function traceProgram(
  { program, scenario, script, provider, watchdog }: Ground,
  state: string,
  work: string,
  killBefore: KillBefore | null,
): Promise<TracedRole> {
  mkdirSync(work, { recursive: true });
  const prefix = await provider.open(join(work, 'receipts.jsonl'), script, false);
  const [out, raw, task] = ['answer.json', 'trace.raw', 'scenario.json'].map((name) => join(work, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(task, JSON.stringify(scenario));
  const watching = underTracer(
    program,
    { family: 'persistence', call: null, paths: [], fault: null, reached: false },
    state,
    raw,
  );
  const kill = killBefore === null ? [] : ['-e', `inject=${killBefore.name}:signal=SIGKILL:when=${killBefore.nth}`];
  const role = spawnRole({
    file: watching.file,
    args: [...kill, ...watching.args],
    folder: program.folder,
    environment: {
      KILLPOINT_STATE: state,
      KILLPOINT_PROVIDER_URL: prefix.url,
      KILLPOINT_SCENARIO: task,
      KILLPOINT_OUT: out,
      ...tracedEnvironment,
    },
    cgroupHome: null,
    watchdog,
  });
  try {
    const exit = await role.exited;
    await leftUnderTracer(role, 5000);
    const folders = [...new Set([state, realpathSync(state)])];
    const watched = { pid: role.pid, folders, answers: [out], volatile: program.volatile, prefix: new URL(prefix.url).pathname };
    return { exit, lines: [...keptTrace(linesIn(raw), watched)] };
  } finally {
    killAll(role);
    role.release();
    await prefix.close();
  }
}
