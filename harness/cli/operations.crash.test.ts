/**
 * A person's way on: for every stage that a record can be in there is a printed command, it parses, its dry run says what it would do, and
 * done for real it does it. Real state folders, the real roles, real servers. Most commands are parsed and carried out in this process,
 * which spawns the role as the program does; the printed line itself, and Ctrl-C, are shown with the program.
 */
import Database from 'better-sqlite3';
import { Command } from 'commander';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, WorkState } from '../contract/types.js';
import type { Installation } from '../io/installation.js';
import { inventoryOf } from '../io/inventory.js';
import type { Plan } from '../plan/types.js';
import { commandsFor, type variables } from '../report/next-commands.js';
import { builtInstallation, temporaryFolder } from '../testing/plans.js';
import { carryOut, type CarryOutRequest, type Said } from './carry-out.js';
import { addOperationCommands } from './operations.js';
import { projectionsOf, stateFolderAt } from './state-folder.js';

const checkout = resolve(import.meta.dirname, '..', '..');
const kept = join(checkout, 'evidence', 'kept', 'working-state');
const cases = join(kept, readdirSync(kept).find((name) => !name.includes('.')) ?? '', 'data', 'cases');
const folder = temporaryFolder();
let installation: Installation;
beforeAll(() => {
  installation = builtInstallation();
});
afterAll(() => folder.remove());

interface Document {
  status: Answer['status'];
  operations: string[];
  refusal: Answer['refusal'];
  would: NonNullable<Answer['would']> | null;
  effect_unknown: boolean;
  next: { operation: string; commands: { line: string }[] }[];
}

/** Parses a command as the program does, and carries it out. */
async function killpoint(...words: string[]): Promise<Said> {
  const asked: CarryOutRequest[] = [];
  const root = new Command('killpoint').exitOverride().configureOutput({ writeErr: () => undefined });
  addOperationCommands(root, async (request) => void asked.push(request));
  await root.parseAsync(words, { from: 'user' });
  return carryOut(asked[0]!, installation);
}

const document = ({ stdout }: Said): Document => JSON.parse(stdout) as Document;

const file = (): string => join(installation.build, 'harness', 'cli', 'main.js');

