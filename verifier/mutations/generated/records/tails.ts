/**
 * The end of a record that nobody continues, cut off: of the record alone, or with everything that the provider wrote of it. No chain inside a
 * bundle shows it; the figures of the plan and the place of a kill do.
 */
import type { Snapshot } from '../../../read/bundle.js';
import { isLeaf } from '../../places.js';
import type { Editor } from '../../editor.js';
import type { Operator, Site } from '../operator.js';
import { fewOf, traitsOf } from './events.js';
import { copiesIn, writeCopy } from './ledger-copies.js';
import { draftOf, logsIn, writeLog } from './log-copies.js';

interface Cut {
  readonly snapshot: Snapshot;
  readonly traits: readonly string[];
  readonly where: string;
  /** How many entries the role itself appended. */
  readonly own: number;
  /** Keeps so many entries. */
  keep(editor: Editor, count: number): void;
  readonly length: number;
  /** How many lines of receipts were there when the role began. */
  readonly lines: number;
}

export const tails: Operator = {
  name: 'tails',
  *sites(good) {
    const all = good.bundle.cases.flatMap((one): Cut[] => {
      const ledgers = copiesIn(one).map((copy) => ({
        ...{ snapshot: copy.snapshot, state: copy.state, length: copy.events.length },
        keep: (editor: Editor, count: number): void =>
          writeCopy(editor, copy, { events: copy.events.slice(0, count), artifacts: copy.artifacts }),
      }));
      const logs = logsIn(one).map((copy) => ({
        ...{ snapshot: copy.snapshot, state: copy.state, length: copy.frames.length },
        keep: (editor: Editor, count: number): void => writeLog(editor, copy, copy.frames.slice(0, count).map(draftOf)),
      }));
      return [...ledgers, ...logs]
        .filter(({ snapshot, state }) => state === snapshot.state && isLeaf(snapshot, good.bundle))
        .map(({ snapshot, length, keep }) => {
          const { base } = snapshot;
          const before = base?.ledger.value?.events.length || (base?.log.value?.frames.length ?? 0);
          const lines = base?.receipts.value?.lineCount ?? 0;
          return {
            snapshot,
            length,
            keep,
            own: length - before,
            lines,
            traits: traitsOf(good, snapshot),
            where: snapshot.file(''),
          };
        });
    });
    for (const cut of fewOf(
      all.filter(({ own }) => own > 0),
      ({ traits }) => traits.join(' '),
    )) {
      yield tailOf(cut, 'last entry dropped', cut.length - 1, false);
      yield tailOf(cut, 'all of its own dropped', Math.max(1, cut.length - cut.own), false);
      const hasOwnLines = (cut.snapshot.receipts.value?.lineCount ?? 0) > cut.lines;
      if (hasOwnLines) yield tailOf(cut, 'all of its own dropped on both sides', Math.max(1, cut.length - cut.own), true);
    }
  },
};

function tailOf({ snapshot, keep, traits, where, lines }: Cut, operator: string, count: number, isBoth: boolean): Site {
  return {
    operator,
    ...{ document: 'record', field: '(tail)', traits, place: where },
    apply(editor) {
      keep(editor, count);
      if (isBoth) editor.receipts(snapshot, (all) => all.slice(0, lines));
    },
  };
}
