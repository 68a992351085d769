/** Programs in processes of their own, with the compiled log at hand: what they say comes line by line. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildFolder } from '../../../testing/roles.js';

const preamble = `
const { createInterface } = await import('node:readline');
const fs = await import('node:fs');
const modules = process.argv[1];
const { SessionLog } = await import(modules + '/session-log.js');
const { raiseFloor } = await import(modules + '/floor.js');
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const hear = async () => { const { done, value } = await lines.next(); return done ? null : JSON.parse(value); };
const say = (told) => fs.writeSync(1, JSON.stringify(told) + '\\n');
const tried = (work) => { try { work(); return null; } catch (error) { return error.code ?? String(error); } };
`;

export interface Program {
  child: ChildProcess;
  hear: () => Promise<unknown>;
  say: (value: unknown) => void;
  /** By SIGKILL, unless it has ended. */
  kill: () => Promise<void>;
}

function argumentsOf(program: string): string[] {
  return ['--input-type=module', '-e', preamble + program, join(buildFolder(), 'runtime/sessions/log')];
}

export function start(program: string): Program {
  const child = spawn(process.execPath, argumentsOf(program), { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    hear: async () => JSON.parse(((await lines.next()) as IteratorResult<string>).value ?? 'null') as unknown,
    say: (value) => void child.stdin.write(`${JSON.stringify(value)}\n`),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs a program to its end and returns what it said last. `through`: a command in front of it. */
export function run(program: string, through: readonly string[] = []): unknown {
  const [command = '', ...rest] = [...through, process.execPath, ...argumentsOf(program)];
  const { stdout, stderr, status } = spawnSync(command, rest, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The program failed: ${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? 'null');
}
