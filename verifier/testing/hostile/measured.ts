/**
 * The compiled verifier as a process, with what it used: the most memory that it ever held and the time that it took. It is killed when it takes
 * longer than anybody would wait.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

export interface Ran {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
  readonly mebibytes: number;
  readonly seconds: number;
}

interface Options {
  readonly cwd?: string;
  readonly uid?: number;
  readonly program?: readonly string[];
  /** In front of Node: a tracer, a namespace. */
  readonly under?: readonly string[];
}

const longestMs = Number(process.env.HOSTILE_MS ?? 120_000);
/** Written to descriptor 3 when the process ends by itself. What `getrusage` tells begins with what the process that spawned it held. */
const most = "require('node:fs').readFileSync('/proc/self/status','latin1').match(/VmHWM:\\s+(\\d+)/)[1]";
const tells = `process.on('exit',()=>require('node:fs').writeSync(3,${most}))`;
const preload = `data:text/javascript,import{createRequire}from'node:module';const require=createRequire('file:///');${tells}`;

let built: string | undefined;
/** Built once for each run of the tests, where nobody says where the build is. */
export function buildFolder(): string {
  built ??= process.env.KILLPOINT_BUILD ?? execFileSync(process.execPath, ['scripts/build.mjs'], { encoding: 'utf8' }).trim();
  return resolve(built);
}

export async function measured(args: readonly string[], options: Options = {}): Promise<Ran> {
  const { under = [], program = [resolve(buildFolder(), 'verifier/cli/main.js')], cwd, uid } = options;
  const [file = '', ...rest] = [...under, process.execPath, '--import', preload, ...program, ...args];
  const began = performance.now();
  const child = spawn(file, rest, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', HOME: '/' },
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const said = [1, 2, 3].map((descriptor) => {
    const chunks: Buffer[] = [];
    child.stdio[descriptor]?.on('data', (chunk: Buffer) => chunks.push(chunk));
    return (): string => Buffer.concat(chunks).toString('utf8');
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  const [out = '', err = '', kibibytes = ''] = said.map((text) => text());
  return { code, signal, out, err, mebibytes: Number(kibibytes) / 1024, seconds: (performance.now() - began) / 1000 };
}
