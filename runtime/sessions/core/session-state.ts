/**
 * The projection `session-state/v1`: what a session log says, and what comes next.
 *
 * A pure function of the frames. A second program derives it from the bytes by code of its own, and the two must be equal.
 */
import type { SessionState } from '../../contract/types.js';
import { callStatesOf } from './call-states.js';
import type { SessionHistory } from './history.js';
import { lastStep, type Run } from './run.js';
import { drainsAfter, stageOf } from './stages.js';
import type { SessionOperation } from './vocabulary.js';

export function sessionStateOf(history: SessionHistory): SessionState {
  const { sessionId, identity, queue } = history;
  return {
    version: 'session-state/v1',
    session_id: sessionId,
    identity,
    ...nextOf(history),
    queue: queue.map(({ submissionId, delivery }) => ({ submission_id: submissionId, delivery })),
    runs: history.runs.map(runState),
  };
}

/** What comes next for the session as a whole, and on what. What was queued before any run waits for the owner. */
export function nextOf({ last, queue }: SessionHistory): { next_operation: SessionOperation; on: string | null } {
  if (last === undefined) return { next_operation: 'none', on: null };
  const { operation } = stageOf(last);
  if (operation !== 'none') return { next_operation: operation, on: operation === 'approve' ? firstAwaiting(last) : last.runId };
  const [head] = queue;
  const drains = last.finished !== null && drainsAfter.includes(last.finished.reason);
  if (drains && head !== undefined) return { next_operation: 'drain_queue', on: head.submissionId };
  return { next_operation: 'none', on: null };
}

/** Key of the first call that waits for an answer. */
export function firstAwaiting(run: Run): string | null {
  return lastStep(run)?.calls.find(({ approval }) => approval !== null && approval.answer === null)?.key ?? null;
}

function runState(run: Run): SessionState['runs'][number] {
  const { stage, operation, detail } = stageOf(run);
  return {
    run_id: run.runId,
    episode: run.episode,
    stage,
    next_operation: operation,
    reason: run.finished?.reason ?? null,
    cancel: run.cancel,
    model_leg: run.config.model_leg,
    steps: run.steps.filter(({ answer }) => answer !== null).length,
    calls: run.steps.flatMap((step) => {
      const states = callStatesOf(step);
      return step.calls.map(({ key, call }, index) => ({
        key,
        tool_call_id: call.id,
        name: call.name,
        state: states[index] ?? 'pending',
      }));
    }),
    detail,
  };
}
