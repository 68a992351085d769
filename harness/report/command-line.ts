/** Commands as a person can paste them into the shell that this program was called from. Pure. */

/** One word for a POSIX shell. A word that is a variable stays one. */
export function quoted(word: string): string {
  if (/^\$[A-Z_]+$/.test(word)) return `"${word}"`;
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function commandLine(own: string, words: readonly string[]): string {
  return [own, ...words.map(quoted)].join(' ');
}
