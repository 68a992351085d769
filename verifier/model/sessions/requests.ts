/** Requests of a session as the provider received them: model steps and tools told apart by their path, and what a tool must be sent. Pure. */
import type { Received } from '../../read/receipts.js';
import { canonical } from '../../read/canonical.js';
import { textSha256 } from '../../read/hash.js';
import type { Call, History, Step } from './history.js';
import { modelKeyIn } from './keys.js';
import { toolOf } from './batch-plan.js';

export type RequestKind = 'model' | 'tool';

/** Null for what is neither. */
export function requestKind({ path }: Pick<Received, 'path'>): RequestKind | null {
  const pathname = path.split('?', 1)[0] ?? '';
  if (pathname === '/v1/chat/completions') return 'model';
  return pathname.startsWith('/effects/') ? 'tool' : null;
}

export interface RequestCount {
  readonly model_requests: number;
  readonly tool_requests: number;
}

export function countRequests(requests: readonly { readonly received: Pick<Received, 'path'> }[]): RequestCount {
  const kinds = requests.map(({ received }) => requestKind(received));
  const count = (kind: RequestKind): number => kinds.filter((one) => one === kind).length;
  return { model_requests: count('model'), tool_requests: count('tool') };
}

/** The step that a model request was made for, with the number of the attempt; null where no step has this key. */
export function stepOfKey(history: History, key: string | null): { readonly step: Step; readonly attempt: number } | null {
  const named = modelKeyIn(key);
  const step = named === null ? undefined : history.stepsById.get(named.stepId);
  if (named === null || step?.run.id !== named.runId || history.sessionId !== named.sessionId) return null;
  return { step, attempt: named.attempt };
}

/** The call that a tool request was made for; only an intent makes it lawful. */
export function callOfKey({ callsByKey }: History, key: string | null): Call | null {
  return callsByKey.get(key ?? '') ?? null;
}

/** The exact text that an HTTP tool is sent and a command finds on its standard input. */
export function toolRequestText({ name, arguments: text }: Pick<Call, 'name' | 'arguments'>): string {
  return canonical({ arguments: text, tool: name });
}

export interface ToolRequest {
  readonly path: string;
  readonly key: string;
  readonly sha256: string;
}

/** Where and how an HTTP tool is asked; null for a command, and for a tool that the configuration does not have. */
export function toolRequestOf(call: Call): ToolRequest | null {
  const tool = toolOf(call.step.run.config, call.name);
  if (tool?.kind !== 'http' || tool.effect === null) return null;
  return { path: `/effects/${tool.effect}`, key: call.key, sha256: textSha256(toolRequestText(call)) };
}
