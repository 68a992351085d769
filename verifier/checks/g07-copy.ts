/**
 * G7: The killed record ends at the announced checkpoint, and the copy holds the bytes that the dead process left.
 * Verified: the occurrence among the entries that this process added, and that nothing follows but what one commit may join; for any
 * commit, their number; for a held request, an open intent and as many requests as planned that the provider never answered, or that
 * were still on their way; the live inventory against the copy, also of a folder that was moved away.
 * Not verified: where in its record a process stood that a tracer killed; which of two commits that end alike was made, where events are grouped.
 */
import type { Snapshot } from '../read/bundle.js';
import { sameJson } from '../read/canonical.js';
import { isQuestion, type Request } from '../read/receipts.js';
import type { StateEvidence } from '../read/state.js';
import { need, perSnapshot, type CaseCheck, type Say } from './check.js';
import { inheritedLines } from './derived.js';
import type { SubjectModel } from './subject-model.js';

export const g07: CaseCheck = {
  guarantee: 'G7',
  sentence: 'The killed record ends at the announced checkpoint, and the copy holds the bytes that the dead process left.',
  covers: 'the place of the armed event in the ledger and what follows it; the live inventory against the copied files',
  doesNotCover: 'which of two grouped commits that end alike was made',
  codes: ['checkpoint-mismatch', 'copy-incomplete'],
  scope: 'case',
  check: ({ snapshots }, bundle, model) =>
    perSnapshot(
      snapshots,
      // The copies, and the place of the kill where there was one.
      ({ planned: { kill }, states }) => states.length + (kill === null || kill.at === 'call' ? 0 : 1),
      (snapshot, say) => {
        const { states, planned } = snapshot;
        for (const state of states) copyWrong(state, say);
        const { kill } = planned;
        if (kill === null) return states.length;
        // Where the call was, the record need not say (G5 and G45 do).
        if (kill.at === 'call') return states.length;
        if (kill.at === 'held') heldInRequest(snapshot, kill.requests ?? 1, model, say);
        else {
          const departure = model.departureFrom(kill, snapshot, bundle);
          const at = { file: model.logFile(snapshot.state), seq: departure?.seq ?? null };
          if (departure !== null) say('checkpoint-mismatch', departure.detail, at);
        }
        return states.length + 1;
      },
    ),
};

function copyWrong({ live, files, folder }: StateEvidence, say: Say): void {
  const listed = [...need(live)].sort((left, right) => (left.path < right.path ? -1 : 1));
  if (!sameJson(listed, files))
    say('copy-incomplete', 'The copy is not what the dead process left.', { file: folder.slice(0, -1) });
}

function heldInRequest(snapshot: Snapshot, several: number, model: SubjectModel, say: Say): void {
  const { all, delayed } = need(snapshot.receipts);
  const [request, way] = [all.at(-1), delayed.at(-1)];
  const isOnItsWay = way !== undefined && way.arrival === undefined && way.line.seq > (request?.received.seq ?? 0);
  // Who is killed while he asks about a request has not begun another one.
  const asks = !isOnItsWay && request !== undefined && isQuestion(request);
  if (!asks && !model.endsWithIntent(snapshot)) {
    say('checkpoint-mismatch', 'A request was held but the record does not end with its intent.', {
      file: model.logFile(snapshot.state),
    });
  }
  const mismatch = (detail: string): void => say('checkpoint-mismatch', detail, { file: snapshot.file('receipts.jsonl') });
  // Requests that left at once may be answered in any order.
  const isOver = (one: Request): boolean => !isHeld(one) && !model.isAmongSeveral(snapshot, one.received);
  if (!isOnItsWay && (request === undefined || isOver(request)))
    return mismatch('The last request was not held when the process died.');
  const inherited = inheritedLines(snapshot);
  const held = all.filter((one) => one.received.seq > inherited && isHeld(one)).length;
  const onTheirWay = delayed.filter(({ line, arrival }) => line.seq > inherited && arrival === undefined).length;
  if (held + onTheirWay < several)
    mismatch(`${held + onTheirWay} requests were held when the process died; planned are ${several}.`);
}

function isHeld({ settled }: Request): boolean {
  return settled?.ended === 'gone_while_held' || settled?.ended === 'held_at_close';
}
