/**
 * The reader of the bag's own files. The input is files, each `=<name>` and its lines; a line of a list that begins with zeros gets the hash of the file
 * that it names. No bag makes the reader throw, and one that it finds sound is sound to a naive reading: every file is listed once, under its hash.
 */
import { createHash } from 'node:crypto';
import { bagName, bagProblems, looksLikeBag, rootSha256 } from '../../../verifier/read/bag.js';
import { bounded, demand } from './expect.js';

const lists = ['manifest-sha256.txt', 'tagmanifest-sha256.txt'];
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export function fuzz(input: Buffer): void {
  const files = filesIn(input);
  bounded(() => {
    const tree = { files, forbidden: [], unreadable: [] };
    const problems = bagProblems(tree);
    looksLikeBag(tree);
    bagName(tree);
    rootSha256(tree);
    for (const { detail, file } of problems)
      demand(detail !== '' && typeof file === 'string', 'A problem has no words or no place.');
    if (problems.length === 0) demandSound(files);
  });
}

function demandSound(files: ReadonlyMap<string, Buffer>): void {
  const listed = lists.flatMap((list) => (files.get(list)?.toString('utf8') ?? '').split('\n').filter((line) => line !== ''));
  const wanted = [...files].filter(([path]) => path !== lists[1]).map(([path, bytes]) => `${sha256(bytes)}  ${path}`);
  demand(listed.toSorted().join('\n') === wanted.toSorted().join('\n'), 'A bag is found sound whose lists are not its files.');
}

function filesIn(input: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const part of input
    .toString('latin1')
    .split('\n=')
    .map((text, index) => (index === 0 ? text.replace(/^=/, '') : text))) {
    const end = part.indexOf('\n');
    if (end >= 0) files.set(part.slice(0, end), Buffer.from(`${part.slice(end + 1)}\n`, 'latin1'));
  }
  for (const list of lists) {
    const text = files.get(list)?.toString('latin1');
    if (text === undefined) continue;
    const repaired = text.replace(/^0{64} {2}(.+)$/gm, (line, path: string) => {
      const bytes = files.get(path);
      return bytes === undefined ? line : `${sha256(bytes)}  ${path}`;
    });
    files.set(list, Buffer.from(repaired, 'latin1'));
  }
  return files;
}
