/** Runs the compiled role programs as real processes, parks them, kills them. */
import { spawn, execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, CheckpointLine } from '../contract/types.js';
import type { Scenario } from '../subjects/calls/scenario.js';

export const review: Scenario = {
  commit: 'each',
  task: {
    task_id: 'review-1',
    title: 'Review a paragraph',
    objective: 'Review the second paragraph of the draft.',
    claim: { claim_id: 'claim-1', statement: 'The figure was measured in one run.', basis: 'measurement log' },
  },
  context: {
    budget_tokens: 64,
    items: [
      {
        id: 'A',
        kind: 'record',
        required: true,
        content: 'The second paragraph cites its measurement once',
        lineage: ['objective-1', 'draft-3'],
      },
      { id: 'B', kind: 'claim', required: true, content: 'The figure was measured in one run.', lineage: ['claim-1'] },
      {
        id: 'D',
        kind: 'artifact',
        required: false,
        content: 'Paragraph two: recovery took nine milliseconds.',
        lineage: ['draft-3'],
      },
    ],
    required_ids: ['A', 'B'],
  },
  call: {
    idempotency_key: 'key-16',
    instruction: 'Review the paragraph.',
    model: 'synthetic-1',
    system: 'You review paragraphs.',
    honours_key: false,
    timeout_ms: 30_000,
    retry: { max_attempts: 2, retry_statuses: [429, 503], retry_not_sent: true, retry_broken_if_key_honoured: false },
  },
  accept: null,
  dial: null,
};

export const withCall = (changes: Partial<NonNullable<Scenario['call']>>): Scenario => ({
  ...review,
  call: { ...review.call!, ...changes },
});

export interface Role {
  code: number | null;
  signal: NodeJS.Signals | null;
  line: CheckpointLine | null;
  answer: Answer | null;
  stderr: string;
}

export interface RoleOptions {
  /** Default: calls. */
  subject?: 'calls' | 'sessions';
  role: 'produce' | 'inspect' | 'resume' | 'restart';
  state: string;
  url: string;
  /** Default: the review. */
  scenario?: object;
  checkpoint?: string;
  variables?: Record<string, string>;
  /** What goes into a file, by the variable that names it. */
  inputs?: Record<string, object>;
  /** A tracer and its arguments, in front of the role's command. */
  through?: readonly string[];
  /** What to do with the process once it announced its checkpoint. Default: SIGKILL. */
  parked?: (child: ChildProcess) => void | Promise<void>;
}

let built: string | null = null;

/** The folder of the compiled programs: `KILLPOINT_BUILD` where a build is at hand, else built once per test run. */
export function buildFolder(): string {
  built ??= process.env['KILLPOINT_BUILD'] ?? null;
  const printed = built ?? execFileSync(process.execPath, ['scripts/build.mjs'], { encoding: 'utf8' });
  built = printed;
  return printed.trim().split('\n').at(-1) ?? '';
}

function roleFolder(subject: string): string {
  return join(buildFolder(), 'runtime/subjects', subject);
}

export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'killpoint-runtime-'));
}

export async function runRole(options: RoleOptions): Promise<Role> {
  const folder = emptyFolder();
  const out = join(folder, 'answer.json');
  const scenario = join(folder, 'scenario.json');
  writeFileSync(scenario, JSON.stringify(options.scenario ?? review));
  mkdirSync(join(folder, 'scratch'));
  const [command = '', ...args] = [...(options.through ?? []), process.execPath, `${options.role}.js`];
  const child = spawn(command, args, {
    cwd: roleFolder(options.subject ?? 'calls'),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: {
      KILLPOINT_STATE: options.state,
      KILLPOINT_OUT: out,
      KILLPOINT_NONCE: 'nonce-1',
      KILLPOINT_PROVIDER_URL: options.url,
      KILLPOINT_SCENARIO: scenario,
      KILLPOINT_SCRATCH: join(folder, 'scratch'),
      ...(options.checkpoint !== undefined && { KILLPOINT_CHECKPOINT: options.checkpoint }),
      ...written(folder, options.inputs ?? {}),
      ...options.variables,
    },
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  let announced = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    announced += chunk.toString('utf8');
    if (announced.endsWith('\n')) void (options.parked ?? kill)(child);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const line = announced === '' ? null : (JSON.parse(announced) as CheckpointLine);
  const answer = existsSync(out) ? (JSON.parse(readFileSync(out, 'utf8')) as Answer) : null;
  return { code, signal, line, answer, stderr };
}

function written(folder: string, inputs: Record<string, object>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([variable, input]) => {
      const path = join(folder, `${variable}.json`);
      writeFileSync(path, JSON.stringify(input));
      return [variable, path];
    }),
  );
}

export function kill(child: ChildProcess): void {
  child.kill('SIGKILL');
}

export function release(child: ChildProcess): void {
  (child.stdio[4] as NodeJS.WritableStream).write('g');
}
