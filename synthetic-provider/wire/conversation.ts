/**
 * Which conversations a strict prefix refuses. Pure: the messages of a chat completions request in, the first rule that they break out.
 *
 * A message with the role `system` or `developer` is system text and no turn, wherever it stands; every other message is a turn. Members
 * that no rule names are not looked at, and neither is what lies inside a part. No sentence quotes a message: what a client sends may be
 * text that has no bytes.
 *
 * What is known of real providers: Anthropic refuses a `tool_use` without its `tool_result`; OpenAI refuses an assistant message with
 * `tool_calls` that tool messages do not follow; and public bug reports, which name no provider, tell of 400 for a result without its call
 * and for two user messages in a row. The other rules, and the exact borders of these, are this program's own: it does not claim that any
 * provider has them, or that none has more.
 */
const sentences = {
  message: 'A message must be an object with the role system, developer, user, assistant or tool.',
  content:
    "The content must be a string or a list of one or more parts; that of a user must not be empty, and only an assistant's may be null or left out.",
  tool_calls:
    '"tool_calls" must be a list of one or more calls, each with an "id", the type "function", and a "function" that has a "name" and "arguments".',
  silent_assistant: 'An assistant message must have a text or tool calls.',
  repeated_call: 'The tool calls of one message must have different ids.',
  result_without_call:
    'A tool message must answer a call of the assistant message before it, with nothing but other results between them.',
  repeated_result: 'A tool call must have one result only.',
  call_without_result: 'Each tool call must have its result in the tool messages directly after its message.',
  beginning: 'The first turn must be that of a user.',
  two_users: 'Two user turns must not follow each other.',
  end: 'The last turn must not be that of an assistant.',
} as const;

export type Rule = keyof typeof sentences;
export const rules = Object.keys(sentences) as Rule[];

export interface Fault {
  readonly rule: Rule;
  /** The place of the message that breaks it. */
  readonly at: number;
}

export function sentenceOf({ rule, at }: Fault): string {
  return `messages[${at}]: ${sentences[rule]}`;
}

/** Null: a strict prefix takes it. */
export function conversationFault(messages: readonly unknown[]): Fault | null {
  let calls = callsOf([], -1);
  let last: 'user' | 'assistant' | 'tool' | null = null;
  for (const [at, message] of messages.entries()) {
    const malformed = malformation(message);
    if (malformed !== null) return { rule: malformed, at };
    const { role, tool_call_id } = message as Message;
    if (role === 'tool') {
      if (calls.answered.has(tool_call_id)) return { rule: 'repeated_result', at };
      if (!calls.open.delete(tool_call_id)) return { rule: 'result_without_call', at };
      calls.answered.add(tool_call_id);
    } else {
      if (calls.open.size > 0) return { rule: 'call_without_result', at: calls.at };
      const ids = idsOf(message as Message);
      calls = callsOf(ids, at);
      if (calls.open.size < ids.length) return { rule: 'repeated_call', at };
    }
    if (role === 'system' || role === 'developer') continue;
    if (last === null && role !== 'user') return { rule: 'beginning', at };
    if (last === 'user' && role === 'user') return { rule: 'two_users', at };
    last = role;
  }
  if (calls.open.size > 0) return { rule: 'call_without_result', at: calls.at };
  if (last === null) return { rule: 'beginning', at: messages.length - 1 };
  return last === 'assistant' ? { rule: 'end', at: messages.length - 1 } : null;
}

interface Message {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
}

/** The calls of the last message that is no result. */
interface Calls {
  readonly at: number;
  readonly open: Set<unknown>;
  readonly answered: Set<unknown>;
}

function callsOf(ids: readonly unknown[], at: number): Calls {
  return { at, open: new Set(ids), answered: new Set() };
}

function idsOf({ role, tool_calls }: Message): unknown[] {
  return role === 'assistant' && Array.isArray(tool_calls) ? tool_calls.map(({ id }: { id: unknown }) => id) : [];
}

/** What is wrong with a message, whatever stands around it. */
function malformation(message: unknown): Rule | null {
  if (!isObject(message)) return 'message';
  const { role, content, tool_calls } = message;
  const isEmpty = content === '';
  switch (role) {
    case 'system':
    case 'developer':
    case 'tool':
      return isContent(content) ? null : 'content';
    case 'user':
      return isContent(content) && !isEmpty ? null : 'content';
    case 'assistant': {
      const isSilent = content === null || content === undefined;
      if (!isSilent && !isContent(content)) return 'content';
      const asks = tool_calls !== null && tool_calls !== undefined;
      if (asks && !(isFilledList(tool_calls) && tool_calls.every(isCall))) return 'tool_calls';
      return (isSilent || isEmpty) && !asks ? 'silent_assistant' : null;
    }
    default:
      return 'message';
  }
}

function isContent(value: unknown): boolean {
  return (
    typeof value === 'string' || (isFilledList(value) && value.every((part) => isObject(part) && typeof part.type === 'string'))
  );
}

function isCall(value: unknown): boolean {
  if (!isObject(value) || value.type !== 'function' || !isObject(value.function)) return false;
  const { name, arguments: given } = value.function;
  return isFilledText(value.id) && isFilledText(name) && typeof given === 'string';
}

function isFilledText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isFilledList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
