/**
 * The reader of receipts, which returns every problem and throws none. Digests are made good first, with and without the hash of
 * the body. A log without a problem is written again to the same bytes, line by line; its first lines are read as its beginning;
 * and a naive reading of its lines finds their digests right, their clock going on, every request settled once and effects
 * numbered without gaps.
 */
import { createHash } from 'node:crypto';
import { canonical } from '../../../verifier/read/canonical.js';
import { readReceipts, type ReceiptLog } from '../../../verifier/read/receipts.js';
import { bounded, demand } from './expect.js';

export function fuzz(input: Buffer): void {
  for (const bytes of [input, withDigests(input, false), withDigests(input, true)]) {
    bounded(() => {
      const log = readReceipts(bytes);
      if (log.problems.length > 0) return;
      const lines = linesOf(log);
      demand(lines.length === log.lineCount, 'A line of a sound log is none of its receipts.');
      demand(Buffer.from(lines.join('')).equals(bytes), 'A sound log is written otherwise than it was read.');
      demandSound(bytes.toString('utf8').split('\n').slice(0, -1));
      const half = Buffer.from(lines.slice(0, Math.floor(lines.length / 2)).join(''));
      demand(lines.join('').startsWith(linesOf(readReceipts(half)).join('')), 'The first lines are read as something else.');
    });
  }
}

function linesOf({ all, delayed }: ReceiptLog): string[] {
  const receipts = [
    ...all.flatMap(({ received, settled }) => [received, ...(settled === undefined ? [] : [settled])]),
    ...delayed.map(({ line }) => line),
  ];
  return receipts.sort((left, right) => left.seq - right.seq).map((receipt) => `${canonical(receipt)}\n`);
}

interface Line {
  readonly [name: string]: unknown;
  readonly kind: 'received' | 'settled' | 'delayed';
  readonly seq: number;
  readonly request: number;
  readonly monotonic_ns: string;
  readonly digest: string;
  readonly idempotency_key: string | null;
  readonly body: { readonly data: string; readonly encoding: BufferEncoding };
  readonly body_sha256: string;
  readonly effect: { readonly effect_id: string; readonly replayed: boolean } | null;
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const bodyHash = ({ data, encoding }: Line['body']): string => sha256(Buffer.from(data, encoding));

function demandSound(texts: readonly string[]): void {
  const lines = texts.map((text) => JSON.parse(text) as Line);
  for (const [index, { digest, ...rest }] of lines.entries()) {
    const before = BigInt(lines[index - 1]?.monotonic_ns ?? '0');
    demand(digest === sha256(canonical(rest)), 'A line is sound whose digest is not its own.');
    demand(rest.seq === index + 1, 'A line is sound whose seq is not its place.');
    demand(BigInt(rest.monotonic_ns) >= before, 'A log is sound whose clock goes back.');
    demand(rest.kind === 'settled' || rest.body_sha256 === bodyHash(rest.body), 'A body is sound whose hash is not its own.');
  }
  demandSettled(lines);
  const effects = lines.flatMap(({ kind, effect }) =>
    kind === 'settled' && effect?.replayed === false ? [effect.effect_id] : [],
  );
  const numbered = effects.map((_id, index) => `effect-${index + 1}`);
  demand(effects.toSorted().join() === numbered.toSorted().join(), 'A log is sound whose effects are not numbered from 1.');
}

function demandSettled(lines: readonly Line[]): void {
  const open = new Set<number>();
  let count = 0;
  for (const { kind, request } of lines) {
    if (kind === 'received') demand(request === (count += 1), 'A log is sound whose requests are not numbered from 1.');
    if (kind === 'received') open.add(request);
    if (kind === 'settled') demand(open.delete(request), 'A request is settled that is not open.');
  }
  demand(open.size === 0, 'A log is sound in which a request is not settled.');
}

function withDigests(input: Buffer, isOfBodies: boolean): Buffer {
  const lines = input.toString('utf8').split('\n');
  return Buffer.from(lines.map((line) => repaired(line, isOfBodies)).join('\n'));
}

function repaired(line: string, isOfBodies: boolean): string {
  try {
    const { digest: _digest, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const body = rest['body'] as Line['body'] | undefined;
    if (body !== undefined && isOfBodies) rest['body_sha256'] = bodyHash(body);
    return canonical({ ...rest, digest: sha256(canonical(rest)) });
  } catch {
    return line;
  }
}
