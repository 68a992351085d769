/**
 * Resume: a process that knows nothing but the record. It reads the session without a lease, may be parked between that and acting, and then
 * opens it and acts on what the log says by then, or answers why it does not.
 *
 * Without an operation it takes up what was left open, and is refused where nothing is; `recover` does the same, and can be said again at any
 * time. `send`, `approve` and `cancel` are what an owner does to a session; the other operations of calls are not for this subject.
 */
import { openSessionReader } from '../../sessions/api/reader.js';
import { sends as isSending } from '../../sessions/core/stages.js';
import type { SessionOperation } from '../../sessions/core/vocabulary.js';
import { UsageError, type Environment } from '../kit/environment.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { object } from '../kit/shape.js';
import { findOwnNode, open, type Opened } from './open.js';
import { reportOfEnd, working } from './report.js';
import { asScenario, shapes, type Approve, type Cancel, type Send } from './scenario.js';
import { approve, cancel, send } from './steps.js';
import { sessions } from './subject.js';

type Wanted =
  | { operation: null | 'recover' }
  | { operation: 'send'; input: Send }
  | { operation: 'approve'; input: Approve }
  | { operation: 'cancel'; input: Cancel };

const operations = ['recover', 'send', 'approve', 'cancel'] as const;

async function resume(context: RoleContext): Promise<Report> {
  const { environment, parking } = context;
  const wanted = wantedOf(environment);
  const scenario = environment.scenario === null ? null : asScenario(environment.scenario);
  findOwnNode();
  parking.passed(['role.ready']);
  const { next_operation: next } = openSessionReader(environment.state).state();
  parking.passed(['projection.read']);
  demandProvider(wanted, next, environment);
  const opened = open(context, { scenario });
  return working(opened, () => carryOut(opened, wanted));
}

async function carryOut({ session }: Opened, wanted: Wanted): Promise<Report> {
  switch (wanted.operation) {
    case 'send':
      return send(session, wanted.input);
    case 'approve':
      return approve(session, wanted.input);
    case 'cancel':
      return cancel(session, wanted.input);
    case null:
      return reportOfEnd(await session.resume());
    case 'recover':
      return reportOfEnd(await session.recover());
  }
}

function wantedOf({ operation, on, input, dryRun }: Environment): Wanted {
  if (dryRun) throw new UsageError('A session has no dry run; its inspector says what is next.');
  if (on !== null) throw new UsageError('KILLPOINT_ON is given; what is done to a session concerns the run that is open.');
  if (operation === null) return { operation };
  const known = operations.find((name) => name === operation);
  if (known === undefined)
    throw new UsageError(
      `KILLPOINT_OPERATION is ${JSON.stringify(operation)}; a session has ${operations.join(', ')}; without one it is resumed.`,
    );
  if (known === 'recover') {
    if (input !== null) throw new UsageError('KILLPOINT_INPUT is given, and recover takes none.');
    return { operation: known };
  }
  if (input === null) throw new UsageError(`KILLPOINT_INPUT is not set; ${known} needs what a person says in it.`);
  const problems = object(shapes[known])(input, '');
  if (problems.length > 0) throw new UsageError(`The input of ${known} is not valid: ${problems.join('; ')}.`);
  return { operation: known, input } as Wanted;
}

/** Before the session is opened: nothing is recorded that nobody could carry out. */
function demandProvider({ operation }: Wanted, next: SessionOperation, { providerUrl }: Environment): void {
  const resumes = operation === null || operation === 'recover';
  const sends = operation === 'send' || (resumes && isSending(next));
  if (sends && providerUrl === null)
    throw new UsageError(
      `${resumes ? next : operation} sends a request, and no provider is named. Nothing was sent; name one and do it again.`,
    );
}

await runRole('resume', sessions, resume);
