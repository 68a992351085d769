/**
 * G22: Resume acted only where no effect was possible, under the same key and with the recorded hashes; every refusal appended
 * nothing and sent nothing.
 * Verified: every `call.resumed` against the state derived from the events before it; what a role that refused left behind.
 * Not verified: that a refusal was called for; the prediction (G25) says which refusals are right.
 */
import type { CallResumed, Event } from '../contract/types.js';
import { historyOf } from '../model/history.js';
import { callState } from '../model/work-state.js';
import type { Snapshot } from '../read/bundle.js';
import { sameJson } from '../read/canonical.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { addedEvents, answered, historyIn, isUnchanged } from './derived.js';

export const g22: CaseCheck = {
  guarantee: 'G22',
  sentence:
    'Resume acted only where no effect was possible, under the same key and with the recorded hashes; every refusal appended nothing and sent nothing.',
  covers: 'every resumed call; ledger and receipts of every role that refused',
  doesNotCover: 'whether a refusal was called for',
  codes: ['resume-unlawful', 'refusal-acted'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, (snapshot, say) => {
      const file = snapshot.file('state/ledger.sqlite');
      const { events } = need(snapshot.ledger);
      for (const event of addedEvents(snapshot)) {
        if (event.type !== 'call.resumed') continue;
        const wrong = resumedWrong(event, events, snapshot);
        if (wrong !== null) say('resume-unlawful', wrong, { file, seq: event.seq });
      }
      const first = addedEvents(snapshot)[0];
      if (snapshot.planned.role === 'resume' && first !== undefined && first.type !== 'call.resumed') {
        say('resume-unlawful', 'A resume acted without linking the new call to the old one.', { file, seq: first.seq });
      }
      if (refusedAndMoved(snapshot)) say('refusal-acted', 'The role refused and yet the ledger or the receipts moved.', { file });
    }),
};

function resumedWrong(event: Event, events: readonly Event[], snapshot: Snapshot): string | null {
  const { old_call_id: oldId, new_call_id: newId, idempotency_key: key, verified } = event.payload as unknown as CallResumed;
  const past = historyOf(events.slice(0, event.seq - 1));
  const present = historyIn(snapshot);
  const old = past.calls.get(oldId);
  const renewed = present.calls.get(newId);
  if (old === undefined || renewed === undefined) return 'The resume names a call that is not there.';
  const before = callState(past, old);
  if (before.next_operation !== 'start_call') return `The call was resumed in the stage ${before.stage}.`;
  if (old.key !== key || renewed.key !== key) return 'The resume changed the key.';
  if (old.instruction !== renewed.instruction || old.compilationId !== renewed.compilationId)
    return 'The resume changed the request.';
  if (!sameJson(verified, before.manifest)) return 'The verified hashes are not those of the old manifest.';
  const after = callState(present, renewed).manifest;
  if (before.manifest !== null && after !== null && !sameJson(before.manifest, after))
    return 'The new manifest has other hashes than the old one.';
  return null;
}

/** A producer has nothing to compare with, unless it began as a copy. */
function refusedAndMoved(snapshot: Snapshot): boolean {
  return answered(snapshot) === 'refused' && snapshot.base !== undefined && !isUnchanged(snapshot);
}
