/** How to derive the predicted members that only a session has. */
import { countRequests } from '../../model/sessions/requests.js';
import { sessionStateOf } from '../../model/sessions/session-state.js';
import type { Snapshot } from '../../read/bundle.js';
import { need } from '../check.js';
import type { Derivation, ModelMember } from '../subject-model.js';
import { historyIn } from './derived.js';

export const derive = {
  model_requests: (snapshot) => countRequests(need(snapshot.receipts).requests).model_requests,
  tool_requests: (snapshot) => countRequests(need(snapshot.receipts).requests).tool_requests,
  session(snapshot, { session }) {
    const state = sessionStateOf(historyIn(snapshot));
    if (state === null || session === undefined) return null;
    const { next_operation, queue, runs } = state;
    return {
      next_operation,
      ...(session.queue === undefined ? {} : { queue: queue.map(({ submission_id: id }) => id) }),
      runs: runs.map(({ run_id, stage, next_operation: next, reason, calls }, index) => ({
        ...{ run_id, stage, next_operation: next, reason },
        ...(session.runs[index]?.calls === undefined
          ? {}
          : { calls: calls.map(({ tool_call_id, state: own }) => ({ tool_call_id, state: own })) }),
      })),
    };
  },
  session_refusal(snapshot: Snapshot) {
    const given = need(snapshot.answer).session_refusal;
    if (given === undefined) return null;
    const { reason, operation, drift } = given;
    return { reason, operation, drift };
  },
} satisfies Partial<Record<ModelMember, Derivation>>;
