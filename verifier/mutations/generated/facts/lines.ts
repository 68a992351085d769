/** Lines of a file deleted, repeated, swapped and cut; nothing is covered but by whoever puts them back. */
import type { Editor } from '../../editor.js';
import type { Site } from '../operator.js';

export interface LineFile {
  readonly document: string;
  readonly file: string;
  readonly traits: readonly string[];
  readonly lines: readonly string[];
  /** What is different about one line among others. */
  readonly traitsOf?: (index: number) => readonly string[];
  put(editor: Editor, lines: readonly string[]): void;
}

/** How many lines are looked at of one file: the first, the last, and some between them. */
const looked = 6;

export function* lineSites(one: LineFile): Generator<Site> {
  const { document, file, lines, put } = one;
  const site = (operator: string, index: number, changed: readonly string[]): Site => ({
    ...{ operator, document, field: '(line)', place: `${file} line ${index + 1}` },
    traits: [...one.traits, ...(one.traitsOf?.(index) ?? [])],
    apply: (editor) => put(editor, changed),
  });
  for (const index of someIndexes(lines.length)) {
    const [before, line = '', after] = [lines.slice(0, index), lines[index], lines.slice(index + 1)];
    yield site('line deleted', index, [...before, ...after]);
    yield site('line twice', index, [...before, line, line, ...after]);
    const [next, ...rest] = after;
    if (next !== undefined) yield site('lines swapped', index, [...before, next, line, ...rest]);
    if (index > 0) yield site('cut before the line', index, before);
  }
}

export function someIndexes(length: number): number[] {
  const step = Math.max(1, Math.floor(length / looked));
  const all = Array.from({ length }, (_line, index) => index);
  return all.filter((index) => index % step === 0 || index === length - 1);
}

export function linesOf(bytes: Buffer | undefined): string[] {
  const text = bytes?.toString('utf8') ?? '';
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

export function putLines(file: string) {
  return (editor: Editor, lines: readonly string[]): void =>
    void editor.files.set(file, Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8'));
}
