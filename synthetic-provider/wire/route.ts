/**
 * From a request below a prefix to what it asks for: an effect with a name and a way to answer, or a refusal. Pure. A refused
 * request has no effect, whatever the script says. Where the prefix is strict, a conversation that breaks a rule is refused last.
 */
import { chatAnswer, chatCompletionsName, chatCompletionsPath, parseChatRequest } from './chat-completions.js';
import { conversationFault, sentenceOf } from './conversation.js';
import { refuse } from './errors.js';
import { effectAnswer, effectNameOf } from './named-effects.js';
import type { Body, Scripted } from './scripted.js';

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

export type Wire =
  | { kind: 'serve'; name: string; respond: (effectId: string, scripted?: Scripted) => Body }
  | { kind: 'refuse'; status: number; bytes: Buffer };

export function wireOf(request: WireRequest, isStrict = false): Wire {
  const pathname = request.path.split('?', 1)[0] as string;
  const effect = effectNameOf(pathname);
  if (pathname !== chatCompletionsPath && effect === null) return refuse(404, `Nothing is served at ${pathname}.`);
  if (request.method !== 'POST') return refuse(405, `${request.method} is not served at ${pathname}.`);
  if (effect !== null)
    return { kind: 'serve', name: effect, respond: (effectId, scripted) => effectAnswer(effectId, effect, scripted) };
  const parsed = parseChatRequest(request.body);
  if (!parsed.ok) return refuse(400, parsed.message);
  const fault = isStrict ? conversationFault(parsed.messages) : null;
  if (fault !== null) return refuse(400, sentenceOf(fault));
  const { model } = parsed;
  return {
    kind: 'serve',
    name: chatCompletionsName,
    respond: (effectId, scripted) => ({
      content_type: 'application/json',
      bytes: chatAnswer(effectId, model, request.body, scripted),
    }),
  };
}
