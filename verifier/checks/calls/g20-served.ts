/**
 * G20: Every intent has its receipt, unless the kill came between the two, or the attempt is recorded as not sent.
 * Verified: by count of intents and requests of one key and body, with those that are still on their way, and with the intents in a
 * folder that was moved away from its owner. A kill explains an unobserved attempt if it came at a checkpoint whose event is the
 * attempt's own start or lies before it in the same commit, or before a system call, and so does a call that fails; a kill in a held request explains nothing, since the provider had it.
 * Not verified: ledger and receipts cut off in step, which nothing inside the bundle can show.
 */
import { groupBy, sentIn, sentMatch } from '../../model/effects.js';
import type { Snapshot } from '../../read/bundle.js';
import { isCut } from '../../read/plan.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { plannedReceipts } from '../derived.js';
import { addedEvents, historyIn, recordedIntents } from './derived.js';

export const g20: CaseCheck = {
  guarantee: 'G20',
  sentence: 'Every intent has its receipt, unless the kill came between the two, or the attempt is recorded as not sent.',
  covers: 'every started attempt, counted against the requests of its key and body',
  doesNotCover: 'ledger and receipts cut off in step',
  codes: ['intent-unserved'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedReceipts, (snapshot, say) => {
      const explained = new Set(snapshot.lineage.flatMap(cutByKill));
      const all = recordedIntents(snapshot);
      const intents = all.filter(({ attempt }) => attempt.observed?.delivery !== 'not_sent' && !explained.has(attempt.id));
      const sent = groupBy(sentIn(need(snapshot.receipts)), sentMatch);
      for (const [match, group] of groupBy(intents, (intent) => intent.match)) {
        for (const { attempt, file } of group.slice(sent.get(match)?.length ?? 0)) {
          const at = { file, seq: attempt.seq };
          say('intent-unserved', 'An attempt was started and the provider has no request of it.', at);
        }
      }
      return all.length;
    }),
};

/** Attempts of which the kill, or a call that failed, explains that no request followed. */
function cutByKill(snapshot: Snapshot): string[] {
  const { kill } = snapshot.planned;
  const added = addedEvents(snapshot);
  // Before whatever call it came, it came before what is not on record.
  if (isCut(snapshot.planned)) return openAttempts(snapshot, added[0]?.seq);
  if (kill?.at !== 'checkpoint') return [];
  // Whatever else a commit holds, the start of an attempt is its last event.
  const isLast = kill.checkpoint === 'commit' && added.at(-1)?.type === 'attempt.started';
  const armed = isLast ? added.at(-1) : added.filter(({ type }) => type === kill.checkpoint)[kill.occurrence - 1];
  return openAttempts(snapshot, armed?.seq);
}

function openAttempts(snapshot: Snapshot, from: number | undefined): string[] {
  if (from === undefined) return [];
  const attempts = [...historyIn(snapshot).calls.values()].flatMap((call) => call.attempts);
  return attempts.filter(({ seq, observed }) => seq >= from && observed === undefined).map(({ id }) => id);
}
