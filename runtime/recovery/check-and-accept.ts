/** Check and accept, as a recovery: judge a task only where its record asks for it. */
import type { Committer } from '../calls/committer.js';
import { recoveredBy } from '../calls/stamp.js';
import { demandTask, judgementDraft, type Judgement, type Verdict } from '../calls/task.js';
import type { WorkState } from '../contract/types.js';
import { RecoveryRefused } from '../core/errors.js';
import { projectWorkState } from '../core/work-state.js';
import type { OperationOptions } from './options.js';
import { act, appending, type Plan } from './plan.js';

export function judgeProjected(
  committer: Committer,
  taskId: string,
  verdict: Verdict,
  judgement: Judgement,
  options: OperationOptions,
): void {
  act(committer, options, () => planJudgement(committer, taskId, verdict, judgement));
}

export function planJudgement(committer: Committer, taskId: string, verdict: Verdict, judgement: Judgement): Plan<void> {
  demandTask(committer, taskId);
  const { task } = projectWorkState(committer.history, taskId) as WorkState;
  if (task.next_operation !== 'check_and_accept')
    throw new RecoveryRefused(
      { on: task.on, operation: task.next_operation, hazard: 'unneeded' },
      `check_and_accept is not what the record of ${taskId} asks for: ${task.reason} Next: ${task.next_operation}.`,
    );
  const draft = judgementDraft(committer, taskId, verdict, judgement, recoveredBy('check_and_accept'));
  return appending(committer, [draft], () => undefined);
}
