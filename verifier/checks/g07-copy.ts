/**
 * G7: The killed ledger ends at the announced checkpoint, and the copy holds the bytes that the dead process left.
 * Verified: the occurrence among the events that this process added, and that nothing follows but what one commit may join; for a
 * held request, an open intent and a request that the provider never answered; the live inventory against the copy.
 * Not verified: where a grouped commit begins; only that the ledger goes on to the end of one and no further.
 */
import { checkpoints } from '../contract/data.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import { sameJson } from '../read/canonical.js';
import { need, perSnapshot, type CaseCheck, type Say } from './check.js';
import { addedEvents } from './derived.js';

export const g07: CaseCheck = {
  guarantee: 'G7',
  sentence: 'The killed ledger ends at the announced checkpoint, and the copy holds the bytes that the dead process left.',
  covers: 'the place of the armed event in the ledger and what follows it; the live inventory against the copied files',
  doesNotCover: 'where a grouped commit begins',
  codes: ['checkpoint-mismatch', 'copy-incomplete'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(snapshots, (snapshot, say) => {
      const live = [...need(snapshot.process).live_inventory].sort((left, right) => (left.path < right.path ? -1 : 1));
      if (!sameJson(live, snapshot.state))
        say('copy-incomplete', 'The copy is not what the dead process left.', { file: snapshot.file('state') });
      const { kill } = snapshot.planned;
      if (kill === null) return;
      if (kill.at === 'held') heldInRequest(snapshot, say);
      else atCheckpoint(snapshot, kill, isGrouped(bundle, snapshot), say);
    }),
};

const { together, grouped } = checkpoints['calls/v1'];

/**
 * A commit is durable whole or not at all, so the ledger must go on from the announced event to the end of its commit, and no
 * further. Events that no list names are commits of their own.
 */
export function isEndOfCommit(types: readonly string[], isInGroups: boolean): boolean {
  const commits: readonly (readonly string[])[] = isInGroups ? [...together, ...grouped] : together;
  const [armed = ''] = types;
  if (commits.some((commit) => commit.slice(-types.length).join() === types.join())) return true;
  return types.length === 1 && !commits.some((commit) => commit.includes(armed));
}

function isGrouped({ plan }: Bundle, snapshot: Snapshot): boolean {
  return plan.value?.scenarios[snapshot.planned.scenario]?.commit === 'grouped';
}

function atCheckpoint(snapshot: Snapshot, kill: { checkpoint: string; occurrence: number }, isInGroups: boolean, say: Say): void {
  const added = addedEvents(snapshot);
  const mismatch = (detail: string, seq: number | null = null): void =>
    say('checkpoint-mismatch', detail, { file: snapshot.file('state/ledger.sqlite'), seq });
  // This place lies between reading and writing: nothing was added.
  if (kill.checkpoint === 'projection.read') {
    if (added.length > 0) mismatch('Events were added although only the projection had been read.', added[0]?.seq);
    return;
  }
  const same = added.filter(({ type }) => type === kill.checkpoint);
  const armed = same[kill.occurrence - 1];
  if (armed === undefined) return mismatch('The announced event is not in the ledger.');
  const after = added.slice(added.indexOf(armed) + 1);
  const types = [armed, ...after].map(({ type }) => type);
  if (!isEndOfCommit(types, isInGroups)) {
    mismatch('The ledger does not end with the commit of the announced event.', (after[0] ?? armed).seq);
  }
}

function heldInRequest(snapshot: Snapshot, say: Say): void {
  const last = need(snapshot.ledger).events.at(-1);
  const unanswered = need(snapshot.receipts).requests.at(-1)?.settled?.ended;
  if (last?.type !== 'attempt.started') {
    say('checkpoint-mismatch', 'A request was held but the ledger does not end with its intent.', {
      file: snapshot.file('state/ledger.sqlite'),
    });
  }
  if (unanswered !== 'gone_while_held' && unanswered !== 'held_at_close') {
    say('checkpoint-mismatch', 'The last request was not held when the process died.', { file: snapshot.file('receipts.jsonl') });
  }
}
