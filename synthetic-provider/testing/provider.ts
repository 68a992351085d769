/**
 * A real provider process for tests, and a client that shows what really came back. Uses the build that `npm test` made, else
 * makes one.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll } from 'vitest';
import type { Receipt } from '../contract/types.js';

export const folder = mkdtempSync(join(tmpdir(), 'killpoint-provider-'));
export const client = resolve(import.meta.dirname, 'client.mjs');
export const batch = resolve(import.meta.dirname, 'batch.mjs');

export function mainFile(): string {
  process.env['KILLPOINT_BUILD'] ??= execFileSync(process.execPath, ['scripts/build.mjs'], { encoding: 'utf8' }).trim();
  return resolve(process.env['KILLPOINT_BUILD'], 'synthetic-provider/main.js');
}

export interface Reply {
  /** null: the connection ended without a status line. */
  readonly status: number | null;
  readonly text: string;
  readonly length: number;
  readonly contentType: string | null;
  readonly whole: boolean;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export function ask(url: string, { method = 'POST', headers = {}, body = '' }: Ask = {}): Promise<Reply> {
  return new Promise((done) => {
    const sent = request(url, {
      method,
      headers: { 'content-length': String(Buffer.byteLength(body)), ...headers },
      agent: false,
    });
    let begun = false;
    // After a reset the request fails too, before its response does.
    sent.on('error', () => begun || done({ status: null, text: '', length: 0, contentType: null, whole: false }));
    sent.on('response', (response: IncomingMessage) => {
      begun = true;
      const chunks: Buffer[] = [];
      const end = () => {
        const text = Buffer.concat(chunks).toString();
        done({
          status: response.statusCode ?? 0,
          text,
          length: Number(response.headers['content-length']),
          contentType: response.headers['content-type'] ?? null,
          whole: response.complete,
        });
      };
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', end)
        .on('error', end);
    });
    sent.end(body);
  });
}

export const chatBody = '{"messages":[{"content":"Say something.","role":"user"}],"model":"synthetic-1"}';

export function chat(url: string, key?: string, body: string | Buffer = chatBody, token?: number): Promise<Reply> {
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(token === undefined ? {} : { 'fencing-token': String(token) }),
  };
  return ask(`${url}/v1/chat/completions`, { headers, body });
}

/**
 * The same request from a bare socket: every byte that came, and `end` or the code with which the connection broke. Node tells of a reset
 * as of an end where it reads the last bytes and the reset in one turn; a byte written then meets the reset, and meets nothing after an end.
 */
export async function rawChat(url: string): Promise<{ text: string; ended: string }> {
  const { host, hostname, port, pathname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = (error: NodeJS.ErrnoException | null | undefined) => error?.code ?? 'end';
  const ended = once(socket, 'end').then(
    () => new Promise<string>((told) => socket.write('x', (error) => told(code(error)))),
    code,
  );
  const head = [`POST ${pathname}/v1/chat/completions HTTP/1.1`, `host: ${host}`, `content-length: ${chatBody.length}`];
  socket.on('error', () => undefined).write(`${head.join('\r\n')}\r\n\r\n${chatBody}`);
  const told = await ended;
  socket.destroy();
  return { ended: told, text };
}

/** What a look-up says, or a fence where a token is given. */
export async function question(url: string, key: string, token?: number): Promise<{ status: number | null; told: unknown }> {
  const path = `${url}/keys/${encodeURIComponent(key)}`;
  const { status, text } =
    token === undefined
      ? await ask(path, { method: 'GET' })
      : await ask(`${path}/fence`, { headers: { 'fencing-token': String(token) } });
  return { status, told: text === '' ? null : JSON.parse(text) };
}

export interface Opened {
  readonly token: string;
  readonly url: string;
  readonly receipts: string;
}

let files = 0;
export function freshPath(): string {
  files += 1;
  return join(folder, `${process.pid}-${files}.jsonl`);
}

export class ProviderProcess {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly #controlToken: string;

  private constructor(child: ChildProcess, port: number, controlToken: string) {
    this.child = child;
    this.origin = `http://127.0.0.1:${port}`;
    this.#controlToken = controlToken;
  }

  /** `wrap` turns the command line into another one that ends in it, by exec. */
  static async start(wrap: (argv: string[]) => string[] = (argv) => argv): Promise<ProviderProcess> {
    // An earlier file of the same worker may have removed it.
    mkdirSync(folder, { recursive: true });
    const [command = '', ...argv] = wrap([process.execPath, mainFile()]);
    const child = spawn(command, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    let text = '';
    for await (const chunk of child.stdout as NodeJS.ReadableStream) {
      text += String(chunk);
      if (text.includes('\n')) break;
    }
    const ready = JSON.parse(text) as { control_token: string; port: number };
    return new ProviderProcess(child, ready.port, ready.control_token);
  }

  async control(
    method: string,
    path: string,
    value?: unknown,
    body = value === undefined ? '' : JSON.stringify(value),
  ): Promise<{ status: number | null; value: Record<string, unknown> }> {
    const headers = { authorization: `Bearer ${this.#controlToken}` };
    const { status, text } = await ask(`${this.origin}/control/prefixes${path}`, {
      method,
      headers,
      body,
    });
    return { status, value: JSON.parse(text) as Record<string, unknown> };
  }

  async open(script: unknown, receipts = freshPath(), goesOn = false): Promise<Opened> {
    const { status, value } = await this.control('POST', '', { receipts, script, continue: goesOn });
    if (status !== 201) throw new Error(JSON.stringify(value));
    return { token: value['token'] as string, url: value['url'] as string, receipts };
  }

  held({ token }: Opened, atLeast?: number) {
    return this.control('GET', `/${token}/held${atLeast === undefined ? '' : `?at_least=${atLeast}`}`);
  }

  release({ token }: Opened) {
    return this.control('POST', `/${token}/release`);
  }

  close({ token }: Opened) {
    return this.control('POST', `/${token}/close`);
  }

  /** The bytes of a close, for a connection of one's own. */
  closeRequest({ token }: Opened): string {
    const { host } = new URL(this.origin);
    return `POST /control/prefixes/${token}/close HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${this.#controlToken}\r\ncontent-length: 0\r\n\r\n`;
  }

  /** Ends it the ordinary way, and throws if it does not end well. */
  async stop(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.stdin?.end();
    const [code] = (await exit) as [number | null];
    if (code !== 0) throw new Error(`The provider ended with ${code}.`);
  }
}

/** The provider of one test file: running from here on, ended the ordinary way after the last test, and its folder with it. */
export async function startedProvider(): Promise<ProviderProcess> {
  const provider = await ProviderProcess.start();
  afterAll(async () => {
    await provider.stop();
    rmSync(folder, { recursive: true });
  });
  return provider;
}

export function lines(path: string): Receipt[] {
  const text = readFileSync(path, 'utf8');
  if (text !== '' && !text.endsWith('\n')) throw new Error('The last line is torn.');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Receipt);
}

/** `received` and `settled` by request, as short words: what the receipts say happened. */
export function settledOf(path: string): string[] {
  return lines(path).flatMap((line) => {
    if (line.kind !== 'settled') return [];
    const effect = line.effect === null ? 'no effect' : `${line.effect.effect_id}${line.effect.replayed ? ' replayed' : ''}`;
    return [`${line.request} ${line.ended} ${line.status} ${effect}`];
  });
}
