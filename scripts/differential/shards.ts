/**
 * A comparison in pieces over several processes. A piece is a subject, a kind and a seed of its own, so that a comparison that was interrupted
 * goes on with the pieces that are left.
 */
import { fileURLToPath } from 'node:url';
import { root } from '../build.mjs';
import type { Sides } from './campaign.js';
import { Counts, type Plain } from './counts.js';
import type { Subject } from './history/drafts.js';
import type { Answer, Asked } from './shard.js';
import { converse } from './worker/conversation.js';

export type Piece = Asked['campaign'];

/** How many histories a piece has. */
export const pieceSize = 250;

/** What came of pieces, as it can be written down and gone on from. */
export interface Judged {
  readonly counts: Readonly<Record<Subject, Plain>>;
  /** By subject and seed. */
  readonly pieces: readonly string[];
  readonly disagreements: readonly string[];
}

export const nothingJudged: Judged = {
  counts: { calls: new Counts('calls').plain(), sessions: new Counts('sessions').plain() },
  pieces: [],
  disagreements: [],
};

const shard = fileURLToPath(new URL('shard.ts', import.meta.url));

/** Pieces that alternate between lawful and broken, each with the next seed; the last is what is left. */
export function piecesOf(subject: Subject, histories: number, seed: number, ownerEvery: number): Piece[] {
  return Array.from({ length: Math.ceil(histories / pieceSize) }, (_none, index) => ({
    ...{
      subject,
      kind: index % 2 === 0 ? ('broken' as const) : ('lawful' as const),
      seed: seed + index,
      ownerEvery,
      shrinks: true,
    },
    histories: Math.min(pieceSize, histories - index * pieceSize),
  }));
}

/** `goesOn` is asked before each piece, `told` after each. Those that were judged `before` are not judged again. */
export async function judge(
  pieces: readonly Piece[],
  sides: Sides,
  workers: number,
  before: Judged,
  { goesOn, told }: { goesOn: () => boolean; told: (judged: Judged) => void },
): Promise<Judged> {
  const counts = { calls: new Counts('calls', before.counts.calls), sessions: new Counts('sessions', before.counts.sessions) };
  const disagreements = [...before.disagreements];
  const done = [...before.pieces];
  const nameOf = ({ subject, seed }: Piece): string => `${subject} ${seed}`;
  const judged = (): Judged => ({
    counts: { calls: counts.calls.plain(), sessions: counts.sessions.plain() },
    pieces: done,
    disagreements,
  });
  const known = new Set(done);
  const left = pieces.filter((piece) => !known.has(nameOf(piece))).toReversed();
  const work = async (): Promise<void> => {
    const worker = converse(['--import', 'tsx', shard], root);
    for (let campaign = left.pop(); campaign !== undefined && goesOn(); campaign = left.pop()) {
      const asked: Asked = { campaign, sides };
      const answer = JSON.parse(await worker.ask(JSON.stringify(asked))) as Answer;
      counts[campaign.subject].merge(answer.counts);
      if (answer.disagreement !== null) disagreements.push(answer.disagreement);
      done.push(nameOf(campaign));
      told(judged());
    }
    await worker.end();
  };
  await Promise.all(Array.from({ length: left.length === 0 ? 0 : workers }, work));
  return judged();
}
