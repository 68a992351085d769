/**
 * Where in a ledger a process stood when it announced a place: which events end with the commit of an armed event, and how many commits
 * they can be. A commit is durable whole or not at all, so the ledger of a process that stood there ends with that commit.
 */
import { checkpoints } from '../../contract/data.js';
import type { Event } from '../../contract/types.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import type { Place } from '../parking.js';
import type { Departure } from '../subject-model.js';

interface CommitDeparture extends Departure {
  /** Something is there that the process had not recorded yet; else something that it had recorded is not. */
  readonly isMore: boolean;
}

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

/** Null where the events that a process added are those of its place. */
export function departureFrom(
  { checkpoint, occurrence }: Place,
  added: readonly Event[],
  isInGroups: boolean,
): CommitDeparture | null {
  if (reads.includes(checkpoint)) {
    // Before a later reading of one role lies what it did after the earlier ones.
    if (occurrence !== 1 || added.length === 0) return null;
    const detail = 'Events were added although only the projection had been read.';
    return { isMore: true, detail, seq: added[0]?.seq ?? null };
  }
  const types = added.map(({ type }) => type);
  if (checkpoint === anyCommit) {
    if (isCommits(types, occurrence, isInGroups)) return null;
    const isMore = types.some((_type, index) => index >= occurrence && isCommits(types, index + 1, isInGroups));
    const detail = `The ledger does not end with the commit that is number ${occurrence} of its role.`;
    return { isMore, detail, seq: added.at(-1)?.seq ?? null };
  }
  const same = added.filter(({ type }) => type === checkpoint);
  const armed = same[occurrence - 1];
  if (armed === undefined) return { isMore: false, detail: 'The announced event is not in the ledger.', seq: null };
  const armedAt = added.indexOf(armed);
  // A recovery commits alone what it does alone.
  const isAlone = armedAt === added.length - 1 && armed.payload.recovery !== undefined && !opens(armed.type);
  if (isAlone || endsWithCommitOf(types, armedAt, isInGroups)) return null;
  const after = added[armedAt + 1];
  const detail = 'The ledger does not end with the commit of the announced event.';
  return { isMore: after !== undefined, detail, seq: (after ?? armed).seq };
}

export function isGrouped({ plan }: Bundle, snapshot: Snapshot): boolean {
  return plan.value?.scenarios[snapshot.planned.scenario]?.commit === 'grouped';
}
