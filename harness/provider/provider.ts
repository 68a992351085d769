/**
 * The provider process of a run, and the client of its control interface.
 *
 * One process serves all cases. It counts what no subject can be trusted to count, so it is a process of its own that dies with its
 * standard input. Its answer to `close` (length and SHA-256 of the log) is compared with the file before anything is copied.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { randomBytes } from 'node:crypto';
import type { Process, ProviderScript } from '../contract/types.js';
import { CaseVoid, HarnessError } from '../errors.js';
import { canonical } from '../io/canonical.js';
import { processFacts } from '../process/proc.js';
import type { Watchdog } from '../process/watchdog-client.js';
import { requestControl, type ControlAddress } from './control.js';

export type Closed = NonNullable<Process['receipts']>;

export interface Prefix {
  readonly url: string;
  /** Resolves when the provider says that it holds so many requests at once. */
  held(requests: number, signal: AbortSignal): Promise<void>;
  close(): Promise<Closed>;
}

export interface Provider {
  open(receipts: string, script: ProviderScript, continues: boolean): Promise<Prefix>;
  /** Ends its input and waits until it is gone. */
  end(): Promise<void>;
}

const readyTimeoutMs = 15_000;

export async function startProvider(file: string, watchdog: Watchdog, log: string): Promise<Provider> {
  const nonce = randomBytes(16).toString('hex');
  watchdog.expect(nonce, null);
  const stderr = openSync(log, 'a');
  const child = spawn(process.execPath, [file], {
    detached: true,
    stdio: ['pipe', 'pipe', stderr],
    env: { TZ: 'UTC', LANG: 'C.UTF-8', KILLPOINT_NONCE: nonce },
  });
  closeSync(stderr);
  const exited = once(child, 'exit');
  if (child.pid !== undefined) watchdog.started(nonce, child.pid, processFacts(child.pid)?.startTicks ?? '');
  child.stdin?.on('error', () => undefined);
  const address = await readyAddress(child.stdout, exited, log).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    open: (receipts, script, continues) => openPrefix(address, receipts, script, continues),
    end: async () => {
      child.stdin?.end();
      await exited;
      watchdog.gone(nonce);
    },
  };
}

async function readyAddress(
  stdout: NodeJS.ReadableStream | null,
  exited: Promise<unknown>,
  log: string,
): Promise<ControlAddress> {
  if (stdout === null) throw new HarnessError('provider-unavailable', 'The provider has no standard output.');
  const lines = createInterface({ input: stdout });
  const deadline = AbortSignal.timeout(readyTimeoutMs);
  const first = await Promise.race([
    once(lines, 'line', { signal: deadline }).then(([line]) => String(line)),
    exited.then(() => ''),
  ]).catch(() => '');
  try {
    const ready = JSON.parse(first) as { control_token?: unknown; port?: unknown; ready?: unknown };
    if (ready.ready === true && typeof ready.port === 'number' && typeof ready.control_token === 'string') {
      return { port: ready.port, token: ready.control_token };
    }
  } catch {
    // Told below: anything but the ready line means the same.
  }
  throw new HarnessError('provider-unavailable', `The provider did not say that it is ready; its words are in ${log}.`);
}

async function openPrefix(
  address: ControlAddress,
  receipts: string,
  script: ProviderScript,
  continues: boolean,
): Promise<Prefix> {
  const body = canonical({ receipts, script, continue: continues });
  const { token, url } = (await ask(address, 'POST', '/control/prefixes', 201, body)) as { token: string; url: string };
  const base = `/control/prefixes/${token}`;
  return {
    url,
    held: async (requests, signal) =>
      void (await ask(address, 'GET', `${base}/held?at_least=${requests}`, 200, undefined, signal)),
    close: async () => {
      const { bytes, lines, sha256 } = (await ask(address, 'POST', `${base}/close`, 200)) as Closed;
      return { bytes, lines, sha256 };
    },
  };
}

async function ask(
  address: ControlAddress,
  method: string,
  path: string,
  expected: number,
  body?: string,
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    const { status, text } = await requestControl(address, method, path, body, signal);
    if (status !== expected) throw new Error(`status ${status}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CaseVoid(
      'provider-lost',
      `The provider did not do "${method} ${path.replace(/[^/]{20,}/, '<token>')}": ${(error as Error).message}`,
      { cause: error },
    );
  }
}
