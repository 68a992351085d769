/** Items and pieces of a trace in words, for people. Pure. */
import type { AnyPiece, Effect } from './pieces.js';
import type { Keeping } from './rules.js';
import { bytesIn, descriptorIn, readCall } from './strace-text.js';
import { stateMark } from './kept-trace.js';

/** What an item did, by its line and its effect. */
export function wordsOf(line: string, { pieces, request, sync }: Effect): string {
  if (request !== null) return `request ${request.method} ${request.path}${request.key === '' ? '' : ` (key ${request.key})`}`;
  const data = pieces.find(({ kind }) => kind === 'data');
  const longer = data !== undefined && pieces.length > 1 ? ', which makes it longer' : '';
  const [piece] = pieces;
  if (data !== undefined) return `${pieceWords(data)}${longer}`;
  if (piece !== undefined) return pieceWords(piece);
  const call = readCall(line);
  if (call === null) return 'nothing';
  if (call.name === 'answer') return 'answer';
  if (sync !== null) return `sync ${sync === 'everything' ? 'everything' : nameOf(call.args[0] ?? '')}`;
  const opened = /^(?:open|openat|creat)$/.test(call.name);
  return opened ? `open ${nameOf(call.result)}` : `${call.name} of ${nameOf(call.args[0] ?? '')}`;
}

export function pieceWords(piece: AnyPiece): string {
  if (piece.kind === 'data') return `write ${piece.length} bytes at ${piece.at} of ${piece.name}`;
  if (piece.kind === 'size') return `set the size of ${piece.name} to ${piece.size}`;
  const gone = piece.names.find(([, inode]) => inode === null)?.[0];
  const made = piece.names.find(([, inode]) => inode !== null)?.[0];
  if (gone !== undefined && made !== undefined) return `rename ${gone} to ${made}`;
  if (gone !== undefined) return `remove ${gone}`;
  return made === piece.name ? `create ${made}` : `link ${piece.name} as ${made ?? ''}`;
}

export function keepingWords(keep: Keeping): string {
  if (keep === true) return 'kept';
  if (keep === false) return 'lost';
  return `kept only ${keep.map(([from, to]) => `bytes ${from} to ${to - 1}`).join(', ')}`;
}

function nameOf(told: string): string {
  const path = descriptorIn(told)?.path ?? bytesIn(told)?.toString('latin1') ?? '';
  if (path === stateMark) return 'the folder';
  return path.startsWith(`${stateMark}/`) ? path.slice(stateMark.length + 1) : 'another file';
}