/** The program itself, or a line in a shell; called as `node main.js`, not through npx. */
function run(program: string, args: string[], environment: Record<string, string> = {}): Promise<Said> {
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

const servers: Server[] = [];
async function listening(answer: RequestListener): Promise<{ server: Server; url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer(answer).listen(0, '127.0.0.1');
  server.on('request', ({ url = '' }) => heard.push(url));
  servers.push(server);
  await once(server, 'listening');
  return { server, heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

let copies = 0;
/** A state of one's own, made from what a producer of a kept bundle left. */
function stateOf(name: string): string {
  const state = join(folder.path, `${name}-${(copies += 1)}`);
  cpSync(join(cases, name, 'producer', 'state'), state, { recursive: true });
  return state;
}

async function projected(state: string): Promise<WorkState> {
  const [projection] = await projectionsOf(stateFolderAt(state, [], installation));
  return projection!;
}

/** What the inspector of the kept bundle said of the same bytes. */
function keptProjection(name: string): WorkState {
  const told = JSON.parse(readFileSync(join(cases, name, 'producer', 'inspection.json'), 'utf8')) as { projections: WorkState[] };
  return told.projections[0]!;
}

/** Counted by SQLite itself: a look by the inspector costs a process. */
function lastSeq(state: string): number {
  const database = new Database(join(state, 'ledger.sqlite'));
  try {
    return database.prepare('SELECT max(seq) FROM events').pluck().get() as number;
  } finally {
    database.close();
  }
}

/** A real producer, whose provider is not there, killed at its checkpoint: stages that no kept bundle holds as records of today. */
async function killedAt(checkpoint: string, scenarioName: string): Promise<string> {
  const plan = JSON.parse(readFileSync(join(checkout, 'preregistrations', 'working-state.json'), 'utf8')) as Plan;
  const state = join(folder.path, checkpoint);
  mkdirSync(state);
  const scenario = `${state}.scenario.json`;
  writeFileSync(scenario, JSON.stringify(plan.scenarios[scenarioName]));
  const child = spawn(process.execPath, ['produce.js'], {
    cwd: join(installation.subjects, 'calls'),
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
    env: {
      KILLPOINT_STATE: state,
      KILLPOINT_PROVIDER_URL: 'http://127.0.0.1:9',
      KILLPOINT_SCENARIO: scenario,
      KILLPOINT_OUT: `${scenario}.answer`,
      KILLPOINT_NONCE: 'n'.repeat(32),
      KILLPOINT_CHECKPOINT: `${checkpoint}#1`,
    },
  });
  await once(child.stdio[3] as Readable, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  return state;
}

/** What a person brings to a printed line. */
function broughtBy(state: WorkState): Record<keyof typeof variables, string> {
  const brought = (name: string, content: unknown): string => {
    const path = join(folder.path, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const offered = { id: 'A', kind: 'record', required: true, content: 'A short text.', lineage: ['draft-1'] };
  return {
    PROVIDER_URL: 'http://127.0.0.1:9',
    INPUTS_FILE: state.task.on?.startsWith('call')
      ? brought('call-inputs.json', { instruction: 'Shorter.' })
      : brought('context-inputs.json', { items: [offered], required_ids: ['A'] }),
    RESPONSE_FILE: brought('response.json', '{}'),
    FINDING: 'unknown',
    WHY: 'it was seen on the invoice',
  };
}

describe('for every stage there is a way on', () => {
  const unknown = (...finding: string[]) => ['reconcile', '--note', 'asked by telephone', '--finding', ...finding];
  type Origin = string | { checkpoint: string; scenario: string };
  /** How a record comes to be at the stage: a kept case or a producer, and what a person did to it. */
  const stages: [string, Origin, string[]?][] = [
    ['requested', { checkpoint: 'call.requested', scenario: 'review' }],
    ['manifest_recorded', 'manifest-resumed'],
    ['effect_unknown', 'effect-unknown'],
    ['not_sent', { checkpoint: 'attempt.observed', scenario: 'review' }],
    ['observed', 'observed'],
    ['interpreted', 'attempt-interpreted'],
    ['retry_due', 'retry-due'],
    ['undecided_end', 'result-recorded'],
    ['completed', 'call-completed'],
    ['preparation_failed', { checkpoint: 'call.preparation_failed', scenario: 'too-large' }],
    ['compilation requested', 'compilation-interrupted'],
    ['compilation failed', 'compilation-failed'],
    ['operator_needed', 'effect-unknown', unknown('unknown')],
    ['response_lost', 'effect-unknown', unknown('served')],
    ['not_served', 'effect-unknown', unknown('not_served')],
    ['retry_safe', 'honoured-restart', unknown('unknown')],
  ];

  const walk = async (stage: string, state: string, before: WorkState): Promise<void> => {
    const last = before.calls.findLast((call) => call.stage !== 'superseded');
    expect(last?.stage ?? `compilation ${before.compilations.at(-1)?.stage}`).toBe(stage);
    const brought = broughtBy(before);
    const commands = commandsFor(before);
    expect(commands).not.toEqual([]);
    // A decision has the same choices wherever it is needed; they are walked once.
    if (stage === 'response_lost') commands.splice(1);
    for (const { name, args } of commands) {
      const words = args.map((word) => brought[word.slice(1) as keyof typeof brought] ?? word);
      const dry = await killpoint(name, state, ...words, '--dry-run', '--json');
      expect([dry.code, dry.stderr, name, words]).toEqual([0, '', name, words]);
      const { status, operations, would } = document(dry);
      expect({ status, operations }).toEqual({ status: 'completed', operations: [] });
      expect((would?.appends.length ?? 0) + (would?.sends.length ?? 0)).toBeGreaterThan(0);
      expect(would?.sends.length).toBe(args.includes('--provider') ? 1 : 0);
    }
    expect(lastSeq(state)).toBe(before.last_seq);
  };

  it.concurrent.each(stages)('%s', async (stage, origin, first) => {
    const state = typeof origin === 'string' ? stateOf(origin) : await killedAt(origin.checkpoint, origin.scenario);
    if (first !== undefined) {
      const [command = '', ...more] = first;
      expect((await killpoint(command, state, ...more)).stderr).toBe('');
    }
    await walk(stage, state, typeof origin === 'string' && first === undefined ? keptProjection(origin) : await projected(state));
  });

  it('duplicate_accepted', async () => {
    const state = stateOf('effect-unknown');
    await killpoint('reconcile', state, '--finding', 'unknown');
    const accepted = await killpoint(
      'accept',
      state,
      'call-6',
      '--duplicate',
      '--by',
      'operator',
      '--note',
      'worth it',
      '--json',
    );
    expect([accepted.code, document(accepted).operations]).toEqual([0, ['accept_duplicate']]);
    await walk('duplicate_accepted', state, await projected(state));
  });

  it('and no stage of the contract is left out', () => {
    const common = JSON.parse(readFileSync(join(checkout, 'evidence', 'schema', 'common.schema.json'), 'utf8')) as {
      $defs: { stage: { enum: string[] } };
    };
    const walked = new Set([...stages.map(([stage]) => stage), 'duplicate_accepted', 'superseded']);
    expect(common.$defs.stage.enum.filter((stage) => !walked.has(stage))).toEqual([]);
  });
});

describe('done for real', () => {
  const answer = { choices: [{ finish_reason: 'stop', message: { content: 'It is fine.' } }] };

  it('the printed line, in a shell, carries it out once and prints the next', async () => {
    const provider = await listening((_request, response) => response.end(JSON.stringify(answer)));
    const state = stateOf('manifest-resumed');
    const lines = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('  node '));
    const [line = ''] = lines((await run(process.execPath, [file(), 'state', state])).stdout);
    expect(line).toContain(` resume ${state} call-6 --provider "$PROVIDER_URL"`);
    expect(await run('sh', ['-c', line], { PROVIDER_URL: provider.url })).toMatchObject({ code: 0, stderr: '' });
    const again = await run('sh', ['-c', line], { PROVIDER_URL: provider.url });
    expect(again).toMatchObject({ code: 64, stdout: '' });
    expect(provider.heard).toHaveLength(1);
    const [accept = ''] = lines(again.stderr);
    expect(accept).toMatch(/ accept .* --note "\$WHY"$/);
    const accepted = await run('sh', ['-c', `${accept} --json`], { WHY: 'it reads well' });
    expect(document(accepted)).toMatchObject({ status: 'completed', operations: ['check_and_accept'], effect_unknown: false });
    expect((await projected(state)).task).toMatchObject({ stage: 'accepted', next_operation: 'none' });
  });

  it('recover goes on to where a person is needed', async () => {
    const recovered = await killpoint('recover', stateOf('attempt-interpreted'), '--json');
    expect([recovered.code, document(recovered).operations]).toEqual([0, ['redecide', 'finalize']]);
    expect(document(recovered).next[0]).toMatchObject({ operation: 'check_and_accept' });
  });

  it('a provider that cannot tell leaves the effect unknown: exit 2, and the choices are printed', async () => {
    const asked = await killpoint('reconcile', stateOf('effect-unknown'), '--lookup', '--provider', 'http://127.0.0.1:9');
    expect(asked).toMatchObject({ code: 2, stderr: '' });
    expect(asked.stdout).toMatch(/unknown \(unreachable\)/);
    expect(asked.stdout).toMatch(/next decide on call-6/);
    expect(asked.stdout).toMatch(/ accept .* --duplicate /);
  });

  it('a call that ends in failure was carried out, and is no success: exit 1', async () => {
    const failing = await listening((_request, response) => response.writeHead(500).end('no'));
    const failed = await killpoint('resume', stateOf('manifest-resumed'), '--provider', failing.url, '--json');
    expect(failed.code).toBe(1);
    expect(document(failed)).toMatchObject({ status: 'failed', operations: ['start_call'], effect_unknown: false });
  });

  it('interrupted while the request is on its way: exit 2, and what is known', async () => {
    const holding = await listening(() => undefined);
    const state = stateOf('manifest-resumed');
    const args = [file(), 'resume', state, '--provider', holding.url];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    await once(holding.server, 'request');
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(2);
    expect(said).toMatch(/was interrupted.* The effect is unknown/);
    expect(said).toMatch(/ reconcile .* --lookup /);
    expect((await projected(state)).calls.at(-1)?.stage).toBe('effect_unknown');
  });
});

describe('what is refused', () => {
  // A bundle in small: what must not act on evidence is not tried on the evidence that is kept.
  const bundle = join(folder.path, 'bundle');
  const call = join(bundle, 'data', 'cases', 'effect-unknown', 'producer', 'state');
  beforeAll(() => {
    cpSync(join(cases, 'effect-unknown', 'producer', 'state'), call, { recursive: true });
    writeFileSync(join(bundle, 'bagit.txt'), '');
  });
  it.each<[string, RegExp, string[]]>([
    ['asking and stating', /cannot be used with option/, ['reconcile', call, '--lookup', '--finding', 'served']],
    ['a finding that is none', /Allowed choices are served/, ['reconcile', call, '--finding', 'perhaps']],
    ['a response without served', /goes with --finding served/, ['reconcile', call, '--finding', 'unknown', '--response', '/x']],
    ['a status without a response', /goes with --response/, ['reconcile', call, '--finding', 'served', '--status', '200']],
    ['a file that is no JSON', /is not JSON/, ['fix-inputs', call, '--inputs', import.meta.filename]],
    ['a file that is not there', /\/nowhere cannot be read/, ['fix-inputs', call, '--inputs', '/nowhere']],
    ['both verdicts', /cannot be used with option/, ['accept', call, '--reject', '--duplicate']],
    ['evidence', /is evidence, and nobody acts on that/, ['retry', call, '--dry-run']],
    ['no state folder', /is not a state folder/, ['retry', folder.path]],
  ])('%s, in one sentence', async (_name, sentence, words) => {
    const before = inventoryOf(call);
    await expect(killpoint(...words)).rejects.toThrow(sentence);
    expect(inventoryOf(call)).toEqual(before);
  });

  it('an empty provider, an id that is nowhere, and a scenario that is none', async () => {
    const state = stateOf('effect-unknown');
    await expect(killpoint('retry', state, '--provider', '')).rejects.toThrow('no http or https URL');
    await expect(killpoint('retry', state, 'call-99')).rejects.toMatchObject({
      code: 'operation-refused',
      exitCode: 64,
      message: expect.stringContaining('There is no call-99') as string,
    });
    await expect(killpoint('retry', state, '--scenario', join(checkout, 'package.json'))).rejects.toThrow(
      'The scenario is not valid',
    );
  });

  it('another operation than the record names: exit 64, with the command for the one that it names', async () => {
    const refused = await killpoint('retry', stateOf('effect-unknown'), '--json');
    expect(refused.code).toBe(64);
    const { refusal, operations, next } = document(refused);
    expect({ refusal, operations }).toMatchObject({
      refusal: { operation: 'reconcile_effect', hazard: 'unsafe' },
      operations: [],
    });
    expect(next[0]?.commands[0]?.line).toMatch(/ reconcile /);
  });
});
