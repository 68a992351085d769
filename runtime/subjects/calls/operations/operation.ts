/**
 * The frame of an operation: open, read the projection, maybe be parked, act on what was read, answer what was carried out.
 *
 * Guarantee: a refusal appended nothing and sent nothing; what was carried out before a failure is in the answer.
 */
import type { Runtime } from '../../../calls/api/runtime.js';
import { noTask } from '../../../calls/recovery/tasks.js';
import type { Report, RoleContext } from '../../kit/role.js';
import { openForOperation } from '../open.js';
import type { Acting } from './acting.js';
import { carryOut } from './carry-out.js';
import { dryRun, wouldBe } from './dry-run.js';
import { namedIn, type Named } from './named.js';
import { demandProvider } from './no-provider.js';
import { recover } from './recover.js';
import { reportOfOperation } from './refusal.js';
import { askOf, type One, type Wanted } from './wanted.js';

export async function operate(context: RoleContext, wanted: Wanted): Promise<Report> {
  const { runtime, settings } = openForOperation(context, askOf(wanted));
  try {
    const acting: Acting = { context, runtime, settings, named: demandNamed(runtime, wanted, context.environment.on) };
    if (context.environment.dryRun) return dryRun(acting, wanted);
    return wanted.operation === 'recover' ? await recover(acting) : await one(acting, wanted);
  } catch (error) {
    return { ...reportOfOperation(error), operations: [] };
  } finally {
    runtime.close();
  }
}

async function one(acting: Acting, wanted: One): Promise<Report> {
  const { context, named, settings, runtime } = acting;
  context.parking.passed(['projection.read']);
  demandProvider(acting, wanted.operation, named.on, () => wouldBe(acting, wanted));
  const operations = [wanted.operation];
  try {
    return { ...(await carryOut(runtime, wanted, named, { workState: named.workState, settings })), operations };
  } catch (error) {
    // A failure was carried out and is on record; a refusal did nothing.
    const report = reportOfOperation(error);
    return { ...report, operations: report.status === 'failed' ? operations : [] };
  }
}

function demandNamed(runtime: Runtime, { operation }: Wanted, id: string | null): Named {
  const named = namedIn(runtime, operation, id);
  if (named !== null) return named;
  throw noTask();
}
