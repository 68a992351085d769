/**
 * What a whole response of the model means, from its status and its bytes alone: an assistant message, an error of the provider, or
 * nothing that can be used.
 *
 * Provider bytes are untrusted and nothing here throws. A message is an answer only if all that follows from it can be recorded: a call
 * that could not be written down could not be closed either.
 */
import { canonical } from '../../core/canonical.js';
import { isObject, parseObject } from '../../core/untrusted-json.js';
import { payloadCap } from './records.js';
import type { Assistant, ModelCall, Usage } from './vocabulary.js';

export type ModelAnswer =
  | { result: 'answer'; assistant: Assistant; usage: Usage | null; detail: null }
  | { result: 'provider_error' | 'uninterpretable'; assistant: null; usage: null; detail: string };

const toolCallId = /^[A-Za-z0-9_.:-]{1,128}$/;
/** What a record holds beside the message, at the most. */
const recordFrame = 1024;

export function interpretAnswer(status: number, bytes: Uint8Array): ModelAnswer {
  if (status !== 200) return failure('provider_error', String(status));
  const top = parseObject(bytes);
  if (top === null) return failure('uninterpretable', 'the body is not a JSON object in UTF-8');
  if (Object.hasOwn(top, 'error')) return failure('provider_error', errorText(top['error']));
  const choices = top['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(first) || !isObject(first['message']))
    return failure('uninterpretable', 'there is no first choice with a message');
  if (typeof first['finish_reason'] !== 'string') return failure('uninterpretable', 'there is no finish reason');
  const assistant = assistantOf(first['message']);
  if (typeof assistant === 'string') return failure('uninterpretable', assistant);
  return { result: 'answer', assistant, usage: usageOf(top['usage']), detail: null };
}

/** The message, or what is wrong with it. */
function assistantOf(message: Record<string, unknown>): Assistant | string {
  const calls = callsOf(message['tool_calls'] ?? []);
  if (typeof calls === 'string') return calls;
  const content = textOf(message['content']);
  if (content === undefined) return 'the content is no text';
  const text = content === '' ? null : content;
  if (text === null && calls.length === 0) return 'the message has no text and no calls';
  const assistant: Assistant = { text, tool_calls: calls };
  return recordProblem(assistant) ?? assistant;
}

/** The text of a message: a string, or a list of text parts; null where it has none; undefined where it is something else. */
function textOf(content: unknown): string | null | undefined {
  if (content === undefined || content === null) return null;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const isText = (part: unknown): part is { text: string } =>
    isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';
  return content.every(isText) ? content.map(({ text }) => text).join('') : undefined;
}

function callsOf(list: unknown): ModelCall[] | string {
  if (!Array.isArray(list)) return 'the tool calls are no list';
  const calls: ModelCall[] = [];
  const ids = new Set<string>();
  for (const item of list as unknown[]) {
    const called = isObject(item) ? item['function'] : undefined;
    if (!isObject(item) || !isObject(called)) return 'a tool call names no function';
    const { id } = item;
    const { name, arguments: text } = called;
    if (typeof id !== 'string' || !toolCallId.test(id)) return 'a tool call has an id that is none';
    if (ids.has(id)) return 'two tool calls have one id';
    if (typeof name !== 'string' || name === '' || typeof text !== 'string') return 'a tool call has no name or no arguments';
    ids.add(id);
    calls.push({ id, name, arguments: text });
  }
  return calls;
}

/** Why a message could not be recorded, or the plan of its calls could not; null where both can. */
function recordProblem(assistant: Assistant): string | null {
  const strings = [assistant.text ?? '', ...assistant.tool_calls.flatMap(({ name, arguments: text }) => [name, text])];
  if (!strings.every((text) => text.isWellFormed())) return 'the text is not well-formed Unicode';
  const plan = assistant.tool_calls.map(({ id, name }) => ({
    name,
    plan: 'no_dispatch',
    reason: 'invalid_arguments',
    tool_call_id: id,
  }));
  const fits = (value: object, type: 'model_step_finished' | 'tool_batch_started'): boolean =>
    Buffer.byteLength(canonical(value)) <= payloadCap(type) - recordFrame;
  return fits(assistant, 'model_step_finished') && fits(plan, 'tool_batch_started')
    ? null
    : 'the message is larger than a record may be';
}

/** Null where the provider says nothing that can be recorded. */
function usageOf(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return isCount(input) && isCount(output) ? { input_tokens: input, output_tokens: output } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0);
}

function failure(result: 'provider_error' | 'uninterpretable', detail: string): ModelAnswer {
  return { result, assistant: null, usage: null, detail };
}

function errorText(error: unknown): string {
  const text = isObject(error) && typeof error['message'] === 'string' ? error['message'] : 'an error inside a 200';
  // Cut first: the cut itself may halve a pair, and a detail with half a pair could not be recorded.
  return text.slice(0, 500).toWellFormed() || 'an error inside a 200';
}
