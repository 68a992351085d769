/** Commands as a person can paste them into the shell that this program was called from. Pure. */
import { basename, delimiter, dirname } from 'node:path';

/** How this program was called: through npx, by its name, by a path to it, or by the file that Node was given. */
export function ownName(script: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (environment['npm_command'] === 'exec') return 'npx killpoint';
  // Shells tell the program here by which path they found it.
  const called = environment['_'] ?? '';
  if (basename(called) !== 'killpoint') return `node ${quoted(script)}`;
  return (environment['PATH'] ?? '').split(delimiter).includes(dirname(called)) ? 'killpoint' : quoted(called);
}

/** One word for a POSIX shell. A word that is a variable stays one. */
export function quoted(word: string): string {
  if (/^\$[A-Z_]+$/.test(word)) return `"${word}"`;
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function commandLine(own: string, words: readonly string[]): string {
  return [own, ...words.map(quoted)].join(' ');
}
