/**
 * `receipts.jsonl` → lines. The log is the ground truth for what happened outside, so it carries its own proof: every line is
 * canonical, has its own digest, and is numbered without gaps; every request is received once and settled once, in that order.
 * All problems are returned; a log with a problem still yields the lines that could be read.
 */
import type { Receipt } from '../contract/types.js';
import { validateReceipt } from '../contract/validators.js';
import { EvidenceError } from '../errors.js';
import { canonical, decodeUtf8, parseCanonical } from './canonical.js';
import { sha256, textSha256 } from './hash.js';

export type Received = Extract<Receipt, { kind: 'received' }>;
export type Settled = Extract<Receipt, { kind: 'settled' }>;

export interface Request {
  readonly received: Received;
  readonly settled: Settled | undefined;
}

export interface ReceiptLog {
  readonly bytes: Buffer;
  readonly lineCount: number;
  readonly requests: readonly Request[];
  readonly problems: readonly { line: number; detail: string }[];
}

const known = new WeakMap<Buffer, ReceiptLog>();

export function readReceipts(bytes: Buffer): ReceiptLog {
  const before = known.get(bytes);
  if (before !== undefined) return before;
  const log = parse(bytes);
  known.set(bytes, log);
  return log;
}

function parse(bytes: Buffer): ReceiptLog {
  const problems: { line: number; detail: string }[] = [];
  const requests = new Map<number, { received: Received; settled: Settled | undefined }>();
  const effects = new Map<string, string | null>();
  const texts = splitLines(bytes, problems);
  for (const [index, text] of texts.entries()) {
    const line = index + 1;
    const say = (detail: string): void => void problems.push({ line, detail });
    const receipt = readLine(text, say);
    if (receipt === null) continue;
    if (receipt.seq !== line) say('The line number differs from its seq.');
    if (receipt.kind === 'received') {
      if (receipt.request !== requests.size + 1) say('Requests are not numbered from 1 without gaps.');
      if (requests.has(receipt.request)) say('The request was received before.');
      else requests.set(receipt.request, { received: receipt, settled: undefined });
    } else {
      const request = requests.get(receipt.request);
      if (request === undefined) say('A request is settled that was not received.');
      else if (request.settled !== undefined) say('The request was settled before.');
      else {
        request.settled = receipt;
        checkEffect(receipt, request.received.idempotency_key, effects, say);
      }
    }
  }
  for (const [number, { settled }] of requests) {
    if (settled === undefined) problems.push({ line: texts.length, detail: `Request ${number} is not settled.` });
  }
  return { bytes, lineCount: texts.length, requests: [...requests.values()], problems };
}

function splitLines(bytes: Buffer, problems: { line: number; detail: string }[]): string[] {
  try {
    const text = decodeUtf8(bytes);
    if (text === '') return [];
    if (!text.endsWith('\n')) problems.push({ line: text.split('\n').length, detail: 'The last line is not ended.' });
    return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    problems.push({ line: 0, detail: error.message });
    return [];
  }
}

/** Lines that were found whole: an arm's log begins with all those of the killed one. */
const whole = new Map<string, Receipt>();

function readLine(text: string, say: (detail: string) => void): Receipt | null {
  const before = whole.get(text);
  if (before !== undefined) return before;
  try {
    const value: unknown = parseCanonical(text);
    if (!validateReceipt(value)) return (say('The line has not the shape of a receipt.'), null);
    const { digest, ...rest } = value;
    // A splice of two lines can parse; it cannot carry the digest of what it became.
    const isWhole = textSha256(canonical(rest)) === digest;
    const isBody = value.kind === 'settled' || sha256(Buffer.from(value.body.data, value.body.encoding)) === value.body_sha256;
    if (!isWhole) say('The line differs from its digest.');
    if (!isBody) say('The body differs from its hash.');
    if (isWhole && isBody) whole.set(text, value);
    return value;
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return (say(error.message), null);
  }
}

function checkEffect(
  settled: Settled,
  key: string | null,
  effects: Map<string, string | null>,
  say: (detail: string) => void,
): void {
  const { effect } = settled;
  if (effect === null) return;
  if (effect.replayed) {
    if (!effects.has(effect.effect_id) || effects.get(effect.effect_id) !== key)
      say('A replay cites no earlier effect of its key.');
  } else if (effects.has(effect.effect_id)) say('Two requests claim the same effect as their own.');
  else effects.set(effect.effect_id, key);
}
