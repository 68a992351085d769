/**
 * What several checks derive from one snapshot in the same way: its history, what it began with, what it added, its outcome.
 */
import type { Event, SharedOutcome } from '../contract/types.js';
import { intentsOf } from '../model/effects.js';
import { historyOf, type History } from '../model/history.js';
import { outcomeOf } from '../model/outcome.js';
import type { Snapshot } from '../read/bundle.js';
import type { OnItsWay, Received, Request } from '../read/receipts.js';
import type { Expectation } from '../read/plan.js';
import type { StateEvidence } from '../read/state.js';
import { need } from './check.js';

export function historyIn(snapshot: Snapshot): History {
  return historyOf(need(snapshot.ledger).events);
}

/** How many events the snapshot began with. */
export function inheritedCount(snapshot: Snapshot): number {
  return snapshot.base === undefined ? 0 : need(snapshot.base.ledger).events.length;
}

export function addedEvents(snapshot: Snapshot, { ledger }: StateEvidence = snapshot.state): readonly Event[] {
  return need(ledger).events.slice(inheritedCount(snapshot));
}

type RecordedIntent = ReturnType<typeof intentsOf>[number] & {
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

/** The requests for an effect that this snapshot added; one that was on its way before may be among them. */
export function addedRequests(snapshot: Snapshot): readonly Request[] {
  const inherited = snapshot.base === undefined ? 0 : need(snapshot.base.receipts).requests.length;
  return need(snapshot.receipts).requests.slice(inherited);
}

/** How many lines of receipts the snapshot began with. */
export function inheritedLines({ base }: Snapshot): number {
  return base === undefined ? 0 : need(base.receipts).lineCount;
}

/** What came of this snapshot's own processes: requests, questions, and what left them and has not arrived. */
export function ownLines(snapshot: Snapshot): (Received | OnItsWay['line'])[] {
  const { all, delayed } = need(snapshot.receipts);
  const inherited = inheritedLines(snapshot);
  const arrived = all.map(({ received }) => received).filter((line) => line.delayed === undefined);
  return [...arrived, ...delayed.map(({ line }) => line)].filter(({ seq }) => seq > inherited);
}

type PlannedCall = NonNullable<Expectation['calls']>[number];

/** How many calls of a kind the plan predicts for a snapshot; none where it predicts no calls. */
export function plannedCalls({ planned }: Snapshot, kind: (call: PlannedCall) => boolean): number {
  return (planned.expect.calls ?? []).filter(kind).length;
}

/** Where the plan leaves a figure open, those that the snapshot began with are expected at least: it only adds (G9). */
export function plannedEvents({ planned, base }: Snapshot): number {
  return planned.expect.events ?? (base === undefined ? 0 : plannedEvents(base));
}

export function plannedReceipts({ planned, base }: Snapshot): number {
  return planned.expect.receipts ?? (base === undefined ? 0 : plannedReceipts(base));
}

export function plannedQuestions({ planned, base }: Snapshot): number {
  return planned.expect.questions ?? (base === undefined ? 0 : plannedQuestions(base));
}

/** Ledger and receipts are, byte for byte of meaning, those that the snapshot began with. */
export function isUnchanged(snapshot: Snapshot): boolean {
  const ledger = need(snapshot.ledger);
  const receipts = need(snapshot.receipts);
  if (snapshot.base === undefined) return ledger.events.length === 0 && receipts.bytes.length === 0;
  const before = need(snapshot.base.ledger);
  const sameLast = before.events.at(-1)?.digest === ledger.events.at(-1)?.digest;
  const sameArtifacts = before.artifacts.size === ledger.artifacts.size;
  return (
    sameLast &&
    before.events.length === ledger.events.length &&
    sameArtifacts &&
    receipts.bytes.equals(need(snapshot.base.receipts).bytes)
  );
}

/** A role of this lineage ran a subject of one's own, which G2 allows in exploratory runs only. */
export function isExternal({ lineage }: Snapshot): boolean {
  const roles = lineage.flatMap((snapshot) => snapshot.roles);
  return roles.some(({ process }) => need(process).argv.some((word) => word.startsWith('<')));
}

type Status = 'completed' | 'refused' | 'failed';

/** How the role ended, by its own answer; null where it was killed. Several processes have refused where all of them have. */
export function answered({ planned, roles }: Snapshot): Status | null {
  const ended = roles.filter((role) => planned.kill === null || role.has('answer.json'));
  const statuses = ended.map(({ answer }) => need(answer).status);
  return statuses.find((status) => status !== 'refused') ?? statuses[0] ?? null;
}

export function outcomeIn(snapshot: Snapshot): SharedOutcome {
  return outcomeOf({
    history: historyIn(snapshot),
    receipts: need(snapshot.receipts),
    answered: answered(snapshot),
    unchanged: isUnchanged(snapshot),
  });
}
