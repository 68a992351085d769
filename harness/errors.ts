/**
 * The two ways in which the harness fails.
 *
 * `HarnessError` ends the command: a refusal of its input (exit 64), a run that could not be finished (exit 2: nothing is
 * known), or a defect (exit 70). `CaseVoid` ends one case: it proves nothing, says why, and the run goes on. Neither is a
 * judgement about the subject: judging is the verifier's.
 */
import type { Case } from './contract/types.js';

export type HarnessCode =
  | 'usage'
  | 'platform-unsupported'
  | 'plan-unreadable'
  | 'plan-invalid'
  | 'subject-unknown'
  | 'subject-malformed'
  | 'tree-dirty'
  | 'git-failed'
  | 'build-missing'
  | 'build-altered'
  | 'state-unreadable'
  | 'owner-alive'
  | 'inspection-failed'
  | 'trace-unmodelled'
  | 'state-sealed'
  | 'operation-refused'
  | 'operation-failed'
  | 'effect-unknown'
  | 'provider-unavailable'
  | 'watchdog-lost'
  | 'record-failed'
  | 'seal-failed'
  | 'interrupted'
  | 'verifier-failed';

const exitCodes: Record<HarnessCode, 2 | 64 | 70> = {
  usage: 64,
  'platform-unsupported': 64,
  'plan-unreadable': 64,
  'plan-invalid': 64,
  'subject-unknown': 64,
  'subject-malformed': 64,
  'tree-dirty': 64,
  'git-failed': 64,
  'build-missing': 64,
  'build-altered': 64,
  'state-unreadable': 64,
  'owner-alive': 64,
  'inspection-failed': 64,
  'trace-unmodelled': 2,
  'state-sealed': 64,
  'operation-refused': 64,
  'operation-failed': 70,
  'effect-unknown': 2,
  'provider-unavailable': 2,
  'watchdog-lost': 2,
  'record-failed': 2,
  'seal-failed': 2,
  interrupted: 2,
  'verifier-failed': 70,
};

export class HarnessError extends Error {
  readonly code: HarnessCode;
  /** What belongs to the sentence, one item a line: the mistakes of a plan, the files of a dirty tree. */
  readonly items: readonly string[];

  constructor(code: HarnessCode, sentence: string, options: { cause?: unknown; items?: readonly string[] } = {}) {
    super(sentence, { cause: options.cause });
    this.name = 'HarnessError';
    this.code = code;
    this.items = options.items ?? [];
  }

  get exitCode(): number {
    return exitCodes[this.code];
  }
}

export type VoidReason = NonNullable<Case['void']>['reason'];

export class CaseVoid extends Error {
  readonly code: VoidReason;

  constructor(code: VoidReason, sentence: string, options: { cause?: unknown } = {}) {
    super(sentence, { cause: options.cause });
    this.name = 'CaseVoid';
    this.code = code;
  }
}

/** The system's name of a failure (`ENOSPC`), or null for any other error. */
export function codeOf(error: unknown): string | null {
  const code = (error as NodeJS.ErrnoException | null | undefined)?.code;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

/**
 * True for what no case can record: a refusal of the whole command (a run without its watchdog may start nothing), and a disk that
 * fails, since it would fail the record of the failure too.
 */
export function endsTheRun(error: unknown): boolean {
  const code = codeOf(error);
  return error instanceof HarnessError || code === 'ENOSPC' || code === 'EDQUOT' || code === 'EIO' || code === 'EROFS';
}
