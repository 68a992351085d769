/** Ledgers that end in the middle of a call, to be resumed, and the refusals of a resume. */
import { deepStrictEqual, rejects } from 'node:assert/strict';
import type { RuntimeOptions } from '../api/options.js';
import type { Runtime } from '../api/runtime.js';
import { ResumeRefused } from '../core/refusals.js';
import { openStateFolder } from '../ledger/state-folder.js';
import { answered, newFolder, open, prepare, scripted, types } from './folder.js';

export const provider = { url: 'http://127.0.0.1:9/p', model: 'synthetic-1', system: 'You review.' };

/** A ledger that ends right after the first event of a type: the listener throws there, as a crash would stop there. */
export async function endedAfter(
  type: string,
  commit: 'each' | 'grouped' = 'each',
  options: Partial<RuntimeOptions> = {},
): Promise<string> {
  const folder = newFolder();
  const runtime = open(folder, {
    ...options,
    commit,
    onCommitted: (events) => {
      if (events.some((event) => event.type === type)) throw new Error('stop');
    },
  });
  await rejects(async () => runtime.call(prepare(runtime)), /stop/);
  runtime.close();
  return folder;
}

/** A ledger from before specs that ends after the request. */
export async function endedAfterOldRequest(): Promise<string> {
  const folder = newFolder();
  const runtime = open(folder);
  prepare(runtime);
  runtime.close();
  const { ledger } = openStateFolder(folder, false);
  const place = { task_id: 'task-1', call_id: 'call-6', compilation_id: 'compilation-4' };
  const payload = { idempotency_key: 'key-16', instruction: 'Review the paragraph.' };
  ledger.append([{ ...place, type: 'call.requested', payload }]);
  ledger.close();
  return folder;
}

/** Goes on with a ledger, against an answer. */
export function reopened(folder: string, options: Partial<RuntimeOptions> = {}) {
  const script = scripted(answered);
  return { runtime: open(folder, { create: false, transport: script.transport, ...options }), sent: script.sent };
}

/** What a resume is refused with, which appended nothing. */
export async function refusalOf(runtime: Runtime, callId: string, options = {}): Promise<ResumeRefused> {
  const before = types(runtime).length;
  const error: unknown = await runtime.resumeCall(callId, options).catch((cause: unknown) => cause);
  deepStrictEqual(types(runtime).length, before);
  if (!(error instanceof ResumeRefused)) throw error;
  return error;
}
