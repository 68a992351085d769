/**
 * Git objects as raw bytes (`<type> <length>\0<content>`), named by their own hash. They prove that the plan's blob is reached
 * from the named commit. They prove nothing about time: a commit can carry any date.
 */
import { createHash } from 'node:crypto';
import { EvidenceError } from '../errors.js';
import type { Files } from './facts.js';

type Kind = 'blob' | 'commit' | 'tree';

/** Ids of 40 digits are SHA-1, ids of 64 are SHA-256: both are in use. */
function objectId(raw: Uint8Array, idLength: number): string {
  return createHash(idLength === 64 ? 'sha256' : 'sha1')
    .update(raw)
    .digest('hex');
}

export function blobId(content: Uint8Array, idLength: number): string {
  return objectId(Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]), idLength);
}

function readObject(files: Files, id: string, kind: Kind): Buffer {
  const raw = files.get(`data/git/${id}`);
  if (raw === undefined) throw new EvidenceError('git-object', `The git object of the ${kind} is not in the bundle.`);
  if (objectId(raw, id.length) !== id) throw new EvidenceError('git-object', `A git object differs from its id.`);
  const end = raw.indexOf(0);
  const content = raw.subarray(end + 1);
  if (end < 0 || raw.subarray(0, end).toString('latin1') !== `${kind} ${content.length}`) {
    throw new EvidenceError('git-object', `A git object is not a ${kind} of its stated length.`);
  }
  return content;
}

/** More than the headers of any commit, and no more is read of one: its message may have any size. */
const longestHead = 1 << 16;
const commitHead = /^tree ([0-9a-f]{40}|[0-9a-f]{64})\n(?:parent [0-9a-f]+\n)*author [^\n]+\ncommitter [^\n]+\n/;

function treeOfCommit(content: Buffer): string {
  const match = commitHead.exec(content.subarray(0, longestHead).toString('latin1'));
  if (match?.[1] === undefined)
    throw new EvidenceError('git-object', 'A commit does not begin with its tree, its parents, its author and its committer.');
  return match[1];
}

/** As Git writes them: a folder, and a plain file that may be executed or not. A link or a submodule holds no plan. */
const modes = { folder: ['40000'], file: ['100644', '100755'] } as const;

/** The id that a tree gives to one name, which is of a folder or of a file. */
function entryOfTree(content: Buffer, name: string, idLength: number, what: keyof typeof modes): string {
  const idBytes = idLength / 2;
  const found: { mode: string; id: string }[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    if (space < 0 || end < 0 || end + 1 + idBytes > content.length)
      throw new EvidenceError('git-object', 'A tree on the way to the plan ends in the middle of an entry.');
    if (content.subarray(space + 1, end).toString('utf8') === name)
      found.push({
        mode: content.subarray(at, space).toString('latin1'),
        id: content.subarray(end + 1, end + 1 + idBytes).toString('hex'),
      });
    at = end + 1 + idBytes;
  }
  const [entry, ...more] = found;
  const wanted: readonly string[] = modes[what];
  if (entry === undefined || more.length > 0)
    throw new EvidenceError('git-object', `A tree on the way to the plan has not one entry of its name.`);
  if (!wanted.includes(entry.mode))
    throw new EvidenceError('git-object', `A tree on the way to the plan has another thing than a ${what} under its name.`);
  return entry.id;
}

interface Way {
  readonly id: string;
  readonly tree: string;
  /** Every object that was read on the way. */
  readonly objects: ReadonlySet<string>;
}

/** Follows a path from a commit; returns the id of what lies there and the commit's tree. */
export function follow(files: Files, commit: string, path: string): Way {
  const tree = treeOfCommit(readObject(files, commit, 'commit'));
  const objects = new Set([commit]);
  let id = tree;
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    objects.add(id);
    id = entryOfTree(readObject(files, id, 'tree'), part, commit.length, index < parts.length - 1 ? 'folder' : 'file');
  }
  return { id, tree, objects };
}
