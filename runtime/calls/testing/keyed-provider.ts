/** A provider over HTTP that answers calls, and questions about their keys, as a test says. */
import { answerText, respond, startProvider, type Behaviour, type TestProvider } from '../../testing/provider.js';

export interface KeyedProvider extends TestProvider {
  /** What is answered from now on. */
  now: { call: Behaviour; question: Behaviour };
  /** Requests of calls, and questions, as they were seen. */
  calls: () => { key: string; token: number; body: string }[];
  questions: () => string[];
}

const hash = (head: string): string => /^request-sha256: (\w+)/im.exec(head)?.[1] ?? '';
const told = (members: (sha256: string) => object, status = '200 OK'): Behaviour => {
  return (socket, request) => respond(JSON.stringify(members(hash(request.head))), status)(socket, request);
};

const response = { body: { data: answerText, encoding: 'utf8' }, content_type: 'application/json', status: 200 };

/** The answers to a question, by what they say. */
export const tells = {
  found: told((request_sha256) => ({ fenced: false, found: true, request_sha256, response })),
  foundWithoutResponse: told((request_sha256) => ({ fenced: false, found: true, request_sha256, response: null })),
  fenced: told(() => ({ fenced: true, found: false, request_sha256: null, response: null })),
  notFound: told(() => ({ found: false }), '404 Not Found'),
} satisfies Record<string, Behaviour>;

export async function startKeyedProvider(): Promise<KeyedProvider> {
  const now: KeyedProvider['now'] = { call: respond(answerText), question: tells.notFound };
  const isQuestion = (head: string): boolean => /^\w+ \S+\/keys\//.test(head);
  const provider = await startProvider((socket, request) =>
    (isQuestion(request.head) ? now.question : now.call)(socket, request),
  );
  return {
    ...provider,
    now,
    calls: () =>
      provider.seen
        .filter(({ head }) => !isQuestion(head))
        .map(({ head, body }) => ({
          key: /^idempotency-key: (.*)$/im.exec(head)?.[1] ?? '',
          token: Number(/^fencing-token: (\d+)$/im.exec(head)?.[1]),
          body,
        })),
    questions: () => provider.seen.filter(({ head }) => isQuestion(head)).map(({ head }) => head.split(' HTTP')[0] ?? ''),
  };
}
