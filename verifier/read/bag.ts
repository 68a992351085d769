/**
 * The bag's own files, read strictly. BagIt and `sha256sum -c` forgive CRLF, a byte order mark, any order and repeated lines; a
 * bundle does not, because every forgiveness is a second spelling of the same content. Problems are returned, all of them.
 *
 *   bagit.txt               two fixed lines
 *   bag-info.txt            three fixed lines: Bagging-Date, External-Identifier (the run), Payload-Oxum (bytes.files)
 *   manifest-sha256.txt     `<64 hex>  data/…`, sorted by path, LF
 *   tagmanifest-sha256.txt  the same for the three files above
 */
import { CoveredPaths } from './covered-paths.js';
import { fileSha256, sha256 } from './hash.js';
import type { Tree } from './tree.js';

export const tagFiles = ['bag-info.txt', 'bagit.txt', 'manifest-sha256.txt'] as const;
export const tagManifest = 'tagmanifest-sha256.txt';
const info = /^Bagging-Date: \d{4}-\d{2}-\d{2}\nExternal-Identifier: ([A-Za-z0-9._-]+)\nPayload-Oxum: (\d+\.\d+)\n$/;
const declaration = Buffer.from('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n');
const mostInfoBytes = 4096;
/** Half a million files, with names as long as a run gives them. */
const mostListBytes = 64 * 1024 * 1024;
/** Beyond it nobody asks whether only the line ends differ. */
const mostAlteredBytes = 16 * 1024 * 1024;
const line = /^([0-9a-f]{64}) {2}([A-Za-z0-9._/-]+)$/;

export interface BagProblem {
  readonly code: 'bag-malformed' | 'file-forbidden' | 'file-unlisted' | 'file-missing' | 'file-altered';
  readonly file: string;
  readonly detail: string;
}

/** Without these two files nothing claims to be a bundle: absence of evidence, not tampering. */
export function looksLikeBag(tree: Tree): boolean {
  return tree.files.has('bagit.txt') || tree.files.has('manifest-sha256.txt');
}

export function rootSha256(tree: Tree): string {
  const bytes = tree.files.get(tagManifest);
  return bytes === undefined ? '' : fileSha256(bytes);
}

/** The run that the bag says it is of; null where it does not say so in its fixed form. */
export function bagName(tree: Tree): string | null {
  return infoOf(tree)?.name ?? null;
}

function infoOf(tree: Tree): { name: string; oxum: string } | null {
  // Three short lines; a longer file may be longer than a text can be.
  const [, name, oxum] = info.exec(tree.files.get('bag-info.txt')?.toString('latin1', 0, mostInfoBytes) ?? '') ?? [];
  return name === undefined || oxum === undefined ? null : { name, oxum };
}

export function bagProblems(tree: Tree): BagProblem[] {
  const problems: BagProblem[] = [];
  // What is there and was not read is not missing: nobody knows whether it is what was listed.
  const there = new CoveredPaths([...tree.unreadable, ...tree.forbidden]);
  const malformed = (file: string, detail: string): void => void problems.push({ code: 'bag-malformed', file, detail });
  for (const file of ['bagit.txt', 'bag-info.txt', 'manifest-sha256.txt', tagManifest]) {
    if (!tree.files.has(file) && !there.has(file)) malformed(file, 'The bag lacks this file.');
  }
  const bagit = tree.files.get('bagit.txt');
  if (bagit !== undefined && !bagit.equals(declaration)) malformed('bagit.txt', 'The declaration is not that of BagIt 1.0.');
  for (const { path, what } of tree.forbidden)
    problems.push({ code: 'file-forbidden', file: path, detail: `A bundle may not hold ${what}.` });
  for (const path of tree.changed ?? [])
    problems.push({ code: 'file-altered', file: path, detail: 'It changed while it was read.' });
  for (const path of [...tree.files.keys(), ...tree.unreadable.map(({ path }) => path)]) {
    const wrong = wrongName(path);
    if (wrong !== null) problems.push({ code: 'file-forbidden', file: path, detail: wrong });
  }
  const payload = readManifest(tree, 'manifest-sha256.txt', malformed);
  const tags = readManifest(tree, tagManifest, malformed);
  if (payload !== null) compare(tree, there, 'manifest-sha256.txt', payload, (path) => path.startsWith('data/'), problems);
  if (tags !== null)
    compare(tree, there, tagManifest, tags, (path) => !path.startsWith('data/') && path !== tagManifest, problems);
  const listed = new Set([...(payload?.keys() ?? []), ...(tags?.keys() ?? [])]);
  for (const path of listed) {
    // An unlisted stray is reported as unlisted; a listed one would otherwise pass.
    if (tree.files.has(path) && !inLayout(path))
      problems.push({ code: 'file-forbidden', file: path, detail: 'The layout has no such file.' });
  }
  // Only a bag whose listing agrees can be measured against its summary; otherwise this would echo the findings above.
  if (problems.length > 0 || tree.unreadable.length > 0) return problems;
  const said = infoOf(tree);
  if (said === null) malformed('bag-info.txt', 'The three lines about the bag are not the ones that a bundle has.');
  else if (said.oxum !== oxumOf(tree)) malformed('bag-info.txt', 'The payload summary differs from the payload.');
  return problems;
}

