/**
 * What several checks derive from one snapshot in the same way, whatever the subject: what it began with, what it added, how it ended.
 */
import type { Snapshot } from '../read/bundle.js';
import { leavesAnswer } from '../read/plan.js';
import type { OnItsWay, Received, Request } from '../read/receipts.js';
import { need } from './check.js';
import type { SubjectModel } from './subject-model.js';

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

/** Record and receipts are, byte for byte of meaning, those that the snapshot began with. */
export function isUnchanged(snapshot: Snapshot, record: SubjectModel['record']): boolean {
  const now = need(record(snapshot.state));
  const receipts = need(snapshot.receipts);
  if (snapshot.base === undefined) return now.entries.length === 0 && receipts.bytes.length === 0;
  const before = need(record(snapshot.base.state));
  const isSameLast = before.entries.at(-1)?.digest === now.entries.at(-1)?.digest;
  const isSameLength = before.entries.length === now.entries.length && before.contents.size === now.contents.size;
  return isSameLast && isSameLength && receipts.bytes.equals(need(snapshot.base.receipts).bytes);
}

/** A role of this lineage ran a subject of one's own, which G2 allows in exploratory runs only. */
export function isExternal({ lineage }: Snapshot): boolean {
  const roles = lineage.flatMap((snapshot) => snapshot.roles);
  return roles.some(({ process }) => need(process).argv.some((word) => word.startsWith('<')));
}

type Status = 'completed' | 'refused' | 'failed';

/** How the role ended, by its own answer; null where it was killed, or failed without one. Several processes have refused where all of them have. */
export function answered({ planned, roles }: Snapshot): Status | null {
  const ended = roles.filter((role) => leavesAnswer(planned) || role.has('answer.json'));
  const statuses = ended.map(({ answer }) => need(answer).status);
  return statuses.find((status) => status !== 'refused') ?? statuses[0] ?? null;
}
