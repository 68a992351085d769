/**
 * The provider's side of the small world: its receipt log, line by line, as a correct provider would have written it.
 */
import type { Receipt } from '../contract/types.js';
import { canonical } from '../read/canonical.js';
import { sha256, textSha256 } from '../read/hash.js';
import { answer, at, key } from './scenario.js';

type Received = Extract<Receipt, { kind: 'received' }>;
type Settled = Extract<Receipt, { kind: 'settled' }>;

/** When the role of a generation begins: the producer is the first, whoever continues it the next. */
export const beganAt = (generation: number): number => 1000 * (generation + 1);

interface Sent {
  readonly body: Buffer;
  /** The fencing token; a runtime of before sent none. */
  readonly token?: number | undefined;
}

export interface Served {
  readonly ended?: Settled['ended'];
  readonly replayed?: boolean;
  /** Refused because of a fence. */
  readonly fenced?: boolean;
}

interface Asked {
  readonly path: string;
  readonly token?: number | undefined;
  readonly request: string;
  readonly status: number;
  readonly body: string;
}

export class ProviderLog {
  readonly lines: Receipt[] = [];
  /** Of the process that sends. */
  pid = 1000;
  generation = 0;
  /** How much later than right after its beginning. */
  later = 0;
  private effects = 0;
  private onTheirWay = 0;

  continued(pid: number): ProviderLog {
    const copy = new ProviderLog();
    copy.lines.push(...structuredClone(this.lines));
    Object.assign(copy, { effects: this.effects, onTheirWay: this.onTheirWay, generation: this.generation + 1, pid });
    return copy;
  }

  serve(sent: Sent, { ended = 'answered', replayed = false, fenced = false }: Served = {}): void {
    this.receive({ ...this.bytesOf(sent), peer_pid: this.pid });
    if (!replayed && !fenced) this.effects += 1;
    const effect = fenced ? null : { effect_id: `effect-${this.effects}`, name: 'chat.completions', replayed };
    this.settle({ ended, effect, status: fenced ? 412 : 200, response_sha256: sha256(fenced ? Buffer.from('{}') : answer) });
  }

  /** The request leaves its client and does not arrive. */
  delay(sent: Sent): void {
    this.onTheirWay += 1;
    this.write({ kind: 'delayed', ...this.bytesOf(sent), peer_pid: this.pid, delayed: this.onTheirWay });
  }

  /** What is on its way arrives, and a fence has ruled it out. */
  arriveFenced(sent: Sent): void {
    this.receive({ ...this.bytesOf(sent), peer_pid: null, delayed: this.onTheirWay });
    this.settle({ ended: 'gone_while_held', effect: null, status: 412, response_sha256: sha256(Buffer.from('{}')) });
  }

  /** A request without a body, which has no effect. */
  arrive(path: string, idempotencyKey: string): void {
    const body = { data: '', encoding: 'utf8' as const };
    const headers = { 'idempotency-key': idempotencyKey };
    const sent = { method: 'POST', path, headers, idempotency_key: idempotencyKey, body, body_sha256: textSha256('') };
    this.receive({ ...sent, peer_pid: this.pid });
    this.settle({ ended: 'answered', effect: null, status: 200, response_sha256: textSha256('') });
  }

  ask({ path, token, request, status, body }: Asked): void {
    const empty = { data: '', encoding: 'utf8' as const };
    const headers = { 'request-sha256': request, ...(token === undefined ? {} : { 'fencing-token': String(token) }) };
    const method = token === undefined ? 'GET' : 'POST';
    const none = { idempotency_key: null, body: empty, body_sha256: textSha256('') };
    this.receive({ method, path, headers, ...none, peer_pid: this.pid });
    this.settle({ ended: 'answered', effect: null, status, response_sha256: textSha256(body) });
  }

  get bytes(): Buffer {
    return Buffer.from(this.lines.map((line) => `${canonical(line)}\n`).join(''));
  }

  private bytesOf({ body, token }: Sent) {
    const tokenHeader = token === undefined ? {} : { 'fencing-token': String(token) };
    return {
      body: { data: body.toString('utf8'), encoding: 'utf8' as const },
      body_sha256: sha256(body),
      headers: { 'content-type': 'application/json', 'idempotency-key': key, ...tokenHeader },
      idempotency_key: key,
      method: 'POST',
      path: '/v1/chat/completions',
    };
  }

  private get requests(): number {
    return this.lines.filter(({ kind }) => kind === 'received').length;
  }

  private receive(members: Omit<Received, 'kind' | 'request' | Common>): void {
    this.write({ kind: 'received', request: this.requests + 1, ...members });
  }

  private settle(members: Omit<Settled, 'kind' | 'request' | Common>): void {
    this.write({ kind: 'settled', request: this.requests, ...members });
  }

  /** One clock for all: a role has its lines after its beginning, and whoever continues it begins later. */
  private write(members: object): void {
    const clock = String(beganAt(this.generation) + 10 + this.later + this.lines.length);
    const rest = { at, monotonic_ns: clock, seq: this.lines.length + 1, version: 'receipts/v1', ...members };
    this.lines.push({ ...rest, digest: textSha256(canonical(rest)) } as Receipt);
  }
}

type Common = 'at' | 'monotonic_ns' | 'seq' | 'version' | 'digest';
