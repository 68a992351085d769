/**
 * `receipts.jsonl` → lines. The log is the ground truth for what happened outside, so it carries its own proof: every line is
 * canonical, has its own digest, and is numbered without gaps; every request is received once and settled once, in that order; what
 * was delayed arrives at most once, as it left; the provider's clock never goes back (one process of it writes all logs of a run,
 * continued ones too), and effects are numbered from 1. All problems are returned, but for those behind a thousand, where a log is no log any more
 * and is read no further; a log with a problem still yields the lines that could be read.
 */
import type { Receipt } from '../contract/types.js';
import { validateReceipt } from '../contract/validators.js';
import { EvidenceError } from '../errors.js';
import { decodeUtf8, linesOf, parseCanonical, sameJson } from './canonical.js';
import { sha256, textSha256 } from './hash.js';
import { Memory } from './memory.js';

export type Received = Extract<Receipt, { kind: 'received' }>;
export type Settled = Extract<Receipt, { kind: 'settled' }>;
type Delayed = Extract<Receipt, { kind: 'delayed' }>;

export interface Request {
  readonly received: Received;
  readonly settled: Settled | undefined;
}

/** Bytes that left a client and had not arrived. */
export interface OnItsWay {
  readonly line: Delayed;
  /** What it became where it arrived later. */
  readonly arrival: Request | undefined;
}

export interface ReceiptLog {
  readonly bytes: Buffer;
  readonly lineCount: number;
  /** Look-ups and fences too, in the order in which they were received. */
  readonly all: readonly Request[];
  /** Requests for an effect. */
  readonly requests: readonly Request[];
  /** Look-ups and fences: they ask about an effect and have none. */
  readonly questions: readonly Request[];
  readonly delayed: readonly OnItsWay[];
  readonly problems: readonly { line: number; detail: string }[];
}

/** Told apart by the path alone: whatever is asked of a key is no request for an effect. */
export function isQuestion({ received }: Request): boolean {
  return received.path.startsWith('/keys/');
}

export function readReceipts(bytes: Buffer, memory = new Memory()): ReceiptLog {
  const before = memory.logs.get(bytes);
  if (before !== undefined) return before;
  const log = parse(bytes, memory);
  memory.logs.set(bytes, log);
  return log;
}

const mostProblems = 1000;

type Say = (detail: string) => void;
type Settling = { received: Received; settled: Settled | undefined };

function parse(bytes: Buffer, memory: Memory): ReceiptLog {
  const problems: { line: number; detail: string }[] = [];
  const requests = new Map<number, Settling>();
  const effects = new Effects();
  const ways = new Ways();
  let clock = 0n;
  const texts = splitLines(bytes, problems);
  for (const [index, text] of texts.entries()) {
    const line = index + 1;
    if (problems.length >= mostProblems) {
      problems.push({ line, detail: 'Nothing is read from here on: too much before it is malformed.' });
      break;
    }
    const say: Say = (detail) => void problems.push({ line, detail });
    const receipt = readLine(text, memory, say);
    if (receipt === null) continue;
    if (receipt.seq !== line) say('The line number differs from its seq.');
    if (BigInt(receipt.monotonic_ns) < clock) say('The line was written before the one that precedes it.');
    clock = BigInt(receipt.monotonic_ns);
    if (receipt.kind === 'delayed') ways.left(receipt, say);
    else if (receipt.kind === 'settled') settle(receipt, requests.get(receipt.request), effects, say);
    else {
      if (receipt.request !== requests.size + 1) say('Requests are not numbered from 1 without gaps.');
      const request: Settling = { received: receipt, settled: undefined };
      if (requests.has(receipt.request)) say('The request was received before.');
      else requests.set(receipt.request, request);
      effects.received(receipt);
      ways.arrived(request, say);
    }
  }
  for (const [number, { settled }] of requests) {
    if (settled === undefined && problems.length <= mostProblems)
      problems.push({ line: texts.length, detail: `Request ${number} is not settled.` });
  }
  const missing = effects.missing();
  if (missing !== null)
    problems.push({ line: texts.length, detail: `Effects are numbered from 1 without gaps: ${missing} is not there.` });
  const all: Request[] = [...requests.values()];
  return {
    ...{ bytes, lineCount: texts.length, all, problems, delayed: ways.all },
    requests: all.filter((request) => !isQuestion(request)),
    questions: all.filter(isQuestion),
  };
}

function settle(receipt: Settled, request: Settling | undefined, effects: Effects, say: Say): void {
  if (request === undefined) return say('A request is settled that was not received.');
  if (request.settled !== undefined) return say('The request was settled before.');
  request.settled = receipt;
  effects.settled(receipt, request.received, say);
}

