/**
 * G3: Exactly the planned cases and arms ran, each with a complete record; what did not count is void and says why.
 * Verified: every planned case and snapshot has its folder and its records in their shapes; an answer has the members of its role and
 * of its status; nothing unplanned is there.
 * Not verified: what the records say; that is what the other guarantees are for.
 */
import type { Answer, Execution, Group } from '../contract/types.js';
import { EvidenceError } from '../errors.js';
import type { Bundle, CaseEvidence, Snapshot } from '../read/bundle.js';
import type { Read } from '../read/facts.js';
import { leavesAnswer, type PlannedSnapshot } from '../read/plan.js';
import { ownsMovedFolder, type RoleEvidence } from '../read/role.js';
import {
  nowhere,
  whereOfSnapshot,
  type BundleCheck,
  type CheckResult,
  type FindingCode,
  type FindingWithoutGuarantee,
} from './check.js';
import { toldTo } from './parking.js';
import { isSelected } from './selection.js';
import type { SubjectModel } from './subject-model.js';

type Operation = PlannedSnapshot['operation'];

export const g03: BundleCheck = {
  guarantee: 'G3',
  sentence: 'Exactly the planned cases and arms ran, each with a complete record; what did not count is void and says why.',
  covers: 'the folder and the records of every planned case and snapshot, in their shapes; nothing unplanned',
  doesNotCover: 'what the records say',
  codes: ['case-missing', 'case-unplanned', 'record-malformed'],
  scope: 'bundle',
  check(bundle: Bundle, model): CheckResult {
    const findings: FindingWithoutGuarantee[] = [];
    let unknown: string | undefined = bundle.plan.value === undefined ? 'Without a plan nothing can be expected.' : undefined;
    let seen = 0;
    for (const one of bundle.cases) {
      if (!isSelected(bundle, one.id)) {
        unknown ??= 'Only selected cases ran.';
        continue;
      }
      try {
        findings.push(...caseProblems(one, bundle, model));
      } catch (error) {
        if (!(error instanceof EvidenceError)) throw error;
        unknown ??= error.message;
      }
      if (bundle.folders.has(one.id)) seen += 1;
    }
    findings.push(...unplanned(bundle));
    return { expected: bundle.cases.length, seen, findings, unknown };
  },
};

function caseProblems(one: CaseEvidence, { folders, execution }: Bundle, model: SubjectModel): FindingWithoutGuarantee[] {
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
        ...recordProblems(snapshot, model, execution.value).map(({ code, file: name, detail }) => ({
          code,
          where: { ...where, file: name },
          detail,
        })),
      );
  }
  return problems;
}

interface RecordProblem {
  readonly code: FindingCode;
  readonly file: string;
  readonly detail: string;
}

function recordProblems(snapshot: Snapshot, model: SubjectModel, run: Execution | undefined): RecordProblem[] {
  const problems: RecordProblem[] = [];
  const malformed = (name: string, detail: string): void =>
    void problems.push({ code: 'record-malformed', file: snapshot.file(name), detail });
  const shaped = (name: string, read: Read<unknown>): void => {
    if (read.problem !== undefined) malformed(name, read.problem.detail);
  };
  for (const role of snapshot.roles) problems.push(...roleProblems(snapshot, role, model, run));
  if (snapshot.group !== undefined) {
    shaped('group.json', snapshot.group);
    const wrong = snapshot.group.value === undefined ? null : groupWrong(snapshot, snapshot.group.value);
    if (wrong !== null) malformed('group.json', wrong);
  }
  if (snapshot.planned.traced !== null) shaped('trace.txt', snapshot.trace);
  if (snapshot.loss !== undefined) {
    shaped('trace.txt', snapshot.loss.derivation);
    shaped('derivation.json', snapshot.loss.counted);
    shaped('states.jsonl', snapshot.loss.told);
  }
  shaped('inspector.json', snapshot.inspector);
  shaped('inspection.json', snapshot.inspection);
  for (const state of snapshot.states)
    if (state.format.problem !== undefined && !state.unfinished)
      problems.push({ ...state.format.problem, code: 'record-malformed' });
  if (!snapshot.has('receipts.jsonl')) malformed('receipts.jsonl', 'The receipt log is not there.');
  const inspection = snapshot.inspection.value;
  if (inspection !== undefined) {
    if (inspection.role !== 'inspect') malformed('inspection.json', 'This is not the answer of an inspector.');
    const wrong = answerWrong(inspection, null) ?? model.answerWrong(inspection, ranBy(snapshot.inspector, run));
    if (wrong !== null) malformed('inspection.json', wrong);
  }
  for (const name of strays(snapshot))
    malformed(name, 'The plan has no such process in this snapshot, or moves no folder away from it.');
  return problems;
}

