/**
 * Resume: a process that knows nothing but the record. It reads the projection of a task, may be parked between that and acting, and
 * acts on what the projection names, or answers why it does not.
 *
 * With an operation it carries that out (`operations/`). Without one it resumes a call that was never sent, and refuses everything else.
 */
import type { Runtime } from '../../calls/api/runtime.js';
import { ResumeRefused, type RecoveryRefused } from '../../calls/core/refusals.js';
import { RuntimeError } from '../../core/errors.js';
import type { WorkState } from '../../contract/types.js';
import { firstUnresolved, isCall, noTask, unneeded } from '../../calls/recovery/tasks.js';
import { runRole, type Report, type RoleContext } from '../kit/role.js';
import { openFor } from './open.js';
import { demandNoOwner } from './operations/dry-run.js';
import { operate } from './operations/operation.js';
import { wantedOf } from './operations/wanted.js';
import { reportOfCall } from './report.js';
import { calls } from './subject.js';

async function resume(context: RoleContext): Promise<Report> {
  const wanted = wantedOf(context.environment);
  return wanted === null ? resumeUnsent(context) : operate(context, wanted);
}

async function resumeUnsent(context: RoleContext): Promise<Report> {
  const { runtime } = openFor(context, false);
  try {
    const workState = taskToResume(runtime);
    context.parking.passed(['projection.read']);
    const callId = unresolvedCall(workState);
    if (context.environment.dryRun) {
      demandNoOwner(context.environment.state);
      runtime.checkResume(callId, { workState });
      return { status: 'completed', detail: `Dry run: would start ${callId} again under its key. Nothing was done.` };
    }
    return reportOfCall(await runtime.resumeCall(callId, { workState }));
  } catch (error) {
    throw asRefusal(error);
  } finally {
    runtime.close();
  }
}

function taskToResume(runtime: Runtime): WorkState {
  const state = firstUnresolved(runtime.tasks().map(({ taskId }) => runtime.workState(taskId)));
  if (state === null) throw ofNoCall(noTask());
  return state;
}

function unresolvedCall(state: WorkState): string {
  const { next_operation: operation, on } = state.task;
  if (on === null || !isCall(state, on) || operation === 'check_and_accept') throw ofNoCall(unneeded(state, 'a resume'));
  return on;
}

/** A resume refuses by a name of its own, and here it is about no call. */
function ofNoCall({ operation, hazard, message }: RecoveryRefused): ResumeRefused {
  return new ResumeRefused({ callId: null, operation, hazard }, message);
}

/** Another owner acted first: what was to be done is no longer this process's to do. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof RuntimeError) || error.code !== 'overtaken') return error;
  return new ResumeRefused({ callId: null, operation: 'start_call', hazard: 'unneeded' }, error.message);
}

await runRole('resume', calls, resume);
