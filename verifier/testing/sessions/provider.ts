/** The provider's side of a session: its receipt log, line by line, as a correct provider would have written it. */
import type { Receipt } from '../../contract/types.js';
import { canonical } from '../../read/canonical.js';
import { sha256, textSha256 } from '../../read/hash.js';
import { beganAt } from '../provider.js';

type Settled = Extract<Receipt, { kind: 'settled' }>;
const at = '2026-01-01T00:00:00.000Z';

interface Sent {
  readonly path: string;
  readonly key: string;
  readonly body: string;
  /** The effect that happens; null where none does. */
  readonly effect: string | null;
  readonly status?: number | null;
  readonly response?: string;
  readonly ended?: Settled['ended'];
  /** Of a process that the role started. */
  readonly pid?: number;
}

export class SessionProvider {
  readonly lines: Receipt[] = [];
  /** Of the process that sends. */
  pid = 1000;
  generation = 0;
  /** By how much later than usual what is sent now arrives. */
  later = 0;
  private effects = 0;

  continued(pid: number): SessionProvider {
    const copy = new SessionProvider();
    copy.lines.push(...structuredClone(this.lines));
    Object.assign(copy, { effects: this.effects, generation: this.generation + 1, pid });
    return copy;
  }

  serve({ path, key, body, effect, status = 200, response = '', ended = 'answered', pid = this.pid }: Sent): void {
    const request = this.lines.filter(({ kind }) => kind === 'received').length + 1;
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const sent = { body: { data: body, encoding: 'utf8' }, body_sha256: sha256(Buffer.from(body)), headers };
    this.write({ kind: 'received', request, method: 'POST', path, idempotency_key: key, peer_pid: pid, ...sent });
    if (effect !== null) this.effects += 1;
    const had = effect === null ? null : { effect_id: `effect-${this.effects}`, name: effect, replayed: false };
    const response_sha256 = status === null ? null : sha256(Buffer.from(response));
    this.write({ kind: 'settled', request, ended, effect: had, status, response_sha256 });
  }

  get bytes(): Buffer {
    return Buffer.from(this.lines.map((line) => `${canonical(line)}\n`).join(''));
  }

  /** One clock for all: a role has its lines after its beginning, and whoever continues it begins later. */
  private write(members: object): void {
    const clock = String(beganAt(this.generation) + 10 + this.later + this.lines.length);
    const rest = { at, monotonic_ns: clock, seq: this.lines.length + 1, version: 'receipts/v1', ...members };
    this.lines.push({ ...rest, digest: textSha256(canonical(rest)) } as Receipt);
  }
}
