/** The life of a task around its calls: created, given an objective and claims, accepted or rejected. */
import { demandMembers } from '../../core/demands.js';
import { RuntimeError } from '../../core/errors.js';
import type { TaskRecord } from '../core/records.js';
import type { Draft } from '../core/events.js';
import type { Committer } from './committer.js';
import { straight, type Stamp } from './stamp.js';

export interface Judgement {
  /** Default: the result of the last call that succeeded. */
  resultId?: string;
  by: string;
  note?: string;
}

export type Verdict = 'accepted' | 'rejected';

export function createTask(committer: Committer, taskId: string, title: string): void {
  committer.own();
  if (committer.history.tasks.has(taskId))
    throw new RuntimeError('task-exists', `The task ${taskId} exists already. Go on with it, or choose another id.`);
  committer.commit([{ type: 'task.created', task_id: taskId, payload: { title } }]);
}

export interface Objective {
  objectiveId: string;
  statement: string;
}

export interface Claim {
  claimId: string;
  statement: string;
  /** What it rests on. */
  basis: string;
}

export function recordObjective(committer: Committer, taskId: string, objective: Objective): void {
  demandMembers('The objective', objective, ['objectiveId', 'statement'], 'objective.');
  const { objectiveId, statement } = objective;
  committer.own();
  demandOpenTask(committer, taskId);
  const payload = { objective_id: objectiveId, statement };
  committer.commit([{ type: 'objective.recorded', task_id: taskId, payload }]);
}

export function recordClaim(committer: Committer, taskId: string, claim: Claim): void {
  demandMembers('The claim', claim, ['claimId', 'statement', 'basis'], 'claim.');
  const { claimId, statement, basis } = claim;
  committer.own();
  demandOpenTask(committer, taskId);
  const payload = { claim_id: claimId, statement, basis };
  committer.commit([{ type: 'claim.recorded', task_id: taskId, payload }]);
}

export function judge(committer: Committer, taskId: string, verdict: Verdict, judgement: Judgement): void {
  committer.own();
  committer.commit([judgementDraft(committer, taskId, verdict, judgement, straight)]);
}

/** The event that ends an open task; refuses while a call of it is under way, and a result that it has not. */
export function judgementDraft(
  committer: Committer,
  taskId: string,
  verdict: Verdict,
  judgement: Judgement,
  stamp: Stamp,
): Draft {
  demandMembers('The judgement', judgement, ['resultId', 'by', 'note'], 'judgement.');
  const task = demandOpenTask(committer, taskId);
  if (committer.callsUnderWay(taskId) > 0)
    throw new RuntimeError('call-under-way', `A call of ${taskId} is under way. Wait for its end, then judge the task.`);
  const resultId = judgement.resultId ?? lastResult(task);
  if (judgement.resultId !== undefined && !task.calls.some((call) => call.completed?.result_id === judgement.resultId))
    throw new RuntimeError('result-unknown', `The task ${taskId} has no ${judgement.resultId}.`);
  const { by, note = '' } = judgement;
  if (verdict === 'rejected')
    return { type: 'task.rejected', task_id: taskId, payload: { result_id: resultId, by, note, ...stamp } };
  if (resultId === null) throw new RuntimeError('result-unknown', `The task ${taskId} has no result to accept.`);
  return { type: 'task.accepted', task_id: taskId, payload: { result_id: resultId, by, note, ...stamp } };
}

export function demandTask(committer: Committer, taskId: string): TaskRecord {
  const task = committer.history.tasks.get(taskId);
  if (task === undefined) throw new RuntimeError('task-unknown', `There is no task ${taskId}. Create it first.`);
  return task;
}

export function demandOpenTask(committer: Committer, taskId: string): TaskRecord {
  const task = demandTask(committer, taskId);
  if (task.stage !== 'open')
    throw new RuntimeError('task-ended', `The task ${taskId} was ${task.stage}; nothing is added to it.`);
  return task;
}

function lastResult(task: TaskRecord): string | null {
  return task.calls.findLast((call) => call.completed?.outcome === 'succeeded')?.completed?.result_id ?? null;
}
