/**
 * G3: Exactly the planned cases and arms ran, each with a complete record; what did not count is void and says why.
 * Verified: every planned case and snapshot has its folder and its records in their shapes; an answer has the members of its role and
 * of its status; nothing unplanned is there.
 * Not verified: what the records say; that is what the other guarantees are for.
 */
import type { Answer } from '../contract/types.js';
import type { Bundle, CaseEvidence, Snapshot } from '../read/bundle.js';
import type { Read } from '../read/facts.js';
import {
  nowhere,
  whereOfSnapshot,
  type BundleCheck,
  type CheckResult,
  type FindingCode,
  type FindingWithoutGuarantee,
} from './check.js';
import { isSelected } from './selection.js';

export const g03: BundleCheck = {
  guarantee: 'G3',
  sentence: 'Exactly the planned cases and arms ran, each with a complete record; what did not count is void and says why.',
  covers: 'the folder and the records of every planned case and snapshot, in their shapes; nothing unplanned',
  doesNotCover: 'what the records say',
  codes: ['case-missing', 'case-unplanned', 'record-malformed'],
  scope: 'bundle',
  check(bundle: Bundle): CheckResult {
    const findings: FindingWithoutGuarantee[] = [];
    let unknown: string | undefined = bundle.plan.value === undefined ? 'Without a plan nothing can be expected.' : undefined;
    let seen = 0;
    for (const one of bundle.cases) {
      if (!isSelected(bundle, one.id)) {
        unknown ??= 'Only selected cases ran.';
        continue;
      }
      const problems = caseProblems(one, bundle);
      findings.push(...problems);
      if (bundle.folders.has(one.id)) seen += 1;
    }
    findings.push(...unplanned(bundle));
    return { expected: bundle.cases.length, seen, findings, unknown };
  },
};

function caseProblems(one: CaseEvidence, { folders }: Bundle): FindingWithoutGuarantee[] {
  const whole = { ...nowhere, case: one.id };
  const below = folders.get(one.id);
  if (below === undefined) return [{ code: 'case-missing', where: whole, detail: 'The planned case is not there.' }];
  const problems: FindingWithoutGuarantee[] = [];
  const file = `data/cases/${one.id}/case.json`;
  if (one.record.problem !== undefined)
    problems.push({ code: 'record-malformed', where: { ...whole, file }, detail: one.record.problem.detail });
  else if (one.record.value.case !== one.id)
    problems.push({ code: 'record-malformed', where: { ...whole, file }, detail: 'The record is of another case.' });
  // A void case stops where it failed; what it left is kept and proves nothing.
  if (one.void !== null) return problems;
  const planned = one.snapshots.map(({ name }) => name);
  const recorded = one.record.value?.snapshots;
  if (recorded !== undefined && recorded.join('\n') !== planned.join('\n')) {
    problems.push({
      code: 'record-malformed',
      where: { ...whole, file },
      detail: 'The recorded snapshots are not the planned ones.',
    });
  }
  for (const snapshot of one.snapshots) {
    const where = whereOfSnapshot(snapshot);
    if (!below.has(snapshot.name)) problems.push({ code: 'case-missing', where, detail: 'The planned snapshot is not there.' });
    else
      problems.push(
        ...recordProblems(snapshot).map(({ code, file: name, detail }) => ({ code, where: { ...where, file: name }, detail })),
      );
  }
  return problems;
}

function recordProblems(snapshot: Snapshot): { code: FindingCode; file: string; detail: string }[] {
  const problems: { code: FindingCode; file: string; detail: string }[] = [];
  const malformed = (name: string, detail: string): void =>
    void problems.push({ code: 'record-malformed', file: snapshot.file(name), detail });
  const shaped = (name: string, read: Read<unknown>): void => {
    if (read.problem !== undefined) malformed(name, read.problem.detail);
  };
  const killed = snapshot.planned.kill !== null;
  shaped('process.json', snapshot.process);
  shaped('inspector.json', snapshot.inspector);
  shaped('inspection.json', snapshot.inspection);
  shaped('state/format.json', snapshot.format);
  if (!snapshot.has('receipts.jsonl')) malformed('receipts.jsonl', 'The receipt log is not there.');
  if (!killed || snapshot.has('answer.json')) shaped('answer.json', snapshot.answer);
  if (snapshot.has('checkpoint.jsonl')) shaped('checkpoint.jsonl', snapshot.checkpoint);
  if (killed && snapshot.answer.value !== undefined) malformed('answer.json', 'A killed role has no answer.');
  if (snapshot.process.value !== undefined && snapshot.process.value.role !== snapshot.planned.role)
    malformed('process.json', 'The role is not the planned one.');
  if (snapshot.answer.value !== undefined && snapshot.answer.value.role !== snapshot.planned.role)
    malformed('answer.json', 'The role is not the planned one.');
  if (snapshot.inspection.value !== undefined && snapshot.inspection.value.role !== 'inspect')
    malformed('inspection.json', 'This is not the answer of an inspector.');
  for (const [name, read] of [['answer.json', snapshot.answer] as const, ['inspection.json', snapshot.inspection] as const]) {
    const wrong = read.value === undefined ? null : answerWrong(read.value);
    if (wrong !== null) malformed(name, wrong);
  }
  return problems;
}

/** What no shape can say: which members belong together. */
function answerWrong({ role, status, refusal, replayed, projections, events, artifacts }: Answer): string | null {
  if ((status === 'refused') !== (refusal !== null)) return 'An answer has a refusal exactly if the role refused.';
  if (replayed && (status === 'refused' || role === 'inspect')) return 'Only a call that ended can be replayed.';
  if (role !== 'inspect' && [projections, events, artifacts].some((part) => part !== undefined))
    return 'Only an inspector exports what the record holds.';
  return null;
}

function unplanned(bundle: Bundle): FindingWithoutGuarantee[] {
  const { folders, cases, plan } = bundle;
  if (plan.value === undefined) return [];
  const planned = new Map(cases.map((one) => [one.id, new Set(one.snapshots.map(({ name }) => name))]));
  const problems: FindingWithoutGuarantee[] = [];
  for (const [id, below] of folders) {
    const snapshots = planned.get(id);
    if (snapshots === undefined || !isSelected(bundle, id)) {
      const detail = snapshots === undefined ? 'The plan has no such case.' : 'The case was not selected and yet it ran.';
      problems.push({ code: 'case-unplanned', where: { ...nowhere, case: id }, detail });
      continue;
    }
    for (const name of below) {
      if (!snapshots.has(name))
        problems.push({
          code: 'case-unplanned',
          where: { ...nowhere, case: id, snapshot: name },
          detail: 'The plan has no such snapshot.',
        });
    }
  }
  return problems;
}
