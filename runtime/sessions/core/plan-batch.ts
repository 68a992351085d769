/**
 * The durable plan of the calls of one step: which are dispatched, and why the others never are.
 *
 * Pure: what only the moment knows (is the tool there, what did a person answer) comes in as arguments and goes into the plan, so that a
 * replay follows the plan and asks nobody again.
 */
import { sessionLogV1 } from '../../contract/data.js';
import { canonicalString } from '../../core/canonical.js';
import { argumentsProblem } from './arguments.js';
import { payloadCap } from './records.js';
import type { Step } from './run.js';
import type { Assistant, Decision, ModelCall, NoDispatchReason, Planned, RunConfig, Tool } from './vocabulary.js';

export interface Circumstances {
  /** Whether there is anything that could take a call of this tool: a provider URL, a program. */
  available: (tool: Tool) => boolean;
  /** What was answered so far, by `tool_call_id`. */
  decisions: ReadonlyMap<string, Decision>;
}

/** What an intent holds beside the arguments, at the most. */
const intentFrame = 1024;

/**
 * One for each call, in the order of the answer. A call that waits for an answer is planned as `dispatch`: ask `unanswered` before
 * anything is dispatched.
 */
export function planCalls(assistant: Assistant, config: RunConfig, circumstances: Circumstances): Planned[] {
  return assistant.tool_calls.map((call) => {
    const reason = reasonAgainst(call, config, circumstances);
    return { tool_call_id: call.id, name: call.name, plan: reason === null ? 'dispatch' : 'no_dispatch', reason };
  });
}

/** Ids of the calls that would be dispatched and have no answer yet, in order, whether they were asked about or not. */
export function unanswered(assistant: Assistant, config: RunConfig, circumstances: Circumstances): string[] {
  const needAnswer = new Set(config.tools.filter(({ approval }) => approval === 'required').map(({ name }) => name));
  return planCalls(assistant, config, circumstances)
    .filter(({ plan, name, tool_call_id: id }) => plan === 'dispatch' && needAnswer.has(name) && !circumstances.decisions.has(id))
    .map(({ tool_call_id: id }) => id);
}

/** The answers that are on record for the calls of a step. */
export function decisionsOf({ calls }: Step): Map<string, Decision> {
  return new Map(
    calls.flatMap(({ call, approval }) => (approval?.answer == null ? [] : [[call.id, approval.answer.decision] as const])),
  );
}

/** The first that fits, in the order of the contract; null where the call may be dispatched. */
function reasonAgainst(call: ModelCall, { tools }: RunConfig, { available, decisions }: Circumstances): NoDispatchReason | null {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return 'unknown_tool';
  if (tool.approval === 'blocked') return 'policy_blocked';
  if (isOversized(call.arguments)) return 'oversized';
  if (argumentsProblem(call.arguments, tool.arguments) !== null) return 'invalid_arguments';
  if (!available(tool)) return 'unavailable';
  return decisions.get(call.id) === 'denied' ? 'denied' : null;
}

/** Over their cap, or such that their intent would be over its own: escaping may double them. */
function isOversized(text: string): boolean {
  if (Buffer.byteLength(text) > sessionLogV1.arguments_cap) return true;
  return Buffer.byteLength(canonicalString(text)) > payloadCap('tool_dispatch_intent') - intentFrame;
}
