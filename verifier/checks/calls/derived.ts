/**
 * What several checks of calls derive from one snapshot in the same way: its history, what it began with, what it added.
 */
import type { Event } from '../../contract/types.js';
import { historyOf, type History } from '../../model/calls/history.js';
import { intentsOf, type Intent } from '../../model/calls/intents.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Read } from '../../read/facts.js';
import type { Expectation } from '../../read/plan.js';
import type { StateEvidence } from '../../read/state.js';
import { need } from '../check.js';
import * as shared from '../derived.js';
import type { SubjectRecord } from '../subject-model.js';

export function historyIn(snapshot: Snapshot): History {
  return historyOf(need(snapshot.ledger).events);
}

/** A race adds some ten; of a record with more only so many moments are looked at, since each is read from its beginning. */
const mostMoments = 256;

/**
 * What each of several processes may have read: the whole record, the one with which they began, and each between. What is safe about a call can change by
 * an event of another one under its key. The last comes first.
 */
export function historiesOfGroup(snapshot: Snapshot): History[] {
  const { events } = need(snapshot.ledger);
  const begun = inheritedCount(snapshot);
  const between = Array.from({ length: Math.min(events.length - begun, mostMoments) }, (_none, more) => begun + more);
  return [...between, events.length].toReversed().map((length) => historyOf(events.slice(0, length)));
}

/** How many events the snapshot began with. */
export function inheritedCount(snapshot: Snapshot): number {
  return snapshot.base === undefined ? 0 : need(snapshot.base.ledger).events.length;
}

export function addedEvents(snapshot: Snapshot, { ledger }: StateEvidence = snapshot.state): readonly Event[] {
  return need(ledger).events.slice(inheritedCount(snapshot));
}

type RecordedIntent = Intent & {
  /** The ledger that holds it. */
  readonly file: string;
};

/**
 * Every intent that the provider may know of, those in a folder that was moved away too. What stands in both folders, by a digest that
 * covers everything before it, is one intent.
 */
export function recordedIntents({ state, movedAway }: Snapshot): RecordedIntent[] {
  const own = intentsIn(state);
  if (movedAway === undefined) return own;
  const known = new Set(need(state.ledger).events.map(({ digest }) => digest));
  const digests = new Map(need(movedAway.ledger).events.map(({ seq, digest }) => [seq, digest]));
  return [...own, ...intentsIn(movedAway).filter(({ attempt }) => !known.has(digests.get(attempt.seq) ?? ''))];
}

function intentsIn({ ledger, ledgerFile: file }: StateEvidence): RecordedIntent[] {
  return intentsOf(historyOf(need(ledger).events)).map((intent) => ({ ...intent, file }));
}

type PlannedCall = NonNullable<Expectation['calls']>[number];

/** How many calls of a kind the plan predicts for a snapshot; none where it predicts no calls. */
export function plannedCalls({ planned }: Snapshot, kind: (call: PlannedCall) => boolean): number {
  return (planned.expect.calls ?? []).filter(kind).length;
}

/** The ledger, as the shared checks see it. */
export function recordIn({ ledger }: StateEvidence): Read<SubjectRecord> {
  if (ledger.problem !== undefined) return { problem: ledger.problem };
  return { value: { entries: ledger.value.events, contents: ledger.value.artifacts } };
}

/** Ledger and receipts are, byte for byte of meaning, those that the snapshot began with. */
export function isUnchanged(snapshot: Snapshot): boolean {
  return shared.isUnchanged(snapshot, recordIn);
}
