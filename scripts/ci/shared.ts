/** What the gate's steps have in common: running a command to its end, and folders that go away again. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

export function run(command: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Ran {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** Demands an exit code; a step that fails shows what its command said. */
export function demand(
  wanted: number,
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Ran {
  const ran = run(command, args, options);
  if (ran.status !== wanted) {
    throw new Error(
      `${command} ${args.join(' ')}\nexited ${ran.status}, not ${wanted}:\n${ran.stdout.slice(-4000)}\n${ran.stderr.slice(-4000)}`,
    );
  }
  return ran;
}

export function withFolder<T>(name: string, use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), `killpoint-${name}-`));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The sealed bags below a folder. */
export function bundlesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (existsSync(join(folder, 'bagit.txt'))) return [folder];
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap((entry) => bundlesBelow(join(folder, entry.name)));
}

/** Runs a step and turns what it throws into a message and exit 1. */
export function step(name: string, act: () => string): void {
  try {
    process.stdout.write(`${name}: ${act()}\n`);
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
