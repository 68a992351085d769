/**
 * A real provider process for tests, and a client that shows what really came back. Uses the build that `npm test` made, else
 * makes one.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Receipt } from '../contract/types.js';

export const folder = mkdtempSync(join(tmpdir(), 'killpoint-provider-'));
export const client = resolve(import.meta.dirname, 'client.mjs');

export function mainFile(): string {
  process.env['KILLPOINT_BUILD'] ??= execFileSync(process.execPath, ['scripts/build.mjs'], { encoding: 'utf8' }).trim();
  return resolve(process.env['KILLPOINT_BUILD'], 'synthetic-provider/main.js');
}

export interface Reply {
  /** null: the connection ended without a status line. */
  readonly status: number | null;
  readonly text: string;
  readonly length: number;
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
    sent.on('error', () => done({ status: null, text: '', length: 0, whole: false }));
    sent.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      const end = () => {
        const text = Buffer.concat(chunks).toString();
        done({
          status: response.statusCode ?? 0,
          text,
          length: Number(response.headers['content-length']),
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

export function chat(url: string, key?: string, body: string | Buffer = chatBody): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) };
  return ask(`${url}/v1/chat/completions`, { headers, body });
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

  held({ token }: Opened) {
    return this.control('GET', `/${token}/held`);
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
