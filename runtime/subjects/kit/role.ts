/**
 * The frame of every role program: environment, guard, work, one answer written atomically, an exit code.
 *
 * Exit codes: 0 an answer with status completed, refused or failed was written; 64 the input was refused (and for a living owner, or a
 * state that an inspector does not find made, an answer says so); 70 something went wrong that the input is not to blame for. A state that cannot be opened is refused input; what
 * fails once it is open (a full disk, damage met on the way) is not, and a harness must not take it for its own mistake.
 */
import { writeAtomically } from '../../store/directory-sync.js';
import type { Answer } from '../../contract/types.js';
import { validateAnswer } from '../../contract/validators.js';
import { canonical } from '../../core/canonical.js';
import { OwnerAlive, RuntimeError, type RuntimeErrorCode } from '../../core/errors.js';
import { guardEgress, type Refused } from './egress-guard.js';
import { readEnvironment, UsageError, type Environment, type Role } from './environment.js';
import { Parking } from './park.js';

export type Settings = Answer['settings'];

/** What the work of a role reports; the frame adds who answered and under which guard. */
export type Report = Pick<Answer, 'status' | 'detail'> &
  Partial<Omit<Answer, 'role' | 'pid' | 'status' | 'detail' | 'egress' | 'settings'>>;

export interface RoleContext {
  environment: Environment;
  parking: Parking;
  /** Remembers the settings that the role works with, from when its state is open. */
  using: (settings: Settings) => void;
}

/** What the roles of a subject have in common. */
export interface Subject {
  /** Every place where one of them can be parked. */
  checkpoints: readonly string[];
  /** `resume` can go by the record alone also where no operation is named. */
  resumesByRecord: boolean;
  /** Codes of what its open state does not allow, where that is asked for by who starts the role: refused input, as any of `refusedInput`. */
  refuses: readonly RuntimeErrorCode[];
  /** Where no state was opened. */
  unopened: () => Settings;
  /** Refusals and failures that a role answers; whatever else was thrown is thrown again. */
  reportOf: (error: unknown) => Report;
}

/** What a role is asked for and an open state does not allow; and what keeps it from taking the lease, before anything is recorded. */
const refusedInput: ReadonlySet<RuntimeErrorCode> = new Set<RuntimeErrorCode>([
  'input-invalid',
  'lease-unreadable',
  'state-wrong-kind',
  'files-exhausted',
  'state-unwritable',
]);

type RefusalName = NonNullable<Answer['refusal']>['error'];

/** What an inspector says of a folder in which no state was made yet, so that nobody takes it for damage. */
const notMade: ReadonlyMap<RuntimeErrorCode, RefusalName> = new Map([
  ['state-absent', 'StateAbsent'],
  ['state-unfinished', 'StateUnfinished'],
]);

export async function runRole(
  role: Role,
  subject: Subject,
  work: (context: RoleContext) => Promise<Report> | Report,
): Promise<void> {
  let settings: Settings | null = null;
  try {
    const environment = readEnvironment(role, subject);
    const refused = guardEgress(environment.providerUrl);
    const parking = new Parking(environment.armed, environment.nonce);
    const using = (used: Settings): void => void (settings = used);
    const report = await reported(role, subject, () => work({ environment, parking, using }));
    writeAnswer(environment, report, refused, settings ?? subject.unopened());
    process.exitCode = isAnsweredAnd64(report) ? 64 : 0;
  } catch (error) {
    const expected = error instanceof UsageError || error instanceof RuntimeError;
    process.stderr.write(
      `${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = isRefusedInput(subject, error, settings !== null) ? 64 : 70;
  }
}

function isRefusedInput({ refuses }: Subject, error: unknown, opened: boolean): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof RuntimeError && (!opened || refusedInput.has(error.code) || refuses.includes(error.code));
}

async function reported(role: Role, { reportOf }: Subject, work: () => Promise<Report> | Report): Promise<Report> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OwnerAlive) return refusedAs(error, 'OwnerAlive');
    const name = role === 'inspect' && error instanceof RuntimeError ? notMade.get(error.code) : undefined;
    if (name === undefined) return reportOf(error);
    process.stderr.write(`${(error as RuntimeError).message}\n`);
    return refusedAs(error as RuntimeError, name);
  }
}

function isAnsweredAnd64({ refusal }: Report): boolean {
  return ['OwnerAlive', ...notMade.values()].includes(refusal?.error ?? '');
}

/** A refusal that is about nothing in the record. */
export function refusedAs({ message }: Error, error: NonNullable<Answer['refusal']>['error']): Report {
  return { status: 'refused', detail: message, refusal: { error, call_id: null, operation: null, hazard: null, drift: [] } };
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
