/**
 * The reader of receipts, which returns every problem and throws none. Digests are made good first. A log without a problem is written again to the same
 * bytes, line by line, and its first lines are read as its beginning.
 */
import { createHash } from 'node:crypto';
import { canonical } from '../../../verifier/read/canonical.js';
import { readReceipts, type ReceiptLog } from '../../../verifier/read/receipts.js';
import { bounded, demand } from './expect.js';

export function fuzz(input: Buffer): void {
  for (const bytes of [input, withDigests(input)]) {
    bounded(() => {
      const log = readReceipts(bytes);
      if (log.problems.length > 0) return;
      const lines = linesOf(log);
      demand(lines.length === log.lineCount, 'A line of a sound log is none of its receipts.');
      demand(Buffer.from(lines.join('')).equals(bytes), 'A sound log is written otherwise than it was read.');
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

function withDigests(input: Buffer): Buffer {
  const lines = input.toString('utf8').split('\n').map(repaired);
  return Buffer.from(lines.join('\n'));
}

function repaired(line: string): string {
  try {
    const { digest: _digest, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const body = rest['body'] as { data: string; encoding: BufferEncoding } | undefined;
    if (body !== undefined)
      rest['body_sha256'] = createHash('sha256').update(Buffer.from(body.data, body.encoding)).digest('hex');
    return canonical({ ...rest, digest: createHash('sha256').update(canonical(rest)).digest('hex') });
  } catch {
    return line;
  }
}
