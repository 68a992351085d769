/**
 * A provider's log as a test tells it, line by line, for the provider model: what left and did not arrive, questions, fences, and
 * requests that wait. The log is whole by construction; whether it is what a script says is the question.
 */
import type { ProviderScript, Receipt } from '../contract/types.js';
import { departures, type KeptAnswers } from '../model/provider.js';
import { canonical } from '../read/canonical.js';
import { textSha256 } from '../read/hash.js';
import { readReceipts, type Settled } from '../read/receipts.js';

const chat = '{"messages":[{"content":"Hi.","role":"user"}],"model":"m"}';
const at = '2026-01-01T00:00:00.000Z';
const answering: ProviderScript = { key: 'ignore', requests: [], otherwise: { do: 'answer' } };

/** A log as told: each line takes the next seq, and a request that is held is settled where it says so. */
export class Told {
  readonly lines: Receipt[] = [];
  private requests = 0;
  private ways = 0;

  private line(members: object): void {
    const common = { at, digest: '', monotonic_ns: String(this.lines.length + 1), version: 'receipts/v1' };
    const rest = { ...common, seq: this.lines.length + 1, ...members };
    const { digest: _digest, ...whole } = rest;
    this.lines.push({ ...whole, digest: textSha256(canonical(whole)) } as Receipt);
  }

  private bytes(token: number | null, text: string) {
    return {
      ...{ body: { data: text, encoding: 'utf8' }, body_sha256: textSha256(text), idempotency_key: 'k', method: 'POST' },
      headers: { 'idempotency-key': 'k', ...(token === null ? {} : { 'fencing-token': String(token) }) },
      path: '/v1/chat/completions',
    };
  }

  receive(token: number | null = null, text = chat): number {
    this.line({ kind: 'received', request: (this.requests += 1), peer_pid: 1, ...this.bytes(token, text) });
    return this.requests;
  }

  settle(request: number, members: Partial<Settled>): this {
    const status = members.status === undefined ? 200 : members.status;
    const response_sha256 = status === null ? null : 'a'.repeat(64);
    this.line({ kind: 'settled', request, ended: 'answered', effect: null, response_sha256, ...members, status });
    return this;
  }

  serve(members: Partial<Settled>, token: number | null = null): this {
    return this.settle(this.receive(token), members);
  }

  delay(token: number | null = null): this {
    this.line({ kind: 'delayed', delayed: (this.ways += 1), peer_pid: 1, ...this.bytes(token, chat) });
    return this;
  }

  arrive(delayed: number, members: Partial<Settled>, token: number | null = null): this {
    const request = (this.requests += 1);
    this.line({ kind: 'received', request, delayed, peer_pid: null, ...this.bytes(token, chat) });
    return this.settle(request, { ended: 'gone_while_held', ...members });
  }

  private question(path: string, method: string, headers: object): number {
    const none = { body: { data: '', encoding: 'utf8' }, body_sha256: textSha256(''), idempotency_key: null };
    this.line({ kind: 'received', request: (this.requests += 1), method, path, headers, peer_pid: 1, ...none });
    return this.requests;
  }

  /** Of the body of every request. */
  readonly bodySha256 = textSha256(chat);

  /** A look-up that is held; it is settled where it says so. */
  ask(headers: object = {}): number {
    return this.question('/keys/k', 'GET', headers);
  }

  look(status: number | null, members: Partial<Settled> = {}, headers: object = {}): this {
    return this.settle(this.ask(headers), { status, ...members });
  }

  fence(token: number, status = 200, headers: object = {}, members: Partial<Settled> = {}): this {
    const asked = { 'fencing-token': String(token), ...headers };
    return this.settle(this.question('/keys/k/fence', 'POST', asked), { status, ...members });
  }

  departing(by: Partial<ProviderScript>, inherited = 0, kept?: KeptAnswers): string[] {
    const log = readReceipts(Buffer.from(this.lines.map((line) => `${canonical(line)}\n`).join('')));
    if (log.problems.length > 0) throw new Error(`The log is not whole: ${log.problems[0]?.detail}`);
    return departures(log, inherited, { ...answering, ...by }, kept).map(({ seq, detail }) => `${seq}: ${detail}`);
  }
}
