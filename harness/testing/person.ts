/**
 * What the tests of the operations share: state folders as real producers leave them, a person's commands, and servers that answer.
 */
import Database from 'better-sqlite3';
import { Command } from 'commander';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Answer, WorkState } from '../contract/types.js';
import type { Installation } from '../io/installation.js';
import type { Plan } from '../plan/types.js';
import { builtInstallation, temporaryFolder } from './plans.js';
import type { CarryOutRequest, Said } from '../cli/acting.js';
import { carryOut } from '../cli/carry-out.js';
import { addOperationCommands } from '../cli/operations.js';
import { projectionsOf, stateFolderAt } from '../cli/state-folder.js';

export const checkout = resolve(import.meta.dirname, '..', '..');
const kept = join(checkout, 'evidence', 'kept', 'working-state');
export const cases = join(kept, readdirSync(kept).find((name) => !name.includes('.')) ?? '', 'data', 'cases');

export interface Document {
  status: Answer['status'];
  operations: string[];
  refusal: Answer['refusal'];
  would: NonNullable<Answer['would']> | null;
  effect_unknown: boolean;
  hint: string | null;
  next: { operation: string; commands: { line: string }[] }[];
}

export const documentOf = ({ stdout }: Said): Document => JSON.parse(stdout) as Document;

/** A producer that stands at its place, alive. */
export interface Parked {
  readonly state: string;
  readonly kill: () => Promise<void>;
}

/** A program, or a line in a shell; npm did not start it, and no shell told it its name. */
export function run(program: string, args: string[], environment: Record<string, string> = {}): Promise<Said> {
  return new Promise((done) => {
    const options = {
      env: { ...process.env, npm_command: '', _: '', ...environment },
      timeout: 30_000,
      killSignal: 'SIGKILL' as const,
    };
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      done({ code, stdout, stderr });
    });
  });
}

/** Counted by SQLite itself: a look by the inspector costs a process. */
export function lastSeq(state: string): number {
  const database = new Database(join(state, 'ledger.sqlite'));
  try {
    return database.prepare('SELECT max(seq) FROM events').pluck().get() as number;
  } finally {
    database.close();
  }
}

/** What the inspector of the kept bundle said of the same bytes. */
export function keptProjection(name: string): WorkState {
  const told = JSON.parse(readFileSync(join(cases, name, 'producer', 'inspection.json'), 'utf8')) as { projections: WorkState[] };
  return told.projections[0]!;
}

/** A person at a built killpoint, with a folder of their own. Whoever makes one removes it. */
export class Person {
  readonly #folder = temporaryFolder();
  readonly #servers: Server[] = [];
  readonly folder = this.#folder.path;
  #installation: Installation | null = null;
  #states = 0;

  /** Built when it is first asked for. */
  get installation(): Installation {
    return (this.#installation ??= builtInstallation());
  }

  /** The program, as Node is given it. */
  get main(): string {
    return join(this.installation.build, 'harness', 'cli', 'main.js');
  }

  /** Parses a command as the program does, and carries it out in this process, which spawns the role as the program does. */
  async killpoint(...words: string[]): Promise<Said> {
    const asked: CarryOutRequest[] = [];
    const root = new Command('killpoint').exitOverride().configureOutput({ writeErr: () => undefined });
    addOperationCommands(root, async (request) => void asked.push(request));
    await root.parseAsync(words, { from: 'user' });
    return carryOut(asked[0]!, this.installation);
  }

  /** A state of one's own, made from what a producer of a kept bundle left. */
  stateOf(name: string): string {
    const state = this.#newState(name);
    cpSync(join(cases, name, 'producer', 'state'), state, { recursive: true });
    return state;
  }

  async projected(state: string): Promise<WorkState> {
    const [projection] = await projectionsOf(stateFolderAt(state, [], this.installation));
    return projection!;
  }

  /** A real producer of calls, whose provider is not there, parked at its checkpoint: alive, and owner of its ledger. */
  parkedAt(checkpoint: string, scenarioName: string): Promise<Parked> {
    const plan = JSON.parse(readFileSync(join(checkout, 'preregistrations', 'working-state.json'), 'utf8')) as Plan;
    return this.parked('calls', plan.scenarios[scenarioName]!, `${checkpoint}#1`, 'http://127.0.0.1:9');
  }

  /** A real producer of any subject, parked at a place. */
  async parked(subject: string, scenario: object, place: string, providerUrl: string): Promise<Parked> {
    const state = this.#newState(place.replace('#', '-'));
    const child = this.#produces(subject, scenario, state, { KILLPOINT_CHECKPOINT: place, KILLPOINT_PROVIDER_URL: providerUrl });
    await once(child.stdio[3] as Readable, 'data');
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    return { state, kill };
  }

  /** What a real producer of any subject left at its end. */
  async produced(subject: string, scenario: object, providerUrl: string): Promise<string> {
    const state = this.#newState('produced');
    await once(this.#produces(subject, scenario, state, { KILLPOINT_PROVIDER_URL: providerUrl }), 'exit');
    return state;
  }

  #produces(subject: string, scenario: object, state: string, variables: Record<string, string>): ChildProcess {
    mkdirSync(state);
    const scenarioFile = `${state}.scenario.json`;
    writeFileSync(scenarioFile, JSON.stringify(scenario));
    return spawn(process.execPath, ['produce.js'], {
      cwd: join(this.installation.subjects, subject),
      stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
      env: {
        KILLPOINT_STATE: state,
        KILLPOINT_SCENARIO: scenarioFile,
        KILLPOINT_OUT: `${scenarioFile}.answer`,
        KILLPOINT_NONCE: 'n'.repeat(32),
        ...variables,
      },
    });
  }

  /** Stages that no kept bundle holds as records of today. */
  async killedAt(checkpoint: string, scenarioName: string): Promise<string> {
    const { state, kill } = await this.parkedAt(checkpoint, scenarioName);
    await kill();
    return state;
  }

  async listening(answer: RequestListener): Promise<{ server: Server; url: string; heard: string[] }> {
    const heard: string[] = [];
    const server = createServer(answer).listen(0, '127.0.0.1');
    server.on('request', ({ url = '' }) => heard.push(url));
    this.#servers.push(server);
    await once(server, 'listening');
    return { server, heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  remove(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    this.#folder.remove();
  }

  #newState(name: string): string {
    return join(this.folder, `${name}-${(this.#states += 1)}`);
  }
}
