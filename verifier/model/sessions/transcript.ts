/**
 * What a model request of a session shows, written from the contract: the conversation as the log up to the watermark of its step has it.
 * Turns are whole or absent: a step with calls is there once its batch is finished, and a steer never stands between a call and its
 * result.
 */
import type { AssistantCall, History, Run, Step } from './history.js';
import { resultText } from './texts.js';

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly RenderedCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string };

export interface RenderedCall {
  readonly function: { readonly arguments: string; readonly name: string };
  readonly id: string;
  readonly type: 'function';
}

/** Of the request of a step. */
export function transcriptOf({ runs }: Pick<History, 'runs'>, { run, watermark }: Step): Message[] {
  const messages: Message[] = [{ content: run.config.system, role: 'system' }];
  for (const one of runs.slice(0, run.episode)) {
    for (const message of messagesOf(one, watermark)) append(messages, message);
  }
  return messages;
}

/** Adjacent user texts are one turn. */
function append(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  if (last?.role === 'user' && message.role === 'user')
    messages.splice(-1, 1, { content: `${last.content}\n\n${message.content}`, role: 'user' });
  else messages.push(message);
}

function* messagesOf({ seq, started, steps, steers }: Run, watermark: number): Iterable<Message> {
  if (seq > watermark) return;
  yield userSays(started.input.text);
  const visible = steers.filter(({ steered }) => steered.seq <= watermark);
  let next = 0;
  for (const step of steps) {
    for (; visible[next]?.before === step; next += 1) yield userSays(visible[next]?.steered.input.text ?? '');
    yield* turnOf(step, watermark);
  }
  for (const { steered } of visible.slice(next)) yield userSays(steered.input.text);
}

function userSays(content: string): Message {
  return { content, role: 'user' };
}

function* turnOf({ finished, calls, batch }: Step, watermark: number): Iterable<Message> {
  if (finished === undefined || finished.seq > watermark) return;
  const { text } = finished.assistant;
  if (calls.length === 0) {
    yield { content: text, role: 'assistant' };
    return;
  }
  if (batch?.finished === undefined || batch.finished.seq > watermark) return;
  yield { content: text, role: 'assistant', tool_calls: calls.map(rendered) };
  for (const call of calls) {
    const content = resultText(call);
    if (content !== null) yield { content, role: 'tool', tool_call_id: call.id };
  }
}

function rendered({ id, name, arguments: text }: AssistantCall): RenderedCall {
  return { function: { arguments: text, name }, id, type: 'function' };
}
