/**
 * A real HTTP server that is as strict as a chat provider, and counts what it was asked.
 *
 * It answers a conversation by what is in it and not by when it comes, so that a request that is made again after a crash gets the same
 * answer. Effects are counted by key.
 */
import * as http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface Message {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface Reply {
  /** The whole body, instead of an answer. */
  raw?: string;
  text?: string | null;
  calls?: { id: string; name: string; arguments?: string }[];
}

export interface Received {
  path: string;
  key: string;
  body: string;
  status: number;
}

export interface StrictProvider {
  url: string;
  received: Received[];
  /** Requests that a strict provider refuses: there should be none. */
  refused: () => string[];
  /** How often each key was asked for, models and tools apart. */
  modelKeys: () => Record<string, number>;
  toolKeys: () => Record<string, number>;
  conversations: () => Message[][];
  /** Rejects where it was asked something that a strict provider refuses. */
  close: () => Promise<void>;
}

/** No answer, ever; and a connection that is reset. */
export const hang = { ends: 'hang' } as const;
export const cut = { ends: 'cut' } as const;
export type NoAnswer = typeof hang | typeof cut;

export interface Behaviours {
  /** What the model says to a conversation, or a status; `turn` counts the assistant messages in it. */
  model: (conversation: Message[], turn: number) => Reply | NoAnswer | number;
  /** What an effect answers; by default its name. */
  effect?: (name: string, body: string, key: string) => string | NoAnswer | Promise<string | NoAnswer>;
}

export async function startStrictProvider({ model, effect = (name) => `${name} done` }: Behaviours): Promise<StrictProvider> {
  const received: Received[] = [];
  const refused: string[] = [];
  const server = http.createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += (chunk as Buffer).toString('utf8');
      const path = (request.url ?? '').replace(/^\/p\/token/, '');
      const seen: Received = { path, key: String(request.headers['idempotency-key'] ?? ''), body, status: 0 };
      received.push(seen);
      const isModel = path === '/v1/chat/completions';
      const conversation = isModel ? (JSON.parse(body) as { messages: Message[] }).messages : [];
      const problem = isModel ? strictProblem(conversation) : null;
      if (problem !== null) refused.push(problem);
      const said =
        problem !== null
          ? 400
          : isModel
            ? modelAnswer(model, conversation)
            : await effect(path.replace('/effects/', ''), body, seen.key);
      if (said === hang) return;
      if (said === cut) return void response.socket?.resetAndDestroy();
      const status = typeof said === 'number' ? said : 200;
      const text = typeof said === 'string' ? said : '';
      seen.status = status;
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const counted = (isModel: boolean): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { path, key } of received) if ((path === '/v1/chat/completions') === isModel) counts[key] = (counts[key] ?? 0) + 1;
    return counts;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/p/token`,
    received,
    refused: () => refused,
    modelKeys: () => counted(true),
    toolKeys: () => counted(false),
    conversations: () =>
      received
        .filter(({ path }) => path === '/v1/chat/completions')
        .map(({ body }) => (JSON.parse(body) as { messages: Message[] }).messages),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      if (refused.length > 0) throw new Error(`A strict provider would have refused: ${refused.join('; ')}`);
    },
  };
}

function modelAnswer(model: Behaviours['model'], conversation: Message[]): string | number | NoAnswer {
  const reply = model(conversation, conversation.filter(({ role }) => role === 'assistant').length);
  if (typeof reply !== 'object' || 'ends' in reply) return reply;
  if (reply.raw !== undefined) return reply.raw;
  const calls = (reply.calls ?? []).map(({ id, name, arguments: given = '{}' }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }));
  const message = { role: 'assistant', content: reply.text ?? null, ...(calls.length > 0 && { tool_calls: calls }) };
  return JSON.stringify({
    choices: [{ finish_reason: calls.length > 0 ? 'tool_calls' : 'stop', message }],
    usage: { prompt_tokens: 7, completion_tokens: 2 },
  });
}

/** Why a chat provider would answer 400; null where it would not. */
export function strictProblem(conversation: readonly Message[]): string | null {
  const turns = conversation.filter(({ role }, at) => !(role === 'system' && at === 0));
  if (turns[0]?.role !== 'user') return 'the conversation does not begin with a user';
  if (turns.at(-1)?.role === 'assistant') return 'the conversation ends with an assistant';
  for (const [at, turn] of turns.entries()) {
    const before = turns[at - 1];
    if (turn.role === 'user' && before?.role === 'user') return `two user turns in a row at ${at}`;
    if (turn.role !== 'assistant' || turn.tool_calls === undefined) continue;
    const results = turns.slice(at + 1, at + 1 + turn.tool_calls.length);
    const given = results.map(({ role, tool_call_id: id }) => (role === 'tool' ? id : null));
    if (turn.tool_calls.some(({ id }, index) => given[index] !== id))
      return `a call without its result directly after it at ${at}`;
  }
  const asked = new Set(turns.flatMap(({ tool_calls: calls }) => calls?.map(({ id }) => id) ?? []));
  const stray = turns.find(({ role, tool_call_id: id }) => role === 'tool' && !asked.has(id ?? ''));
  return stray === undefined ? null : 'a result without its call';
}