function oxumOf(tree: Tree): string {
  const sizes = [...tree.files].filter(([path]) => path.startsWith('data/')).map(([, bytes]) => bytes.length);
  return `${sizes.reduce((sum, size) => sum + size, 0)}.${sizes.length}`;
}

/** Parts of allowed characters that are neither empty nor dots alone: no way leads out of the bag. */
const soundName = /^(?!\.{0,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{0,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;

function wrongName(path: string): string | null {
  return soundName.test(path) ? null : 'The name has a character outside [A-Za-z0-9._/-] or an empty or dotted part.';
}

const named = '[A-Za-z0-9][A-Za-z0-9._-]{0,127}';
const layout = new RegExp(
  [
    '^(?:(?:bagit|bag-info|manifest-sha256|tagmanifest-sha256)\\.txt',
    'data/(?:plan|execution|build)\\.json',
    'data/git/(?:[0-9a-f]{40}|[0-9a-f]{64})',
    `data/cases/${named}/case\\.json`,
    `data/cases/${named}/${named}/(?:(?:process|answer|inspector|inspection|group|derivation)\\.json|(?:checkpoint|receipts|states)\\.jsonl|(?:stderr\\.log|trace\\.txt))`,
    `data/cases/${named}/${named}/members/${named}/(?:(?:process|answer)\\.json|checkpoint\\.jsonl|stderr\\.log)`,
    // Volatile files are never copied; anything else below state/ is the subject's own.
    `data/cases/${named}/${named}/(?:members/${named}/)?state/(?!lease\\.sqlite|ledger\\.sqlite-shm$).+)$`,
  ].join('|'),
);

function inLayout(path: string): boolean {
  return layout.test(path);
}

function readManifest(tree: Tree, file: string, malformed: (file: string, detail: string) => void): Map<string, string> | null {
  const bytes = tree.files.get(file);
  if (bytes === undefined) return null;
  if (bytes.length > mostListBytes) return (malformed(file, `The list is longer than ${mostListBytes} bytes.`), null);
  const text = bytes.toString('utf8');
  if (text.startsWith('\uFEFF')) return (malformed(file, 'The list begins with a byte order mark.'), null);
  if (text.includes('\r'))
    return (malformed(file, 'The list has CRLF line ends; with LF it may well be right, but it is not.'), null);
  if (text === '' || !text.endsWith('\n'))
    return (malformed(file, text === '' ? 'The list is empty.' : 'The last line is not ended.'), null);
  const entries = new Map<string, string>();
  let before = '';
  for (const entry of text.slice(0, -1).split('\n')) {
    const [, hash = '', path = ''] = line.exec(entry) ?? [];
    if (path === '') return (malformed(file, 'A line is not `<sha256>  <path>`.'), null);
    if (path <= before) return (malformed(file, 'The list is not sorted by path without repetition.'), null);
    before = path;
    entries.set(path, hash);
  }
  return entries;
}

function compare(
  tree: Tree,
  there: CoveredPaths,
  list: string,
  entries: Map<string, string>,
  covers: (path: string) => boolean,
  problems: BagProblem[],
): void {
  for (const [path, hash] of entries) {
    if (!covers(path))
      problems.push({ code: 'bag-malformed', file: list, detail: `The list names ${path}, which belongs to the other list.` });
    const bytes = tree.files.get(path);
    if (bytes === undefined) {
      if (!there.has(path)) problems.push({ code: 'file-missing', file: path, detail: 'The file is listed but not there.' });
    } else if (fileSha256(bytes) !== hash) problems.push({ code: 'file-altered', file: path, detail: alteration(bytes, hash) });
  }
  const unreadFiles = tree.unreadable.filter(({ isFolder }) => isFolder !== true).map(({ path }) => path);
  for (const path of [...tree.files.keys(), ...unreadFiles]) {
    if (covers(path) && !entries.has(path))
      problems.push({ code: 'file-unlisted', file: path, detail: 'The file is there but not listed.' });
  }
}

function alteration(bytes: Buffer, hash: string): string {
  if (bytes.length > mostAlteredBytes) return 'The bytes differ from the listed hash.';
  // Names the commonest accident: a clone that rewrote line ends. It fails all the same.
  const restored = Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
  const onlyLineEnds = restored.length !== bytes.length && sha256(restored) === hash;
  return onlyLineEnds ? 'Only the line ends differ: LF became CRLF.' : 'The bytes differ from the listed hash.';
}
