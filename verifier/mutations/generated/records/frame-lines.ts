/**
 * Frames left out, told twice, and in each other's place, wherever the case holds them. What follows is numbered anew, with every id that is
 * made of a number and every key that was sent.
 */
import type { Editor } from '../../editor.js';
import type { Draft } from '../../sessions/encode.js';
import { renamed, renameKeys, syncedAnew, type Forged } from '../../sessions/edits.js';
import type { Operator, Site } from '../operator.js';
import { everyFrame } from './frames.js';
import { draftOf, writeLog, type LogCopy } from './log-copies.js';

export const frameLines: Operator = {
  name: 'records as a whole',
  *sites(good) {
    for (const { frame, copies, traits, where } of everyFrame(good)) {
      const at = frame.seq - 1;
      const site = (operator: string, change: (frames: Forged[]) => Forged[]): Site => ({
        operator,
        ...{ document: `record ${frame.type}`, field: '(frame)', traits },
        place: `${where} seq ${frame.seq}`,
        apply(editor) {
          for (const copy of copies) writeMoved(editor, copy, change(forgedOf(copy)));
        },
      });
      yield site('dropped', (frames) => frames.toSpliced(at, 1));
      const again = (own: Forged): Forged => ({ ...structuredClone(own), seq: 0, synced: -1 });
      yield site('twice', (frames) => frames.flatMap((own) => (own.seq === frame.seq ? [own, again(own)] : [own])));
      const next = copies[0]?.frames[at + 1];
      if (next === undefined || copies.some(({ frames }) => frames[at + 1]?.digest !== next.digest)) continue;
      yield {
        ...site('swapped with the next', (frames) => swapped(frames, at)),
        traits: [...traits, `next:${next.type}`, ...(next.synced === frame.synced ? ['one-barrier'] : [])],
      };
    }
  },
};

function forgedOf({ frames }: LogCopy): Forged[] {
  return frames.map((frame) => structuredClone(draftOf(frame)) as unknown as Forged);
}

/** Each keeps the barrier of its place, so that only the order is another one. */
function swapped(frames: readonly Forged[], at: number): Forged[] {
  const [first, second] = [frames[at], frames[at + 1]];
  if (first === undefined || second === undefined) return [...frames];
  return frames.toSpliced(
    at,
    2,
    { ...second, seq: first.seq, synced: first.synced },
    { ...first, seq: second.seq, synced: second.synced },
  );
}

/** Writes the frames in their new order, under new numbers. */
export function writeMoved(editor: Editor, copy: LogCopy, frames: readonly Forged[]): void {
  const numbers = new Map(frames.map(({ seq }, index) => [seq, index + 1]));
  const moved = (seq: number): number =>
    numbers.get(seq) ?? Math.max(0, ...[...numbers].filter(([old]) => old < seq).map(([, now]) => now));
  const synced = syncedAnew(frames, moved);
  const anew = frames.map((frame, index) => ({
    ...frame,
    ...{ payload: renamed(frame.payload, moved), seq: index + 1, synced: synced[index] ?? index },
  }));
  writeLog(editor, copy, anew as unknown as Draft[]);
  const isMoved = [...numbers].some(([old, now]) => old !== now && old > 0);
  const hasReceipts = (copy.snapshot.receipts.value?.lineCount ?? 0) > 0;
  if (isMoved && hasReceipts && copy.state === copy.snapshot.state) renameKeys(editor, copy.snapshot, moved);
}
