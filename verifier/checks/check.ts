/**
 * What a check is: one guarantee, its sentence, what it covers and what not, and a pure function from evidence to counts and
 * findings. A check returns every finding. It counts what it judges (events, requests, manifests), never the files that hold it, and
 * it never passes on what it could not see: what the plan lets it expect and what it did not judge leaves the claim unknown.
 */
import { EvidenceError } from '../errors.js';
import type { Bundle, CaseEvidence, Snapshot } from '../read/bundle.js';
import type { Read } from '../read/facts.js';
import type { SubjectModel } from './subject-model.js';

export const findingCodes = [
  'bag-malformed',
  'file-forbidden',
  'file-unlisted',
  'file-missing',
  'file-altered',
  'plan-malformed',
  'plan-unpinned',
  'execution-malformed',
  'case-missing',
  'case-unplanned',
  'record-malformed',
  'control-silent',
  'kill-unproven',
  'process-shared',
  'checkpoint-mismatch',
  'copy-incomplete',
  'ledger-unreadable',
  'ledger-schema',
  'event-chain-broken',
  'event-malformed',
  'artifact-missing',
  'artifact-altered',
  'artifact-orphaned',
  'state-malformed',
  'history-rewritten',
  'receipts-rewritten',
  'order-violated',
  'manifest-mismatch',
  'interpretation-mismatch',
  'retry-unlawful',
  'completion-unsound',
  'export-mismatch',
  'state-mismatch',
  'inspection-changed-state',
  'receipt-malformed',
  'receipts-unsealed',
  'receipt-unintended',
  'intent-unserved',
  'observation-mismatch',
  'resume-unlawful',
  'refusal-acted',
  'egress-unexpected',
  'reconciliation-unsound',
  'attempt-unlawful',
  'recovery-unlawful',
  'race-doubled',
  'race-lost',
  'spec-mismatch',
  'recovery-diverged',
  'settings-weak',
  'prediction-failed',
  'scenario-unplanned',
  'script-departed',
  'log-damaged',
  'frame-malformed',
  'lineage-broken',
  'floor-behind',
  'session-folder-malformed',
  'record-order',
  'request-unfounded',
  'tool-unintended',
  'tool-repeated',
  'tool-result-mismatch',
  'closeout-unlawful',
  'approval-unlawful',
  'input-unlawful',
  'configuration-unlawful',
  'conversation-invalid',
  'frames-export-mismatch',
  'session-state-mismatch',
  'resume-misreported',
  'session-refusal-acted',
  'session-race-doubled',
  'session-race-lost',
  'syscall-missed',
  'power-state-missed',
  'promise-lost',
  'record-forked',
  'state-refused',
  'recovery-misread',
  'fault-unproven',
  'fault-ignored',
] as const;

export type FindingCode = (typeof findingCodes)[number];

export interface Where {
  readonly case: string | null;
  readonly snapshot: string | null;
  readonly file: string | null;
  readonly seq: number | null;
}

export interface Finding {
  readonly code: FindingCode;
  readonly guarantee: string;
  readonly where: Where;
  readonly detail: string;
}

export type FindingWithoutGuarantee = Omit<Finding, 'guarantee'>;

export interface CheckResult {
  /** Items that the plan lets this check expect, or that were found where the plan does not predict them. */
  readonly expected: number;
  readonly seen: number;
  readonly findings: readonly FindingWithoutGuarantee[];
  /** Why something could not be judged. */
  readonly unknown?: string | undefined;
}

interface Described {
  readonly guarantee: `G${number}`;
  readonly sentence: string;
  readonly covers: string;
  readonly doesNotCover: string;
  readonly codes: readonly FindingCode[];
}

export interface BundleCheck extends Described {
  readonly scope: 'bundle';
  check(bundle: Bundle, model: SubjectModel): CheckResult;
}

export interface CaseCheck extends Described {
  readonly scope: 'case';
  /** What is said of one case may depend on another: an identity belongs to whoever had it first. */
  readonly across?: true;
  check(input: CaseEvidence, bundle: Bundle, model: SubjectModel): CheckResult;
}

export type Check = BundleCheck | CaseCheck;

/** Carries the value of a read, or stops the judgement of this item: what is missing is reported by G3, G8 or G18 once. */
export function need<T>(read: Read<T>): T {
  if (read.problem !== undefined) throw new EvidenceError('absent', `${read.problem.file}: ${read.problem.detail}`);
  return read.value;
}

export type Say = (code: FindingCode, detail: string, at?: { file?: string; seq?: number | null }) => void;

/** Judges one item and returns how many things were judged in it; without a number it is one thing. */
type Judge<T> = (item: T, say: Say) => number | void;

/**
 * Judges each item apart: one that cannot be read leaves the others judged. `planned` is how many things the plan lets expect of an
 * item; where it does not predict all of them, those that were found count as expected too.
 */
export function perItem<T>(
  items: readonly T[],
  whereOf: (item: T) => Where,
  judge: Judge<T>,
  planned: (item: T) => number = () => 1,
): CheckResult {
  const findings: FindingWithoutGuarantee[] = [];
  let [expected, seen] = [0, 0];
  let unknown: string | undefined;
  for (const item of items) {
    let judged = 0;
    try {
      judged =
        judge(item, (code, detail, at) => {
          const where = whereOf(item);
          findings.push({ code, where: { ...where, file: at?.file ?? where.file, seq: at?.seq ?? where.seq }, detail });
        }) ?? 1;
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      unknown ??= error.message;
    }
    expected += Math.max(planned(item), judged);
    seen += judged;
  }
  return { expected, seen, findings, unknown };
}

export function perSnapshot(
  snapshots: readonly Snapshot[],
  planned: (snapshot: Snapshot) => number,
  judge: Judge<Snapshot>,
): CheckResult {
  return perItem(snapshots, whereOfSnapshot, judge, planned);
}

export function whereOfSnapshot(snapshot: Snapshot): Where {
  return { case: snapshot.caseId, snapshot: snapshot.name, file: null, seq: null };
}

export const nowhere: Where = { case: null, snapshot: null, file: null, seq: null };
