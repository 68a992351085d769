/**
 * Effects counted by identity, never by a subject's word: the provider's receipts say what happened, the record only what was
 * intended. Intents and requests meet on the idempotency key and the hash of the body.
 */
import type { OnItsWay, ReceiptLog, Received, Request } from '../read/receipts.js';

/** A separator that neither a key nor a hash of hexadecimal digits can forge: the hash comes first and has a fixed length. */
export function matchOf(key: string | null, bodySha256: string): string {
  return `${bodySha256}:${key === null ? 'null' : `"${key}"`}`;
}

type Sent = Received | OnItsWay['line'];

export function requestMatch({ received }: Request): string {
  return sentMatch(received);
}

export function sentMatch({ idempotency_key: key, body_sha256: hash }: Sent): string {
  return matchOf(key, hash);
}

/** What left a client, once each, in the order of the log: what arrives late had left before, and that is where it counts. */
export function sentIn({ requests, delayed }: ReceiptLog): Sent[] {
  const onTime = requests.map(({ received }) => received).filter((line) => line.delayed === undefined);
  if (delayed.length === 0) return onTime;
  return [...onTime, ...delayed.map(({ line }) => line)].sort((left, right) => left.seq - right.seq);
}

export function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

interface EffectCount {
  readonly effects: number;
  readonly receipts: number;
  readonly keys: number;
  readonly bodies: number;
  readonly processes: number;
  /** Look-ups and fences. */
  readonly questions: number;
  /** Requests that have not arrived. */
  readonly delayed: number;
  /** Distinct effects by idempotency key. */
  readonly byKey: ReadonlyMap<string, number>;
}

const counted = new WeakMap<ReceiptLog, EffectCount>();

export function countEffects(log: ReceiptLog): EffectCount {
  const before = counted.get(log);
  if (before !== undefined) return before;
  const count = countOf(log);
  counted.set(log, count);
  return count;
}

function countOf({ requests, questions, delayed }: ReceiptLog): EffectCount {
  const own = requests.filter(
    ({ settled }) => settled?.effect !== null && settled?.effect !== undefined && !settled.effect.replayed,
  );
  const idOf = (request: Request): string => request.settled?.effect?.effect_id ?? '';
  const distinct = <T>(values: readonly T[]): number => new Set(values).size;
  const byKey = new Map<string, number>();
  for (const [key, group] of groupBy(own, ({ received }) => received.idempotency_key ?? ''))
    byKey.set(key, distinct(group.map(idOf)));
  return {
    effects: distinct(own.map(idOf)),
    receipts: requests.length,
    keys: distinct(requests.flatMap(({ received }) => received.idempotency_key ?? [])),
    bodies: distinct(requests.map(({ received }) => received.body_sha256)),
    processes: distinct(requests.flatMap(({ received }) => received.peer_pid ?? [])),
    questions: questions.length,
    delayed: delayed.filter(({ arrival }) => arrival === undefined).length,
    byKey,
  };
}
