/** Logs for tests: real files in folders of their own, small drafts, and system calls that are watched or made to fail. */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RuntimeError } from '../../../core/errors.js';
import type { Draft, Frame } from '../../core/records.js';
import { systemFiles, type Files } from '../files.js';
import { readSessionLog, SessionLog, type LogOptions } from '../session-log.js';

export const sessionId = 's-1';

/** In memory where there is such a place: a kill takes nothing from the page cache, and a sync costs nothing there. */
const home = fs.existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const base = fs.mkdtempSync(join(home, `killpoint-log-${process.pid}-`));
// Test files share this module and processes of tests are killed at their end: what a dead one left is removed by the next.
for (const name of fs.readdirSync(home)) {
  const [, pid] = /^killpoint-log-(\d+)-/.exec(name) ?? [];
  if (pid !== undefined && !isAlive(Number(pid))) fs.rmSync(join(home, name), { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export function newFolder(): string {
  return join(fs.mkdtempSync(join(base, 'of-')), 'state');
}

export function create(options: LogOptions = {}, folder = newFolder()): { folder: string; path: string; log: SessionLog } {
  return { folder, path: logPath(folder), log: SessionLog.create(folder, { sessionId, ...options }) };
}

export function logPath(folder: string): string {
  return join(folder, 'session.wal');
}

/** A new folder with this log in it, as a crash or somebody else would have left it. */
export function folderWith(log: Uint8Array, floor: readonly string[] = []): string {
  const { folder, log: created } = create();
  created.close();
  fs.writeFileSync(logPath(folder), log);
  if (floor.length > 0)
    fs.writeFileSync(join(folder, 'wal-feature-floor'), `${JSON.stringify({ features: floor, version: 'feature-floor/v1' })}\n`);
  return folder;
}

export const queued = (id: string, text = 'Hello'): Draft => ({
  type: 'queued',
  payload: { input: { text }, submission_id: id },
});
export const steered = (text = 'Shorter.'): Draft => ({ type: 'steered', payload: { input: { text }, run_id: 'run-1' } });
export const cancelled: Draft = { type: 'run_cancel_requested', payload: { at: 'now', run_id: 'run-1' } };
export const stepStarted = (seq: number): Draft => ({
  type: 'step_started',
  payload: { run_id: 'run-1', step_id: `step-${seq}`, watermark_seq: seq - 1 },
});
export const stepWithCalls = (calls: number): Draft => ({
  type: 'model_step_finished',
  payload: {
    assistant: {
      text: null,
      tool_calls: Array.from({ length: calls }, (_, index) => ({ arguments: '{}', id: `call-${index}`, name: 'charge' })),
    },
    run_id: 'run-1',
    step_id: 'step-3',
    usage: null,
  },
});
export const result = (id: string, output: string, outcome: 'completed' | 'unknown' = 'completed'): Draft => ({
  type: 'tool_result',
  payload: { batch_id: 'batch-3', is_error: outcome === 'unknown', outcome, output, run_id: 'run-1', tool_call_id: id },
});
export const batchFinished: Draft = { type: 'tool_batch_finished', payload: { batch_id: 'batch-3', run_id: 'run-1' } };
export const turnFinished: Draft = { type: 'turn_finished', payload: { run_id: 'run-1', step_id: 'step-3' } };
export const runFinished: Draft = {
  type: 'run_finished',
  payload: {
    error: { code: 'session_too_large', detail: 'The session has reached its size limit.' },
    reason: 'error',
    run_id: 'run-1',
    usage: { input_tokens: 0, output_tokens: 0 },
  },
};

/** Seven frames: the first, a barrier, one that is not synced with the barrier after it, and a barrier of three. */
export function smallLog(): { folder: string; path: string; bytes: Buffer; frames: Frame[] } {
  const frames: Frame[] = [];
  const { folder, path, log } = create({ onFrame: (frame) => void frames.push(frame) });
  log.append([queued('m-1')], { sync: true });
  log.append([stepStarted(3)], { sync: false });
  log.append([queued('m-2')], { sync: true });
  log.append([stepWithCalls(0), turnFinished, queued('m-3', 'é 😀')], { sync: true });
  log.close();
  return { folder, path, bytes: fs.readFileSync(path), frames };
}

export function read(folder: string): { frames: Frame[]; tornBytes: number; end: number } {
  const frames: Frame[] = [];
  const scan = readSessionLog(folder, (frame) => void frames.push(frame));
  return { frames, ...scan };
}

export const types = (folder: string): string[] => read(folder).frames.map(({ type }) => type);

/** The code of what is thrown, or null where nothing is. */
export function codeOf(work: () => unknown): string | null {
  return errorOf(work)?.code ?? null;
}

export function errorOf(work: () => unknown): (RuntimeError & { offset?: number | null; names?: string[] }) | null {
  try {
    work();
    return null;
  } catch (error) {
    return error as RuntimeError;
  }
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: told by a test`), { code });
}

export interface Watched {
  files: Files;
  /** Each call that may change something, with the name of the file. */
  calls: string[];
}

/** What is done instead of a call: it gets the real one, bound to the arguments, and the arguments. */
type Changes = { [Name in keyof Files]?: (real: () => unknown, ...args: unknown[]) => unknown };

const noted: ReadonlySet<string> = new Set(['writeSync', 'fdatasyncSync', 'fsyncSync', 'ftruncateSync', 'renameSync']);

/** The real calls, each noted before it is done; `instead` may do something else. */
export function watch(instead: Changes = {}): Watched {
  const calls: string[] = [];
  const names = new Map<unknown, string>();
  const watched = (name: string, call: (...args: unknown[]) => unknown): ((...args: unknown[]) => unknown) => {
    const change = instead[name as keyof Files];
    return (...args) => {
      if (noted.has(name)) calls.push(`${name.replace('Sync', '')} ${names.get(args[0]) ?? nameOf(String(args[0]))}`);
      const got = change === undefined ? call(...args) : change(() => call(...args), ...args);
      if (name === 'openSync') names.set(got, nameOf(String(args[0])));
      return got;
    };
  };
  const real = Object.entries(systemFiles).filter(([name]) => name.endsWith('Sync'));
  const files = Object.fromEntries(real.map(([name, call]) => [name, watched(name, call as (...args: unknown[]) => unknown)]));
  return { files: files as unknown as Files, calls };
}

function nameOf(path: string): string {
  return fs.existsSync(path) && fs.statSync(path).isDirectory() ? 'folder' : path.slice(dirname(path).length + 1);
}
