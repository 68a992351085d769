/**
 * Reads and writes files of lines that may be larger than the memory, one byte a character: what a tracer tells is ASCII, and what it
 * quotes is no text of ours.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const chunkBytes = 1 << 20;
/**
 * The lines without their ends; a last one that has none too, where it holds anything. Of one that is longer than `longest` its beginning,
 * which is longer too.
 */
export function* linesIn(path: string, longest = Number.MAX_SAFE_INTEGER): Generator<string> {
  const cut = (line: string): string => (line.length > longest ? line.slice(0, longest + 1) : line);
  const descriptor = openSync(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let begun = '';
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) {
      const lines = chunk.toString('latin1', 0, count).split('\n');
      const last = lines.pop() ?? '';
      for (const [index, line] of lines.entries()) yield cut(index === 0 ? begun + line : line);
      begun = cut(lines.length === 0 ? begun + last : last);
    }
    if (begun !== '') yield begun;
  } finally {
    closeSync(descriptor);
  }
}

/** Into a new file, each line with its end. */
export function writeLines(path: string, lines: Iterable<string>): void {
  const descriptor = openSync(path, 'wx');
  try {
    let held: string[] = [];
    let size = 0;
    const flush = (): void => {
      const bytes = Buffer.from(held.join(''), 'latin1');
      for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
      [held, size] = [[], 0];
    };
    for (const line of lines) {
      held.push(line, '\n');
      size += line.length + 1;
      if (size >= chunkBytes) flush();
    }
    flush();
  } finally {
    closeSync(descriptor);
  }
}
