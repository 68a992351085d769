/**
 * G7: The killed ledger ends at the announced checkpoint, and the copy holds the bytes that the dead process left.
 * Verified: the occurrence among the events that this process added, and that nothing follows but what one commit may join; for any
 * commit, their number; for a held request, an open intent and a request that the provider never answered, or that was still on its
 * way; the live inventory against the copy.
 * Not verified: which of two commits that end alike was made, where events are grouped.
 */
import { checkpoints } from '../contract/data.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import { sameJson } from '../read/canonical.js';
import { isQuestion } from '../read/receipts.js';
import { need, perSnapshot, type CaseCheck, type Say } from './check.js';
import { addedEvents } from './derived.js';

export const g07: CaseCheck = {
  guarantee: 'G7',
  sentence: 'The killed ledger ends at the announced checkpoint, and the copy holds the bytes that the dead process left.',
  covers: 'the place of the armed event in the ledger and what follows it; the live inventory against the copied files',
  doesNotCover: 'which of two grouped commits that end alike was made',
  codes: ['checkpoint-mismatch', 'copy-incomplete'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(
      snapshots,
      // The copy, and the place of the kill where there was one.
      ({ planned: { kill } }) => (kill === null ? 1 : 2),
      (snapshot, say) => {
        const live = [...need(snapshot.live)].sort((left, right) => (left.path < right.path ? -1 : 1));
        if (!sameJson(live, snapshot.state))
          say('copy-incomplete', 'The copy is not what the dead process left.', { file: snapshot.file('state') });
        const { kill } = snapshot.planned;
        if (kill === null) return 1;
        if (kill.at === 'held') heldInRequest(snapshot, say);
        else atCheckpoint(snapshot, kill, isGrouped(bundle, snapshot), say);
        return 2;
      },
    ),
};

const { together, grouped, read, any } = checkpoints['calls/v1'];
const reads: readonly string[] = read;
const [anyCommit] = any;

/** Another event must follow it in its commit. */
const opens = (type: string): boolean => together.some((commit) => commit.slice(0, -1).some((member) => member === type));

/**
 * A commit is durable whole or not at all, so the ledger must end with the whole commit that holds the announced event. Where every
 * event is a commit, the announced one is the last (but for those that are together in both modes).
 */
export function endsWithCommitOf(types: readonly string[], armedAt: number, isInGroups: boolean): boolean {
  const commits: readonly (readonly string[])[] = isInGroups ? [...together, ...grouped] : together;
  const whole = commits.some((commit) => {
    const begins = types.length - commit.length;
    return begins >= 0 && armedAt >= begins && commit.every((type, index) => type === types[begins + index]);
  });
  if (whole) return true;
  // A commit of its own: in groups what no group names, else all but what another event must follow.
  const armed = types[armedAt] ?? '';
  const isAlone = commits.every((commit) => !(isInGroups ? commit : commit.slice(0, -1)).includes(armed));
  return isAlone && armedAt === types.length - 1;
}

/**
 * Whether the events can be so many whole commits, one after the other. Where every event is a commit there is one way to count them;
 * in groups there may be several, and an event may be a commit of its own in a recovery.
 */
export function isCommits(types: readonly string[], count: number, isInGroups: boolean): boolean {
  const groups: readonly (readonly string[])[] = isInGroups ? [...together, ...grouped] : together;
  // In how many commits the events before each place can have come.
  const counts: Set<number>[] = [new Set([0])];
  for (let end = 1; end <= types.length; end += 1) {
    const alone = opens(types[end - 1] ?? '') || isSecondOfTwo(types, end - 1) ? [] : [1];
    const lengths = groups
      .filter((group) => group.length <= end && group.every((type, index) => type === types[end - group.length + index]))
      .map((group) => group.length);
    counts[end] = new Set([...alone, ...lengths].flatMap((length) => [...(counts[end - length] ?? [])].map((sum) => sum + 1)));
  }
  return counts[types.length]?.has(count) === true;
}

/** The event belongs to the commit of the one before it. */
function isSecondOfTwo(types: readonly string[], at: number): boolean {
  return together.some(([first, second]) => types[at - 1] === first && types[at] === second);
}

function isGrouped({ plan }: Bundle, snapshot: Snapshot): boolean {
  return plan.value?.scenarios[snapshot.planned.scenario]?.commit === 'grouped';
}

function atCheckpoint(snapshot: Snapshot, kill: { checkpoint: string; occurrence: number }, isInGroups: boolean, say: Say): void {
  const added = addedEvents(snapshot);
  const mismatch = (detail: string, seq: number | null = null): void =>
    say('checkpoint-mismatch', detail, { file: snapshot.file('state/ledger.sqlite'), seq });
  if (reads.includes(kill.checkpoint)) {
    // Before a later reading of one role lies what it did after the earlier ones.
    if (kill.occurrence === 1 && added.length > 0)
      mismatch('Events were added although only the projection had been read.', added[0]?.seq);
    return;
  }
  const types = added.map(({ type }) => type);
  if (kill.checkpoint === anyCommit) {
    if (!isCommits(types, kill.occurrence, isInGroups))
      mismatch(`The ledger does not end with the commit that is number ${kill.occurrence} of its role.`, added.at(-1)?.seq);
    return;
  }
  const same = added.filter(({ type }) => type === kill.checkpoint);
  const armed = same[kill.occurrence - 1];
  if (armed === undefined) return mismatch('The announced event is not in the ledger.');
  const armedAt = added.indexOf(armed);
  // A recovery commits alone what it does alone.
  const isAlone = armedAt === added.length - 1 && armed.payload.recovery !== undefined && !opens(armed.type);
  if (!isAlone && !endsWithCommitOf(types, armedAt, isInGroups)) {
    mismatch('The ledger does not end with the commit of the announced event.', (added[armedAt + 1] ?? armed).seq);
  }
}

function heldInRequest(snapshot: Snapshot, say: Say): void {
  const { all, delayed } = need(snapshot.receipts);
  const [request, way] = [all.at(-1), delayed.at(-1)];
  const isOnItsWay = way !== undefined && way.arrival === undefined && way.line.seq > (request?.received.seq ?? 0);
  // Who is killed while he asks about a request has not begun another one.
  const asks = !isOnItsWay && request !== undefined && isQuestion(request);
  if (!asks && need(snapshot.ledger).events.at(-1)?.type !== 'attempt.started') {
    say('checkpoint-mismatch', 'A request was held but the ledger does not end with its intent.', {
      file: snapshot.file('state/ledger.sqlite'),
    });
  }
  const ended = request?.settled?.ended;
  if (!isOnItsWay && ended !== 'gone_while_held' && ended !== 'held_at_close') {
    say('checkpoint-mismatch', 'The last request was not held when the process died.', { file: snapshot.file('receipts.jsonl') });
  }
}