function roleProblems(snapshot: Snapshot, role: RoleEvidence, model: SubjectModel, run: Execution | undefined): RecordProblem[] {
  const { planned } = snapshot;
  const problems: RecordProblem[] = [];
  const malformed = (name: string, detail: string): void =>
    void problems.push({ code: 'record-malformed', file: role.file(name), detail });
  const shaped = (name: string, read: Read<unknown>): void => {
    if (read.problem !== undefined) malformed(name, read.problem.detail);
  };
  const killed = planned.kill !== null;
  const [record, answer] = [role.process.value, role.has('answer.json') ? role.answer.value : undefined];
  shaped('process.json', role.process);
  if (leavesAnswer(planned) || role.has('answer.json')) shaped('answer.json', role.answer);
  if (role.has('checkpoint.jsonl')) shaped('checkpoint.jsonl', role.checkpoint);
  if (killed && answer !== undefined) malformed('answer.json', 'A killed role has no answer.');
  if (record !== undefined && record.role !== planned.role) malformed('process.json', 'The role is not the planned one.');
  const lists = ownsMovedFolder(planned.crash, role) ? 0 : (record?.live_inventory.length ?? 0);
  if (record !== undefined && role.member !== null && (record.receipts !== null || lists > 0))
    malformed('process.json', 'What belongs to several processes is told of one.');
  if (answer !== undefined && answer.role !== planned.role) malformed('answer.json', 'The role is not the planned one.');
  const wrong =
    answer === undefined
      ? null
      : (answerWrong(answer, toldTo(snapshot, role).operation) ?? model.answerWrong(answer, ranBy(role.process, run)));
  if (wrong !== null) malformed('answer.json', wrong);
  if (answer !== undefined && !isReplayed(snapshot, answer, model))
    malformed('answer.json', 'A call that was answered from the record added to it.');
  return problems;
}

/** An answer from the record adds nothing to it; of several processes another may have. */
function isReplayed({ base, state, group }: Snapshot, { replayed }: Answer, model: SubjectModel): boolean {
  if (!replayed || group !== undefined) return true;
  const [now, before] = [model.record(state).value, base === undefined ? undefined : model.record(base.state).value];
  return now === undefined || now.entries.length === (before?.entries.length ?? 0);
}

/** What a role of the build ran by; of a subject of one's own nothing is recorded. */
function ranBy(record: Read<{ readonly argv: readonly string[] }>, run: Execution | undefined): Execution['versions'] | null {
  const isOwn = record.value?.argv.every((word) => !word.startsWith('<')) === true;
  return isOwn && run !== undefined ? run.versions : null;
}

function groupWrong({ planned: { crash }, roles }: Snapshot, { model, members }: Group): string | null {
  if (model !== crash?.model) return 'The crash model is not the planned one.';
  const planned = roles.map(({ member }) => member);
  return members.join('\n') === planned.join('\n') ? null : 'The members are not the planned ones.';
}

const ofOneRole = new Set(['process.json', 'checkpoint.jsonl', 'answer.json', 'stderr.log', 'trace.txt']);

/** Records of processes, and folders of theirs, that the snapshot has not: the layout of the bag allows them, this snapshot does not. */
function strays({ names, planned: { crash, traced }, roles, loss }: Snapshot): string[] {
  const unlawful = [...(traced === null ? ['trace.txt'] : []), 'derivation.json', 'states.jsonl'];
  const untraced = loss === undefined ? names.filter((name) => unlawful.includes(name)) : [];
  if (crash === null) return [...untraced, ...names.filter((name) => name === 'group.json' || name.startsWith('members/'))];
  return names.filter((name) => {
    const [top = '', member = '', inside = ''] = name.split('/');
    if (top !== 'members') return ofOneRole.has(name);
    const role = roles.find((one) => one.member === member);
    return role === undefined || (inside === 'state' && !ownsMovedFolder(crash, role));
  });
}

/** Refused before anything of the state was read. */
const opensNothing: ReadonlySet<string> = new Set(['OwnerAlive', 'StateAbsent', 'StateUnfinished']);

function tells({ call_id: call, operation, hazard, drift }: NonNullable<Answer['refusal']>): boolean {
  return call !== null || operation !== null || hazard !== null || drift.length > 0;
}

/** What no shape can say: which members belong together. */
function answerWrong(answer: Answer, operation: Operation): string | null {
  const { role, status, refusal, session_refusal: ofSession, replayed, operations, would } = answer;
  const reasons = [refusal ?? undefined, ofSession].filter((reason) => reason !== undefined);
  if (reasons.length !== (status === 'refused' ? 1 : 0)) return 'An answer has a refusal exactly if the role refused.';
  if (replayed && (status === 'refused' || role === 'inspect')) return 'Only a call that ended can be replayed.';
  if (refusal !== null && opensNothing.has(refusal.error) && tells(refusal))
    return 'Whoever was refused before the state was opened knows nothing of it.';
  const { projections, events, artifacts, session, log } = answer;
  if (role !== 'inspect' && [projections, events, artifacts, session, log].some((part) => part !== undefined))
    return 'Only an inspector exports what the record holds.';
  if (operation === null && operations !== undefined) return 'Only a role with an operation says what it carried out.';
  return would === undefined ? null : 'A dry run is no evidence of anything that was done.';
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