function splitLines(bytes: Buffer, problems: { line: number; detail: string }[]): string[] {
  try {
    const text = decodeUtf8(bytes);
    if (text === '') return [];
    const lines = linesOf(text.endsWith('\n') ? text.slice(0, -1) : text);
    if (!text.endsWith('\n')) problems.push({ line: lines.length, detail: 'The last line is not ended.' });
    return lines;
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    problems.push({ line: 0, detail: error.message });
    return [];
  }
}

/** An arm's log begins with all the lines of the killed one, so each is judged once. */
function readLine(text: string, { receipts }: Memory, say: Say): Receipt | null {
  const before = receipts.get(text);
  if (before !== undefined) return before;
  try {
    const value: unknown = parseCanonical(text);
    if (!validateReceipt(value)) return (say('The line has not the shape of a receipt.'), null);
    // A splice of two lines can parse; it cannot carry the digest of what it became. The line is canonical, and before its own digest
    // comes no other member of that name, so the rest of the text is the canonical form of the rest.
    const isWhole = textSha256(text.replace(`"digest":"${value.digest}",`, '')) === value.digest;
    const isBody = value.kind === 'settled' || sha256(Buffer.from(value.body.data, value.body.encoding)) === value.body_sha256;
    if (!isWhole) say('The line differs from its digest.');
    if (!isBody) say('The body differs from its hash.');
    const told = value.kind === 'settled' || headersAgree(value);
    if (!told) say('The headers are not those of its key and its body.');
    if (isWhole && isBody && told) receipts.set(text, value);
    return value;
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return (say(error.message), null);
  }
}

/** Not every header is kept; those that say again what the line says must say the same. */
function headersAgree({ headers, idempotency_key: key, body }: Received | Delayed): boolean {
  const length = headers['content-length'];
  const isLength = length === undefined || length === String(Buffer.from(body.data, body.encoding).length);
  return isLength && (headers['idempotency-key'] ?? null) === key;
}

/**
 * Effects are numbered in the order in which they happen. That lies between the two lines of their request, so of two requests that
 * do not overlap the later one has the higher number.
 */
class Effects {
  /** The key under which each effect happened. */
  private readonly keys = new Map<string, string | null>();
  private highest = 0;
  /** By request: the highest number that had been settled when it was received. */
  private readonly floors = new Map<number, number>();

  received({ request }: Received): void {
    this.floors.set(request, this.highest);
  }

  settled({ effect }: Settled, { request, idempotency_key: key }: Received, say: Say): void {
    if (effect === null) return;
    if (effect.replayed) {
      if (this.keys.get(effect.effect_id) !== key) say('A replay cites no earlier effect of its key.');
      return;
    }
    if (this.keys.has(effect.effect_id)) say('Two requests claim the same effect as their own.');
    this.keys.set(effect.effect_id, key);
    const number = Number(/^effect-([1-9]\d*)$/.exec(effect.effect_id)?.[1] ?? 0);
    if (number <= (this.floors.get(request) ?? 0)) say('The effect is numbered before those of earlier requests.');
    this.highest = Math.max(this.highest, number);
  }

  missing(): string | null {
    const ids = Array.from({ length: this.keys.size }, (_id, index) => `effect-${index + 1}`);
    return ids.find((id) => !this.keys.has(id)) ?? null;
  }
}

/** What left its client and arrives later: numbered from 1, and on arrival the same but for who sent it, whom nobody can ask any more. */
class Ways {
  readonly all: { line: Delayed; arrival: Request | undefined }[] = [];

  left(line: Delayed, say: Say): void {
    if (line.delayed !== this.all.length + 1) say('Delayed requests are not numbered from 1 without gaps.');
    this.all.push({ line, arrival: undefined });
  }

  arrived(request: Request, say: Say): void {
    const { delayed, peer_pid: peer } = request.received;
    if (delayed === undefined) return;
    const way = this.all[delayed - 1];
    if (way === undefined) return say('A request arrives that was never on its way.');
    if (way.arrival !== undefined) return say('A request arrives that had arrived before.');
    way.arrival = request;
    if (!sameJson(sent(request.received), sent(way.line))) say('A request arrives as another one than that which left.');
    if (peer !== null) say('A request that arrives late has no client any more.');
  }
}

function sent({ method, path, headers, idempotency_key: key, body_sha256: hash }: Received | Delayed): unknown[] {
  return [method, path, headers, key, hash];
}
