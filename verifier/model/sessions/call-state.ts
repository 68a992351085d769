/** In which state one call is: the rows of the contract, in its order; the first that fits. Pure. */
import type { SharedCallState } from '../../contract/types.js';
import { decisionOn, toolOf, type Planned } from './batch-plan.js';
import type { At, Call, RunConfig } from './history.js';

type Result = At<'tool_result'>;

/** Its terminal where it has one: an outcome that is known stands before an unknown one. */
export function terminalOf({ results, noDispatches }: Call): Result | At<'tool_no_dispatch'> | null {
  return results.find(({ outcome }) => outcome !== 'unknown') ?? results[0] ?? noDispatches[0] ?? null;
}

/** Its line in the plan of its batch. */
export function planOf({ id, step }: Call): Planned | undefined {
  return step.batch?.started.planned[step.batch.places.get(id) ?? -1];
}

export function callStateOf(call: Call): SharedCallState {
  const terminal = terminalOf(call);
  if (terminal !== null) return 'outcome' in terminal ? terminal.outcome : 'no_dispatch';
  const plan = planOf(call);
  if (plan === undefined) return stateWithoutBatch(call);
  if (call.intents.length > 0) return isHeldSuccessor(call) ? 'held_successor' : 'indeterminate';
  return plan.plan === 'no_dispatch' ? 'never_dispatchable' : 'never_left';
}

function stateWithoutBatch(call: Call): SharedCallState {
  return decisionOn(call) ?? (call.approvals.length > 0 ? 'awaiting_approval' : 'pending');
}

/** A sequential batch sends a call only after those planned before it: behind one that was closed out nothing was sent. */
function isHeldSuccessor({ id, step: { batch, calls } }: Call): boolean {
  if (batch?.started.mode !== 'sequential') return false;
  const place = batch.places.get(id) ?? -1;
  return calls.some((call) => (batch.places.get(call.id) ?? place) < place && isClosedOut(call));
}

function isClosedOut(call: Call): boolean {
  const terminal = terminalOf(call);
  return terminal !== null && 'outcome' in terminal && (terminal.outcome === 'interrupted' || terminal.outcome === 'max_steps');
}

/** Whether a run may go on although nobody knows what came of this call: only where its tool says so and repeating it does no harm. */
export function mayGoOn({ name }: Pick<Call, 'name'>, config: Pick<RunConfig, 'tools'>): boolean {
  const tool = toolOf(config, name);
  return tool?.on_unknown === 'continue' && (tool.safety === 'idempotent' || tool.safety === 'pure');
}
