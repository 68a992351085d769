/**
 * The OpenAI chat-completions wire, without streaming. Pure: bytes in, bytes out. An answer is a function of the effect, the
 * request body and what is scripted, and of nothing else, so that the first answer of a key can be made again from a receipt log.
 */
import { canonical, isWellFormed, sha256, utf8 } from '../core/canonical.js';
import type { Scripted } from './scripted.js';

export const chatCompletionsPath = '/v1/chat/completions';
export const chatCompletionsName = 'chat.completions';

export type ParsedRequest = { ok: true; model: string; messages: readonly unknown[] } | { ok: false; message: string };

export function parseChatRequest(body: Buffer): ParsedRequest {
  const text = utf8(body);
  if (text === null) return { ok: false, message: 'The body is not UTF-8.' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, message: 'The body is not JSON.' };
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { ok: false, message: 'The body is no JSON object.' };
  const { model, messages, stream } = value as { model?: unknown; messages?: unknown; stream?: unknown };
  if (typeof model !== 'string' || model === '' || !isWellFormed(model))
    return { ok: false, message: '"model" must be a string.' };
  if (!Array.isArray(messages) || messages.length === 0)
    return { ok: false, message: '"messages" must be a list with at least one message.' };
  if (stream === true) return { ok: false, message: 'Streaming is not served.' };
  return { ok: true, model, messages };
}

/** Without a scripted text the content is a sentence of the effect's own, or null where tools are asked for. */
export function chatAnswer(effectId: string, model: string, body: Buffer, { text, tool_calls }: Scripted = {}): Buffer {
  const sentence = `The answer of ${effectId} to the request ${sha256(body).slice(0, 16)}.`;
  const content = text ?? (tool_calls === undefined ? sentence : null);
  const calls = (tool_calls ?? []).map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }));
  const said = (content ?? '') + calls.map(({ function: { name, arguments: given } }) => name + given).join('');
  const prompt = Math.ceil(body.length / 4);
  const completion = Math.ceil(Buffer.byteLength(said) / 4);
  const message = { role: 'assistant', content, ...(tool_calls === undefined ? {} : { tool_calls: calls }) };
  return Buffer.from(
    canonical({
      id: `chatcmpl-${effectId}`,
      object: 'chat.completion',
      created: 0,
      model,
      choices: [{ index: 0, message, finish_reason: tool_calls === undefined ? 'stop' : 'tool_calls' }],
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    }),
  );
}
