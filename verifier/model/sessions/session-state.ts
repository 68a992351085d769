/**
 * `session-state/v1`: what a session log says, derived from its history alone. What an inspector projects is held against it, but for the
 * sentence for people in each run.
 */
import type { SessionState, SharedRunStage } from '../../contract/types.js';
import { callStateOf } from './call-state.js';
import { isInterrupt, waitingIn, type History, type Run } from './history.js';
import { operations, stageOf } from './stage.js';

type RunState = SessionState['runs'][number];

/** Null for a log that has not named itself. */
export function sessionStateOf(history: History): SessionState | null {
  const { sessionId, identity, runs } = history;
  if (sessionId === null || identity === null) return null;
  const queue = waitingIn(history).map((one) => ({
    submission_id: one.queued.submission_id,
    delivery: isInterrupt(one) ? ('interrupt' as const) : ('plain' as const),
  }));
  return {
    ...next(history),
    version: 'session-state/v1',
    session_id: sessionId,
    identity,
    queue,
    runs: runs.map((run) => runState(run, history)),
  };
}

/** An earlier run is over, whatever its records say. */
export function stageIn({ runs }: Pick<History, 'runs'>, run: Run): SharedRunStage {
  return run === runs.at(-1) ? stageOf(run) : 'finished';
}

/** What is to be done next, and what it concerns. */
export function next(history: History): Pick<SessionState, 'next_operation' | 'on'> {
  const run = history.runs.at(-1);
  if (run === undefined) return { next_operation: 'none', on: null };
  const operation = operations[stageOf(run)];
  if (operation === 'none') return drain(history, run);
  const [awaiting] = run.awaiting;
  return { next_operation: operation, on: operation === 'approve' ? (awaiting?.key ?? null) : run.id };
}

function drain(history: History, { finished }: Run): Pick<SessionState, 'next_operation' | 'on'> {
  const [first] = waitingIn(history);
  const mayDrain = ['completed', 'cancelled', 'max_steps'].includes(finished?.reason ?? '');
  if (first === undefined || !mayDrain) return { next_operation: 'none', on: null };
  return { next_operation: 'drain_queue', on: first.queued.submission_id };
}

function runState(run: Run, history: History): RunState {
  const stage = stageIn(history, run);
  return {
    ...{ run_id: run.id, episode: run.episode, stage, next_operation: operations[stage], reason: run.finished?.reason ?? null },
    ...{ cancel: cancelOf(run), model_leg: run.config.model_leg, detail: `The run is ${stage}.` },
    steps: run.lastFinished?.number ?? 0,
    calls: run.steps.flatMap(({ calls }) =>
      calls.map((call) => ({ key: call.key, tool_call_id: call.id, name: call.name, state: callStateOf(call) })),
    ),
  };
}

/** A cancel at the boundary may be escalated, never taken back. */
function cancelOf({ cancels }: Run): RunState['cancel'] {
  return cancels.some(({ at }) => at === 'now') ? 'now' : (cancels[0]?.at ?? null);
}

/** Without what is for people. */
export function compared({ runs, ...state }: SessionState): unknown {
  return { ...state, runs: runs.map(({ detail: _detail, ...run }) => run) };
}
