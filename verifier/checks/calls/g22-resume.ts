/**
 * G22: Resume acted only where no effect was possible, under the same key and with the recorded manifest; every refusal appended
 * nothing and sent nothing.
 * Verified: every `call.resumed` against the state derived from the events before it; what a role that refused left behind, and of one
 * that was told no operation, that the call, the operation and the hazard that its refusal names are those of the record.
 * Not verified: that a refusal was called for; the prediction (G25) says which refusals are right. What an operation did is G29's.
 */
import type { CallResumed, Event } from '../../contract/types.js';
import type { Call } from '../../model/calls/history.js';
import { callState, standingOf } from '../../model/calls/work-state.js';
import type { Snapshot } from '../../read/bundle.js';
import { sameJson } from '../../read/canonical.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { hazardWrong } from './hazard.js';
import { answered } from '../derived.js';
import { addedEvents, historyIn, isUnchanged } from './derived.js';

export const g22: CaseCheck = {
  guarantee: 'G22',
  sentence:
    'Resume acted only where no effect was possible, under the same key and with the recorded manifest; every refusal appended nothing and sent nothing.',
  covers:
    'every resumed call; ledger and receipts of every role that refused, the call, the operation and the hazard that it names where it was told none',
  doesNotCover: 'whether a refusal was called for',
  codes: ['resume-unlawful', 'refusal-acted'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedResumes, (snapshot, say) => {
      const file = snapshot.file('state/ledger.sqlite');
      const added = addedEvents(snapshot);
      const resumed = added.filter(({ type }) => type === 'call.resumed');
      for (const event of resumed) {
        const wrong = resumedWrong(event, snapshot);
        if (wrong !== null) say('resume-unlawful', wrong, { file, seq: event.seq });
      }
      const [first] = added;
      const isTold = snapshot.planned.operation !== null;
      if (snapshot.planned.role === 'resume' && !isTold && first !== undefined && first.type !== 'call.resumed') {
        say('resume-unlawful', 'A resume acted without linking the new call to the old one.', { file, seq: first.seq });
      }
      const misnamed = refusalWrong(snapshot);
      if (misnamed !== null) say('resume-unlawful', misnamed, { file: snapshot.file('answer.json') });
      if (refusedAndMoved(snapshot)) say('refusal-acted', 'The role refused and yet the ledger or the receipts moved.', { file });
      return Math.max(resumed.length, plannedResumes(snapshot));
    }),
};

/** A role that is to resume acts or refuses; a kill may come before either, and then nothing may be there. */
function plannedResumes({ planned: { role, operation, expect } }: Snapshot): number {
  const resumes = role === 'resume' && (operation === null || operation === 'start_call');
  return resumes || expect.ended === 'refused' ? 1 : 0;
}

function resumedWrong(event: Event, snapshot: Snapshot): string | null {
  const { old_call_id: oldId, new_call_id: newId, idempotency_key: key, verified } = event.payload as unknown as CallResumed;
  const history = historyIn(snapshot);
  const old = history.calls.get(oldId);
  const renewed = history.calls.get(newId);
  if (old === undefined || old.seq >= event.seq || renewed === undefined) return 'The resume names a call that is not there.';
  const { next, stage } = standingOf(history, old, event.seq);
  if (next !== 'start_call') return `The call was resumed in the stage ${stage}.`;
  if (old.key !== key || renewed.key !== key) return 'The resume changed the key.';
  if (old.instruction !== renewed.instruction || old.compilationId !== renewed.compilationId)
    return 'The resume changed the request.';
  if (!sameJson(verified, callState(history, old).manifest)) return 'The verified hashes are not those of the old manifest.';
  const differs = differing(old.manifest, renewed.manifest);
  return differs.length === 0 ? null : `The new manifest differs from the old one in ${differs.join(', ')}.`;
}

/** Every member counts: a resume sends what was intended then, under the promises that were made then. */
function differing(old: Call['manifest'], renewed: Call['manifest']): string[] {
  if (old === undefined || renewed === undefined) return [];
  const names = (Object.keys(old) as (keyof typeof old)[]).filter((name) => name !== 'seq');
  return names.filter((name) => !sameJson(old[name], renewed[name])).sort();
}

/** A refusal may name no call; the one that it names is there, and allows the operation that it names. */
function refusalWrong(snapshot: Snapshot): string | null {
  if (snapshot.planned.operation !== null || snapshot.group !== undefined) return null;
  const refusal = answered(snapshot) === 'refused' ? need(snapshot.answer).refusal : null;
  if (refusal === null || refusal.call_id === null) return null;
  const history = historyIn(snapshot);
  const call = history.calls.get(refusal.call_id);
  if (call === undefined) return 'The refusal names a call that is not there.';
  if (refusal.operation === null) return null;
  const { next_operation: next } = callState(history, call);
  if (next !== refusal.operation) return `The refusal names ${refusal.operation}; the call allows ${next}.`;
  return hazardWrong(snapshot, null, refusal);
}

/** A producer has nothing to compare with, unless it began as a copy. */
function refusedAndMoved(snapshot: Snapshot): boolean {
  return answered(snapshot) === 'refused' && snapshot.base !== undefined && !isUnchanged(snapshot);
}
