/**
 * The interpreter `chat-completions`, versions 1 and 2: what a whole response means, from its status and its preserved bytes alone.
 *
 * Provider bytes are untrusted. A 200 with an error inside, an empty body, HTML, a missing finish reason: none of them is an
 * answer, and none of them throws. Version 2 differs in one thing: a text that comes in parts is an answer too. A version is never edited:
 * what a recorded interpretation says must be found again.
 */
import { isObject, parseObject } from '../../core/untrusted-json.js';

export const interpreterVersions = [1, 2] as const;
export type InterpreterVersion = (typeof interpreterVersions)[number];

/** As a manifest or an interpretation names it. */
export function interpreter(version: InterpreterVersion) {
  return { name: 'chat-completions', version };
}

/** The version that a recorded interpreter is here, or null where this program has none. */
export function knownVersion({ name, version }: { name: string; version: number }): InterpreterVersion | null {
  return name === 'chat-completions' ? (interpreterVersions.find((known) => known === version) ?? null) : null;
}

export type Interpretation =
  | { result: 'answer'; text: string; finishReason: string; detail: null }
  | { result: 'provider_error' | 'uninterpretable'; text: null; finishReason: null; detail: string };

export function interpret(status: number, bytes: Uint8Array, version: InterpreterVersion): Interpretation {
  if (status !== 200) return failure('provider_error', String(status));
  const top = parseObject(bytes);
  if (top === null) return failure('uninterpretable', 'the body is not a JSON object in UTF-8');
  if (Object.hasOwn(top, 'error')) return failure('provider_error', errorText(top['error']));
  const choices = top['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(first) || !isObject(first['message']))
    return failure('uninterpretable', 'there is no first choice with a message');
  const content = textOf(first['message']['content'], version);
  const finishReason = first['finish_reason'];
  if (content === null) return failure('uninterpretable', 'the message has no text');
  if (typeof finishReason !== 'string') return failure('uninterpretable', 'there is no finish reason');
  if (!content.isWellFormed() || !finishReason.isWellFormed())
    return failure('uninterpretable', 'the text is not well-formed Unicode');
  return { result: 'answer', text: content, finishReason, detail: null };
}

/** The text of a message: a string, or in version 2 a list of text parts. */
function textOf(content: unknown, version: InterpreterVersion): string | null {
  if (typeof content === 'string') return content;
  if (version === 1 || !Array.isArray(content) || content.length === 0) return null;
  const isText = (part: unknown): part is { text: string } =>
    isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';
  return content.every(isText) ? content.map(({ text }) => text).join('') : null;
}

function failure(result: 'provider_error' | 'uninterpretable', detail: string): Interpretation {
  return { result, text: null, finishReason: null, detail };
}

function errorText(error: unknown): string {
  const text = isObject(error) && typeof error['message'] === 'string' ? error['message'] : 'an error inside a 200';
  // Cut first: the cut itself may halve a pair, and a detail with half a pair could not be recorded.
  return text.slice(0, 500).toWellFormed() || 'an error inside a 200';
}
