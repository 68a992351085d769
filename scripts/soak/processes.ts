/**
 * The processes of a soak: burners that keep the cores busy, and one run of a plan after the other.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { root } from '../build.mjs';

// Spins until its parent is another: a burner must not outlive the soak, whatever kills it.
const burner =
  'const parent = process.ppid; for (let n = 1; ; n++) if (n % 1e7 === 0 && process.ppid !== parent) process.exit();';

const children = new Set<ChildProcess>();

export interface RunReport {
  readonly bundle: string;
  readonly verdict: string;
  readonly verdict_document: string;
  readonly cases: number;
  readonly void: number;
  readonly kills: number;
}

export interface Ran {
  readonly code: number | null;
  /** Undefined where the run was refused or broke down. */
  readonly report: RunReport | undefined;
  readonly stderr: string;
}

export function startBurner(): void {
  start(['-e', burner], 'ignore');
}

export async function runPlan(main: string, args: readonly string[]): Promise<Ran> {
  const child = start([main, 'run', ...args, '--exploratory', '--json'], 'pipe');
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, report: stdout.startsWith('{') ? (JSON.parse(stdout) as RunReport) : undefined, stderr };
}

export function endAll(signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const child of children) child.kill(signal);
}

function start(args: readonly string[], output: 'ignore' | 'pipe'): ChildProcess {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', output, output] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
