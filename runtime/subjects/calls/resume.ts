/**
 * Resume: a process that knows nothing but the record. It reads the projection of the first unresolved task, may be parked
 * between that and acting, and resumes the call that the projection names, or answers why it does not.
 */
import type { Runtime } from '../../calls/runtime.js';
import { ResumeRefused, RuntimeError } from '../../core/errors.js';
import { operations, type Operation } from '../../core/vocabulary.js';
import type { WorkState } from '../../contract/types.js';
import { UsageError } from '../kit/environment.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { openFor, parkingPlaces } from './open.js';
import { reportOfCall } from './report.js';

async function resume(context: RoleContext): Promise<Report> {
  const operation = wantedOperation(context.environment.operation);
  const { runtime } = openFor(context, false);
  try {
    const workState = firstUnresolved(runtime);
    context.parking.passed(['projection.read']);
    const callId = unresolvedCall(workState);
    const { dryRun } = context.environment;
    const options = { workState, ...(operation !== null && { operation }) };
    if (dryRun) {
      runtime.checkResume(callId, options);
      return { status: 'completed', detail: `Dry run: would start ${callId} again under its key. Nothing was done.` };
    }
    return reportOfCall(await runtime.resumeCall(callId, options));
  } catch (error) {
    throw asRefusal(error);
  } finally {
    runtime.close();
  }
}

function wantedOperation(name: string | null): Operation | null {
  if (name === null || operations.includes(name as Operation)) return name as Operation | null;
  throw new UsageError(`KILLPOINT_OPERATION is ${JSON.stringify(name)}, none of ${operations.join(', ')}.`);
}

/** The first task that has something to do, else the first. */
function firstUnresolved(runtime: Runtime): WorkState {
  const states = runtime.tasks().map(({ taskId }) => runtime.workState(taskId));
  const state = states.find(({ task }) => task.next_operation !== 'none') ?? states[0];
  if (state === undefined) throw unneeded('none', 'The ledger holds no task.');
  return state;
}

function unresolvedCall(state: WorkState): string {
  const { next_operation: operation, on, reason } = state.task;
  const call = state.calls.find(({ call_id }) => call_id === on);
  if (call === undefined || operation === 'check_and_accept')
    throw unneeded(operation, `Nothing is to be resumed: ${reason} Next: ${operation}.`);
  return call.call_id;
}

function unneeded(operation: Operation, message: string): ResumeRefused {
  return new ResumeRefused({ callId: null, operation, hazard: 'unneeded' }, message);
}

/** Another owner acted first: what was to be done is no longer this process's to do. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof RuntimeError) || error.code !== 'overtaken') return error;
  return new ResumeRefused({ callId: null, operation: 'start_call', hazard: 'unneeded' }, error.message);
}

await runRole('resume', parkingPlaces, resume);
