/**
 * The verifier's own reading of a chat answer that may ask for tools: what does a response of this status and these bytes mean to a session?
 * `chat-completions` version 2 as calls have it, but that an answer may have `tool_calls`, and then no text; one with neither is none. Pure.
 */
import { decodeUtf8, parseJson } from '../../read/canonical.js';
import { interpret } from '../interpreter.js';
import { isObject, memberOf, parsed } from '../values.js';
import type { Assistant, AssistantCall } from './history.js';

export type ChatMeaning =
  | { readonly result: 'answer'; readonly assistant: Assistant }
  | { readonly result: 'provider_error' | 'uninterpretable'; readonly assistant: null };

const callId = /^[A-Za-z0-9_.:-]{1,128}$/;

export function interpretChat(status: number | null, bytes: Uint8Array): ChatMeaning {
  const asked = status === 200 ? askedIn(bytes) : undefined;
  if (asked === undefined || asked.length === 0) return withoutCalls(status, bytes);
  const { content, calls, reason } = { ...messageIn(bytes), calls: asked.map(callIn) };
  const isText = content === null || isWellFormed(content);
  return isText && isWellFormed(reason) && areCalls(calls)
    ? { result: 'answer', assistant: assistantOf(content, calls) }
    : { result: 'uninterpretable', assistant: null };
}

/** An empty text is none. */
export function assistantOf(text: string | null, calls: readonly AssistantCall[]): Assistant {
  return { text: text === '' ? null : text, tool_calls: [...calls] };
}

function withoutCalls(status: number | null, bytes: Uint8Array): ChatMeaning {
  const { result, text } = interpret(status, bytes, 2);
  if (result !== 'answer') return { result, assistant: null };
  // No provider would take it back.
  if (text === '') return { result: 'uninterpretable', assistant: null };
  return { result, assistant: assistantOf(text, []) };
}

/** The calls that a message asks for, as they stand there; undefined where it asks for none, or an error stands beside it. */
function askedIn(bytes: Uint8Array): readonly unknown[] | undefined {
  const { calls } = messageIn(bytes);
  if (calls === undefined || calls === null) return undefined;
  return Array.isArray(calls) ? calls : [null];
}

function messageIn(bytes: Uint8Array): { content: unknown; calls: unknown; reason: unknown } {
  const top = parsed(() => parseJson(decodeUtf8(bytes)));
  const choices = isObject(top) && !Object.hasOwn(top, 'error') ? top.choices : undefined;
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = memberOf(first, 'message');
  return {
    content: memberOf(message, 'content'),
    calls: memberOf(message, 'tool_calls'),
    reason: memberOf(first, 'finish_reason'),
  };
}

function callIn(value: unknown): AssistantCall | null {
  const id = memberOf(value, 'id');
  const called = memberOf(value, 'function');
  const [name, text] = [memberOf(called, 'name'), memberOf(called, 'arguments')];
  const isCall = isWellFormed(id) && isWellFormed(name) && isWellFormed(text);
  return isCall && callId.test(id) && name !== '' ? { id, name, arguments: text } : null;
}

/** Each is one, and no two have the same id. */
function areCalls(calls: readonly (AssistantCall | null)[]): calls is readonly AssistantCall[] {
  return calls.every((call) => call !== null) && new Set(calls.map((call) => call?.id)).size === calls.length;
}

/** A string that UTF-8 can hold. */
function isWellFormed(value: unknown): value is string {
  return typeof value === 'string' && !/\p{Surrogate}/u.test(value);
}
