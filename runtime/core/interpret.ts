/**
 * The interpreter `chat-completions` version 1: what a whole response means, from its status and its preserved bytes alone.
 *
 * Provider bytes are untrusted. A 200 with an error inside, an empty body, HTML, a missing finish reason: none of them is an
 * answer, and none of them throws.
 */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const interpreter = { name: 'chat-completions', version: 1 } as const;

export type Interpretation =
  | { result: 'answer'; text: string; finishReason: string; detail: null }
  | { result: 'provider_error' | 'uninterpretable'; text: null; finishReason: null; detail: string };

export function interpret(status: number, bytes: Uint8Array): Interpretation {
  if (status !== 200) return failure('provider_error', String(status));
  const top = parseObject(bytes);
  if (top === null) return failure('uninterpretable', 'the body is not a JSON object in UTF-8');
  if (Object.hasOwn(top, 'error')) return failure('provider_error', errorText(top['error']));
  const choices = top['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(first) || !isObject(first['message']))
    return failure('uninterpretable', 'there is no first choice with a message');
  const content = first['message']['content'];
  const finishReason = first['finish_reason'];
  if (typeof content !== 'string') return failure('uninterpretable', 'the message has no text');
  if (typeof finishReason !== 'string') return failure('uninterpretable', 'there is no finish reason');
  if (!content.isWellFormed() || !finishReason.isWellFormed())
    return failure('uninterpretable', 'the text is not well-formed Unicode');
  return { result: 'answer', text: content, finishReason, detail: null };
}

function failure(result: 'provider_error' | 'uninterpretable', detail: string): Interpretation {
  return { result, text: null, finishReason: null, detail };
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function errorText(error: unknown): string {
  const text = isObject(error) && typeof error['message'] === 'string' ? error['message'] : 'an error inside a 200';
  // Cut first: the cut itself may halve a pair, and a detail with half a pair could not be recorded.
  return text.slice(0, 500).toWellFormed() || 'an error inside a 200';
}
