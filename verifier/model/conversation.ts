/**
 * Which conversations a strict chat provider takes: the rules of the contract, one a row. What a provider with `strict` in its script must
 * refuse, and what no session may send. Looks into messages that nobody has vouched for; linear in their number. Pure.
 */
import { isObject, memberOf } from './values.js';

type Rule =
  | ('message' | 'content' | 'tool_calls' | 'silent_assistant' | 'repeated_call' | 'result_without_call')
  | ('repeated_result' | 'call_without_result' | 'beginning' | 'two_users' | 'end');

interface Row {
  readonly rule: Rule;
  /** What is wrong where it is not kept. */
  readonly says: string;
  keeps(conversation: Conversation): boolean;
}

interface Conversation {
  readonly messages: readonly unknown[];
  /** Roles of all that are turns. */
  readonly turns: readonly unknown[];
  readonly exchanges: readonly Exchange[];
}

/** A message that is no result, with those directly after it; one stands for what precedes every other message. */
interface Exchange {
  readonly calls: readonly unknown[];
  readonly results: readonly unknown[];
}

const rows: readonly Row[] = [
  { rule: 'message', says: 'A message has no role that is known.', keeps: ({ messages }) => messages.every(hasRole) },
  { rule: 'content', says: 'A message has a content that is none.', keeps: ({ messages }) => messages.every(hasContent) },
  { rule: 'tool_calls', says: 'An assistant has calls that are none.', keeps: ({ messages }) => messages.every(hasCalls) },
  {
    rule: 'silent_assistant',
    says: 'An assistant says nothing and asks for nothing.',
    keeps: ({ messages }) => !messages.some(isSilent),
  },
  {
    rule: 'repeated_call',
    says: 'Two calls of one message have one id.',
    keeps: ({ exchanges }) => exchanges.every(({ calls }) => areDistinct(calls)),
  },
  {
    rule: 'result_without_call',
    says: 'A result has no call directly before it.',
    keeps: ({ exchanges }) => exchanges.every(({ calls, results }) => contains(calls, results)),
  },
  {
    rule: 'repeated_result',
    says: 'A call has two results.',
    keeps: ({ exchanges }) => exchanges.every(({ results }) => areDistinct(results)),
  },
  {
    rule: 'call_without_result',
    says: 'A call has no result directly after it.',
    keeps: ({ exchanges }) => exchanges.every(({ calls, results }) => contains(results, calls)),
  },
  { rule: 'beginning', says: 'The conversation does not begin with a user.', keeps: ({ turns }) => turns[0] === 'user' },
  {
    rule: 'two_users',
    says: 'Two user turns follow each other.',
    keeps: ({ turns }) => !turns.some((role, at) => role === 'user' && turns[at - 1] === 'user'),
  },
  { rule: 'end', says: 'The conversation ends with an assistant.', keeps: ({ turns }) => turns.at(-1) !== 'assistant' },
];

/** The first rule that is broken; null where a strict provider takes the messages of a request. */
export function brokenRule(messages: unknown): Rule | null {
  return firstBroken(messages)?.rule ?? null;
}

/** The same as a sentence. */
export function conversationWrong(messages: unknown): string | null {
  return firstBroken(messages)?.says ?? null;
}

function firstBroken(messages: unknown): Row | undefined {
  // What is no list holds no message, so it has no beginning.
  const conversation = conversationOf(Array.isArray(messages) ? messages : []);
  return rows.find(({ keeps }) => !keeps(conversation));
}

const roles: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool'];

function roleOf(message: unknown): unknown {
  return memberOf(message, 'role');
}

function conversationOf(messages: readonly unknown[]): Conversation {
  const exchanges: { calls: readonly unknown[]; results: unknown[] }[] = [{ calls: [], results: [] }];
  for (const message of messages) {
    if (roleOf(message) === 'tool') exchanges.at(-1)?.results.push(memberOf(message, 'tool_call_id'));
    else exchanges.push({ calls: callsOf(message).map((call) => memberOf(call, 'id')), results: [] });
  }
  const turns = messages.map(roleOf).filter((role) => role !== 'system' && role !== 'developer');
  return { messages, turns, exchanges };
}

function hasRole(message: unknown): boolean {
  return isObject(message) && roles.includes(message.role);
}

function hasContent(message: unknown): boolean {
  const content = memberOf(message, 'content');
  const role = roleOf(message);
  if (content === null || content === undefined) return role === 'assistant';
  if (typeof content === 'string') return role !== 'user' || content !== '';
  return Array.isArray(content) && content.length > 0 && content.every((part) => typeof memberOf(part, 'type') === 'string');
}

function hasCalls(message: unknown): boolean {
  if (roleOf(message) !== 'assistant') return true;
  const calls = memberOf(message, 'tool_calls');
  return calls === null || calls === undefined || (Array.isArray(calls) && calls.length > 0 && calls.every(isCall));
}

function isCall(value: unknown): boolean {
  const called = memberOf(value, 'function');
  const isNamed = isFilled(memberOf(value, 'id')) && isFilled(memberOf(called, 'name'));
  return isNamed && memberOf(value, 'type') === 'function' && typeof memberOf(called, 'arguments') === 'string';
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function callsOf(message: unknown): readonly unknown[] {
  const calls = roleOf(message) === 'assistant' ? memberOf(message, 'tool_calls') : undefined;
  return Array.isArray(calls) ? calls : [];
}

function isSilent(message: unknown): boolean {
  const content = memberOf(message, 'content');
  const isEmpty = content === null || content === undefined || content === '';
  return roleOf(message) === 'assistant' && callsOf(message).length === 0 && isEmpty;
}

function areDistinct(ids: readonly unknown[]): boolean {
  return new Set(ids).size === ids.length;
}

function contains(ids: readonly unknown[], wanted: readonly unknown[]): boolean {
  const known = new Set(ids);
  return wanted.every((id) => known.has(id));
}
