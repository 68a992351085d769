/**
 * How the calls of a step may be planned, decided before anything is dispatched: the first reason not to dispatch that fits, by the frozen
 * configuration, by what the model wrote and by what a person decided. Pure.
 */
import { sessionLogV1 } from '../../contract/data.js';
import type { ToolBatchStarted } from '../../contract/types.js';
import { parseJson } from '../../read/canonical.js';
import { isObject, parsed } from '../values.js';
import type { AssistantCall, Call, RunConfig, Tool } from './history.js';

export type Planned = ToolBatchStarted['planned'][number];
type Reason = NonNullable<Planned['reason']>;
type Config = Pick<RunConfig, 'tools'>;

export function toolOf({ tools }: Config, name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}

/** The reasons that follow from configuration and call alone, in their order; null where none fits. */
export function reasonNotToDispatch(call: AssistantCall, config: Config): Reason | null {
  const tool = toolOf(config, call.name);
  if (tool === undefined) return 'unknown_tool';
  if (tool.approval === 'blocked') return 'policy_blocked';
  if (Buffer.byteLength(call.arguments) > sessionLogV1.arguments_cap) return 'oversized';
  return argumentsFit(call.arguments, tool) ? null : 'invalid_arguments';
}

/** A JSON object with the required members, each of its type, and no other. */
export function argumentsFit(text: string, { arguments: wanted }: Pick<Tool, 'arguments'>): boolean {
  const value = parsed(() => parseJson(text));
  if (!isObject(value)) return false;
  const isThere = ({ name, type, required }: Tool['arguments'][number]): boolean =>
    Object.hasOwn(value, name) ? isOfType(value[name], type) : !required;
  return wanted.every(isThere) && Object.keys(value).every((name) => wanted.some((one) => one.name === name));
}

function isOfType(value: unknown, type: Tool['arguments'][number]['type']): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
}

/** Whether a person is asked before it is dispatched; of a call that is dispatched by no plan nobody is asked. */
export function needsApproval(call: AssistantCall, config: Config): boolean {
  return toolOf(config, call.name)?.approval === 'required' && reasonNotToDispatch(call, config) === null;
}

/** What was decided about a call: its first answer. */
export function decisionOn({ answers }: Pick<Call, 'answers'>): 'approved' | 'denied' | null {
  return answers[0]?.decision ?? null;
}

/**
 * Every plan that a call may have. Whether a tool was `unavailable` (no provider, no program) only the process could see, so where no
 * reason before it fits, that may be. A plan to dispatch is no dispatch: what needs an approval is held against its intent.
 */
export function lawfulPlans(call: AssistantCall & Pick<Call, 'answers'>, config: Config): Pick<Planned, 'plan' | 'reason'>[] {
  const not = (reason: Reason): Pick<Planned, 'plan' | 'reason'> => ({ plan: 'no_dispatch', reason });
  const reason = reasonNotToDispatch(call, config);
  if (reason !== null) return [not(reason)];
  const last = decisionOn(call) === 'denied' ? not('denied') : ({ plan: 'dispatch', reason: null } as const);
  return [last, not('unavailable')];
}
