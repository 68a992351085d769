/**
 * The reader of the bag's own files. The input is files, each `=<name>` and its lines; a line of a list that begins with zeros
 * gets the hash of the file that it names, and a list that is a star alone is written from the files. No bag makes the reader
 * throw, and one that it finds sound is sound to a naive reading: every file is listed once, under its hash, with a name that
 * leads nowhere else, and the sums are those of the payload.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
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
  for (const path of files.keys())
    demand(posix.normalize(`/bag/${path}`) === `/bag/${path}`, 'A bag is found sound with a name that leads elsewhere.');
  const payload = [...files].filter(([path]) => path.startsWith('data/'));
  const oxum = `${payload.reduce((sum, [, bytes]) => sum + bytes.length, 0)}.${payload.length}`;
  const info = files.get('bag-info.txt')?.toString('utf8').split('\n') ?? [];
  demand(
    info[2] === `Payload-Oxum: ${oxum}` && info.length === 4,
    'A bag is found sound whose sums are not those of its payload.',
  );
}

export function filesIn(input: Buffer): Map<string, Buffer> {
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
    if (text === '*\n') {
      const isListed = (path: string): boolean => path !== lists[1] && path.startsWith('data/') === (list === lists[0]);
      const paths = [...files.keys()].filter(isListed).sort();
      const lines = paths.map((path) => `${sha256(files.get(path) ?? Buffer.alloc(0))}  ${path}\n`);
      files.set(list, Buffer.from(lines.join(''), 'latin1'));
      continue;
    }
    const repaired = text.replace(/^0{64} {2}(.+)$/gm, (line, path: string) => {
      const bytes = files.get(path);
      return bytes === undefined ? line : `${sha256(bytes)}  ${path}`;
    });
    files.set(list, Buffer.from(repaired, 'latin1'));
  }
  return files;
}
