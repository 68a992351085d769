/** What a strict chat provider says about a request body: the first thing that it would refuse, or null. */
interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: { id: string }[];
  tool_call_id?: string;
}

export function conversationProblem(body: Buffer): string | null {
  const { messages } = JSON.parse(body.toString('utf8')) as { messages: Message[] };
  const [system, ...rest] = messages;
  if (system?.role !== 'system') return 'no system text first';
  if (rest[0]?.role !== 'user') return 'no user first';
  if (rest.at(-1)?.role === 'assistant') return 'an assistant last';
  let expected: string[] = [];
  for (const [at, { role, content, tool_calls: calls, tool_call_id: id }] of rest.entries()) {
    if (role === 'system') return 'a second system text';
    if (role === 'tool') {
      if (id === undefined || id !== expected[0]) return `a result without its call at ${at}`;
      expected = expected.slice(1);
      continue;
    }
    if (expected.length > 0) return `a call without its result at ${at}`;
    if (role === 'user' && rest[at - 1]?.role === 'user') return `two users in a row at ${at}`;
    if (role === 'assistant' && rest[at - 1]?.role === 'assistant') return `two assistants in a row at ${at}`;
    if (calls === undefined && content === null) return `a message without anything at ${at}`;
    if (calls?.length === 0) return `an empty list of calls at ${at}`;
    expected = calls?.map((call) => call.id) ?? [];
  }
  return expected.length > 0 ? 'a call without its result at the end' : null;
}
