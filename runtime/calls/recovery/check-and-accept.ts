/** Check and accept, as a recovery: judge a task only where its record asks for it. */
import type { Committer } from '../live/committer.js';
import { recoveredBy } from '../live/stamp.js';
import { demandTask, judgementDraft, type Judgement, type Verdict } from '../live/task.js';
import type { WorkState } from '../../contract/types.js';
import { projectWorkState } from '../core/work-state.js';
import { act, appending, type Proposal } from './act.js';
import type { OperationOptions } from './options.js';
import { unneeded } from './tasks.js';

export function judgeProjected(
  committer: Committer,
  taskId: string,
  verdict: Verdict,
  judgement: Judgement,
  options: OperationOptions,
): void {
  act(committer, options, () => proposeJudgement(committer, taskId, verdict, judgement));
}

export function proposeJudgement(committer: Committer, taskId: string, verdict: Verdict, judgement: Judgement): Proposal<void> {
  demandTask(committer, taskId);
  const state = projectWorkState(committer.history, taskId) as WorkState;
  if (state.task.next_operation !== 'check_and_accept') throw unneeded(state, 'check_and_accept');
  const draft = judgementDraft(committer, taskId, verdict, judgement, recoveredBy('check_and_accept'));
  return appending(committer, [draft], () => undefined);
}
