/**
 * G17: Looking changed nothing: the state folder is the same before and after, and is the one in the bundle.
 * Verified: both inventories against each other and against the files of the bundle, by path, size and hash; that the inspector
 * ended by itself; of a state that was never finished, that it says which of the two it is.
 * Not verified: volatile files, which are in no inventory; modes and times.
 */
import type { Inspector } from '../contract/types.js';
import { sameJson } from '../read/canonical.js';
import { need, perSnapshot, type CaseCheck } from './check.js';

const refusedInput = 64;

export const g17: CaseCheck = {
  guarantee: 'G17',
  sentence: 'Looking changed nothing: the state folder is the same before and after, and is the one in the bundle.',
  covers: 'both inventories of every inspector and the copied files',
  doesNotCover: 'volatile files, modes and times',
  codes: ['inspection-changed-state'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(
      snapshots,
      () => 1,
      (snapshot, say) => {
        const { before, after, exit } = need(snapshot.inspector);
        const changed = (detail: string): void =>
          say('inspection-changed-state', detail, { file: snapshot.file('inspector.json') });
        if (!sameJson(sorted(before), sorted(after))) changed('The state differs before and after the inspection.');
        if (!sameJson(sorted(after), snapshot.state.files)) changed('The inspected state is not the one in the bundle.');
        const { status, refusal } = need(snapshot.inspection);
        // Where no state was made, the inspector says so by name.
        const { unfinished, files } = snapshot.state;
        const named = files.length === 0 ? 'StateAbsent' : 'StateUnfinished';
        const isSaid = unfinished && exit.code === refusedInput && refusal?.error === named;
        const isThrough = !unfinished && exit.code === 0 && status === 'completed';
        if (exit.signal !== null || !(isSaid || isThrough)) changed('The inspection did not run to its end.');
      },
    ),
};

function sorted(files: Inspector['before']): Inspector['before'] {
  return [...files].sort((left, right) => (left.path < right.path ? -1 : 1));
}
