/**
 * Reads the bytes of a receipt log that a new prefix is to continue. Pure.
 *
 * The log must be whole, as a closed prefix leaves it: canonical lines with right digests, seq and request numbers gapless, one
 * `settled` for each `received`, effect numbers from 1. Anything else is refused with one sentence that names the line: a
 * provider that continued a torn or edited log would lend it its own good name.
 */
import type { Receipt } from '../contract/types.js';
import { validateReceipt } from '../contract/validators.js';
import { type Json, canonical, sha256, utf8 } from '../core/canonical.js';
import { ProviderError } from '../core/errors.js';

type Received = Extract<Receipt, { kind: 'received' }>;
type Settled = Extract<Receipt, { kind: 'settled' }>;

/** A request whose effect happened under this log, and was its own. */
export interface Served {
  readonly received: Received;
  readonly settled: Settled & { effect: NonNullable<Settled['effect']> };
  readonly body: Buffer;
}

export interface Continued {
  readonly bytes: Buffer;
  readonly lines: number;
  readonly requests: number;
  readonly effects: number;
  /** In the order in which the effects happened. */
  readonly served: readonly Served[];
}

export function readContinued(bytes: Buffer): Continued {
  const text = utf8(bytes);
  if (text === null) throw damaged('the bytes are not UTF-8');
  if (text !== '' && !text.endsWith('\n')) throw damaged('the last line is torn');
  const lines = text.split('\n').slice(0, -1);
  const open = new Map<number, Received>();
  const effects = new Map<string, Served>();
  let requests = 0;

  for (const [index, line] of lines.entries()) {
    const seq = index + 1;
    const receipt = parse(line, seq);
    if (receipt.kind === 'received') {
      requests += 1;
      if (receipt.request !== requests) throw damaged(`line ${seq} is request ${receipt.request}, expected ${requests}`);
      if (sha256(bodyOf(receipt)) !== receipt.body_sha256) throw damaged(`the body of line ${seq} does not have its hash`);
      open.set(receipt.request, receipt);
      continue;
    }
    const received = open.get(receipt.request);
    if (received === undefined) throw damaged(`line ${seq} settles request ${receipt.request}, which is not open`);
    open.delete(receipt.request);
    const { effect } = receipt;
    if (effect === null) continue;
    // A key is in progress until its first request is settled, so a replay never comes before its effect.
    if (effects.has(effect.effect_id) !== effect.replayed) throw damaged(`line ${seq} names ${effect.effect_id} out of turn`);
    if (!effect.replayed) effects.set(effect.effect_id, { received, settled: { ...receipt, effect }, body: bodyOf(received) });
  }
  for (const number of open.keys()) throw damaged(`request ${number} has no settled line, so its prefix was never closed`);
  const served = [...effects.values()].sort((a, b) => numberOf(a) - numberOf(b));
  for (const [index, one] of served.entries()) {
    if (one.settled.effect.effect_id !== `effect-${index + 1}`) throw damaged(`effect-${index + 1} is missing`);
  }
  return { bytes, lines: lines.length, requests, effects: served.length, served };
}

function parse(line: string, seq: number): Receipt {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw damaged(`line ${seq} is not JSON`);
  }
  if (!validateReceipt(value)) throw damaged(`line ${seq} is not of the shape of a receipt`);
  const { digest, ...rest } = value;
  let same: boolean;
  try {
    same = canonical(value as Json) === line;
  } catch {
    same = false;
  }
  if (!same) throw damaged(`line ${seq} is not canonical`);
  if (sha256(canonical(rest as Json)) !== digest) throw damaged(`line ${seq} does not have its digest`);
  if (value.seq !== seq) throw damaged(`line ${seq} has seq ${value.seq}`);
  return value;
}

function bodyOf(received: Received): Buffer {
  return Buffer.from(received.body.data, received.body.encoding);
}

function numberOf(one: Served): number {
  return Number(one.settled.effect.effect_id.replace('effect-', ''));
}

function damaged(what: string): ProviderError {
  return new ProviderError('receipts-damaged', `The receipts cannot be continued: ${what}.`);
}
