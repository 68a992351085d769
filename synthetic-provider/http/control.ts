/**
 * The control interface, for whoever runs the experiment: opens prefixes, waits for held requests, releases, closes. It needs the
 * control token, which no subject is given. Errors are one JSON object with a code, a sentence and, for input, every mistake.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { utf8, wellFormed } from '../core/canonical.js';
import { ProviderError, type ProviderErrorCode } from '../core/errors.js';
import { readBody, sendJson } from './messages.js';
import type { Prefix } from './prefix.js';
import { type Opening, type Registry, Token, openingMistakes } from './registry.js';

const statusOf: Record<ProviderErrorCode, number> = {
  usage: 400,
  'script-invalid': 400,
  'receipts-missing': 400,
  'receipts-damaged': 400,
  'receipts-exist': 409,
  'receipts-busy': 409,
  'prefix-closed': 409,
  'receipts-foreign': 500,
  'receipts-unsynced': 500,
};

export class Control {
  readonly #registry: Registry;
  readonly #token: Token;

  constructor(registry: Registry, secret: string) {
    this.#registry = registry;
    this.#token = new Token(secret);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const given = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined || !this.#token.is(new Token(given)))
      return refuse(response, 401, 'unauthorized', 'The control token is needed.');
    try {
      if (body.kind === 'broken') return;
      if (body.kind === 'too_large') return refuse(response, 413, 'usage', 'The body is over 10 MiB.');
      this.#route(request, response, body.bytes);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      refuse(response, statusOf[error.code], error.code, error.message);
    }
  }

  #route(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const { method, url = '' } = request;
    if (url === '/control/prefixes') {
      if (method !== 'POST') return refuse(response, 405, 'usage', 'A prefix is opened by POST.');
      return this.#open(request, response, body);
    }
    const [, token = '', action = '', query] =
      /^\/control\/prefixes\/([A-Za-z0-9_-]+)\/(held(?=\?|$)|release$|close$)(?:\?(.*))?$/.exec(url) ?? [];
    const prefix = this.#registry.find(token);
    if (prefix === null) return refuse(response, 404, 'usage', 'There is no such prefix, or nothing to do with it here.');
    if (method !== (action === 'held' ? 'GET' : 'POST'))
      return refuse(response, 405, 'usage', `${method} does not fit ${action}.`);
    if (action === 'close') return sendJson(response, 200, { ...prefix.close() });
    if (!prefix.open) throw closed();
    if (action === 'release') return sendJson(response, 200, { released: prefix.held.release() });
    waitForHeld(prefix, atLeastIn(query), response);
  }

  #open(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const value = parse(body);
    const mistakes = openingMistakes(value);
    if (mistakes.length > 0) {
      const code = mistakes.every((mistake) => mistake.startsWith('/script')) ? 'script-invalid' : 'usage';
      return sendJson(response, 400, {
        error: { code, message: `The prefix cannot be opened: ${mistakes.join(' ')}`, mistakes },
      });
    }
    const opening = value as Omit<Opening, 'continue'> & { continue?: boolean };
    const token = this.#registry.open({ ...opening, continue: opening.continue ?? false });
    sendJson(response, 201, { token, url: `http://127.0.0.1:${request.socket.localPort}/p/${token}` });
  }
}

function atLeastIn(query: string | undefined): number {
  if (query === undefined) return 1;
  const number = /^at_least=([1-9]\d{0,5})$/.exec(query)?.[1];
  if (number === undefined)
    throw new ProviderError('usage', 'Say how many requests to wait for as in "held?at_least=3", up to 999999.');
  return Number(number);
}

function waitForHeld(prefix: Prefix, atLeast: number, response: ServerResponse): void {
  const stop = prefix.held.wait(atLeast, (held) => {
    if (held === null) refuse(response, statusOf['prefix-closed'], 'prefix-closed', closed().message);
    else sendJson(response, 200, { held });
  });
  response.once('close', stop);
}

function closed(): ProviderError {
  return new ProviderError('prefix-closed', 'The prefix is closed.');
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(utf8(body) ?? '');
  } catch {
    return null;
  }
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  sendJson(response, status, { error: { code, message: wellFormed(message) } });
}
