/** Sessions for tests: in folders of their own, with the frames that became durable. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionConfig, SessionOptions, SessionTool } from '../api/options.js';
import { openSessionReader } from '../api/reader.js';
import { openSession, type Session } from '../api/session.js';
import type { Frame } from '../core/records.js';

export function newFolder(): string {
  return join(mkdtempSync(join(tmpdir(), 'killpoint-session-')), 'state');
}

export const httpTool = (name: string, changes: Partial<SessionTool> = {}): SessionTool => ({
  name,
  kind: 'http',
  effect: name,
  timeoutMs: 5000,
  ...changes,
});

export const config: SessionConfig = {
  model: 'synthetic-1',
  system: 'You help.',
  tools: [httpTool('charge'), httpTool('mail'), httpTool('look', { safety: 'pure', onUnknown: 'continue' })],
  maxSteps: 6,
  modelTimeoutMs: 5000,
};

export function create(folder: string, providerUrl: string, options: SessionOptions = {}): Session {
  return openSession(folder, { create: true, sessionId: 's-1', providerUrl, config, ...options });
}

export function frames(folder: string): readonly Frame[] {
  return openSessionReader(folder).frames();
}

export function types(folder: string): string[] {
  return frames(folder).map(({ type }) => type);
}

/** What lies in a folder, byte for byte, but for the lease. */
export function bytesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.startsWith('lease'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));
}

/** A copy as a crash would leave it: everything but what is volatile. */
export function copyState(folder: string): string {
  const copy = newFolder();
  mkdirSync(copy);
  for (const name of readdirSync(folder))
    if (!/^lease|\.lock$/.test(name) && statSync(join(folder, name)).isFile()) copyFileSync(join(folder, name), join(copy, name));
  return copy;
}

/** Payloads of a type, in order. */
export function payloads(folder: string, type: string): Record<string, unknown>[] {
  return frames(folder)
    .filter((frame) => frame.type === type)
    .map(({ payload }) => payload);
}

/** A promise that a test settles. */
export function signal<T = void>(): { promise: Promise<T>; settle: (value: T) => void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, settle };
}
