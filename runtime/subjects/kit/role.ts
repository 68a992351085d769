/**
 * The frame of every role program: environment, guard, work, one answer written atomically, an exit code.
 *
 * Exit codes: 0 an answer with status completed, refused or failed was written; 64 the input was refused (and for a living owner
 * an answer says so); 70 something went wrong that the input is not to blame for. A state that cannot be opened is refused input; what
 * fails once it is open (a full disk, damage met on the way) is not, and a harness must not take it for its own mistake.
 */
import { sqliteVersion, type Settings } from '../../store/connection.js';
import { writeAtomically } from '../../store/directory-sync.js';
import type { Answer } from '../../contract/types.js';
import { validateAnswer } from '../../contract/validators.js';
import { canonical } from '../../core/canonical.js';
import {
  EffectUnknown,
  KeyConflict,
  OwnerAlive,
  RecoveryRefused,
  ResumeRefused,
  RuntimeError,
  type RuntimeErrorCode,
} from '../../core/errors.js';
import { guardEgress, type Refused } from './egress-guard.js';
import { readEnvironment, UsageError, type Environment, type Role } from './environment.js';
import { Parking } from './park.js';

/** What the work of a role reports; the frame adds who answered and under which guard. */
export type Report = Pick<Answer, 'status' | 'detail'> &
  Partial<Pick<Answer, 'refusal' | 'replayed' | 'projections' | 'events' | 'artifacts' | 'operations' | 'would'>>;

export interface RoleContext {
  environment: Environment;
  parking: Parking;
  /** Remembers the settings of the connection that the role works on. */
  using: (settings: Settings) => void;
}

/** What a role is asked for and an open state does not allow. */
const refusedInput: ReadonlySet<RuntimeErrorCode> = new Set<RuntimeErrorCode>([
  'input-invalid',
  'lease-unreadable',
  'task-unknown',
  'task-exists',
  'task-ended',
  'call-unknown',
  'compilation-unknown',
  'result-unknown',
]);

export async function runRole(
  role: Role,
  checkpoints: readonly string[],
  work: (context: RoleContext) => Promise<Report> | Report,
): Promise<void> {
  let settings: Settings | null = null;
  try {
    const environment = readEnvironment(role, checkpoints);
    const refused = guardEgress(environment.providerUrl);
    const parking = new Parking(environment.armed, environment.nonce);
    const using = (used: Settings): void => void (settings = used);
    const report = await reported(() => work({ environment, parking, using }));
    writeAnswer(environment, report, refused, settings ?? unopened());
    process.exitCode = report.refusal?.error === 'OwnerAlive' ? 64 : 0;
  } catch (error) {
    const expected = error instanceof UsageError || error instanceof RuntimeError;
    process.stderr.write(
      `${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = isRefusedInput(error, settings !== null) ? 64 : 70;
  }
}

function isRefusedInput(error: unknown, opened: boolean): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof RuntimeError && (!opened || refusedInput.has(error.code));
}

async function reported(work: () => Promise<Report> | Report): Promise<Report> {
  try {
    return await work();
  } catch (error) {
    return reportOf(error);
  }
}

/** Refusals and failures that a role answers; whatever else was thrown stays thrown. */
export function reportOf(error: unknown): Report {
  if (error instanceof ResumeRefused) {
    const { callId: call_id, operation, hazard, drift } = error;
    return refusal(error, { error: 'ResumeRefused', call_id, operation, hazard, drift: [...drift] });
  }
  if (error instanceof RecoveryRefused) {
    const { on: call_id, operation, hazard, drift } = error;
    return refusal(error, { error: 'RecoveryRefused', call_id, operation, hazard, drift: [...drift] });
  }
  const nothing = { operation: null, hazard: null, drift: [] };
  if (error instanceof KeyConflict) return refusal(error, { error: 'KeyConflict', call_id: error.earlierCallId, ...nothing });
  if (error instanceof OwnerAlive) return refusal(error, { error: 'OwnerAlive', call_id: null, ...nothing });
  if (error instanceof EffectUnknown) return { status: 'failed', detail: error.message };
  if (error instanceof RuntimeError && (error.code === 'compilation-failed' || error.code === 'preparation-failed'))
    return { status: 'failed', detail: error.message };
  throw error;
}

function refusal(error: RuntimeError, fact: NonNullable<Answer['refusal']>): Report {
  return { status: 'refused', detail: error.message, refusal: fact };
}

function writeAnswer(environment: Environment, report: Report, refused: readonly Refused[], settings: Settings): void {
  const answer: Answer = {
    role: environment.role,
    pid: process.pid,
    refusal: null,
    replayed: false,
    ...report,
    egress: { mechanism: 'in-process guard', refused: [...refused] },
    settings,
  };
  if (!validateAnswer(answer))
    throw new Error(`The answer has not the shape of its schema: ${JSON.stringify(validateAnswer.errors)}`);
  writeAtomically(environment.out, `${canonical(answer)}\n`);
}

/** No connection was opened: the owner was alive. */
function unopened(): Settings {
  return { node: process.versions.node, sqlite: sqliteVersion(), journal_mode: 'unopened', synchronous: 0 };
}
