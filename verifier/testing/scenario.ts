/**
 * What the producer of the small world was asked for, and what the provider answers it.
 */
export const at = '2026-01-01T00:00:00.000Z';
export const key = 'key-1';

export const items = [
  { id: 'A', kind: 'record', required: true, tokens: 12, content: 'The second paragraph cites its measurement once' },
  { id: 'B', kind: 'claim', required: true, tokens: 0, content: 'The figure was measured in one run.' },
  { id: 'D', kind: 'artifact', required: false, tokens: 0, content: 'Paragraph two.' },
] as const;

interface Different {
  readonly honours_key?: boolean;
  readonly dial?: { readonly host: string; readonly port: number } | null;
  readonly model?: string;
}

/** What a producer of these books was asked for. */
export function scenario({ honours_key = false, dial = null, model = 'synthetic-1' }: Different = {}) {
  const retry = { max_attempts: 2, retry_broken_if_key_honoured: honours_key, retry_not_sent: true, retry_statuses: [503] };
  return {
    ...{ accept: null, commit: 'each' as const, dial },
    call: {
      ...{ honours_key, idempotency_key: key, instruction: 'Review the paragraph.', model },
      ...{ retry, system: 'You review.', timeout_ms: 1000 },
    },
    context: {
      budget_tokens: 64,
      items: items.map(({ id, kind, required, content }) => ({ content, id, kind, lineage: ['draft'], required })),
      required_ids: ['A', 'B'],
    },
    task: {
      claim: { basis: 'log', claim_id: 'claim-1', statement: 'The figure was measured.' },
      ...{ objective: 'Review it.', task_id: 'task-1', title: 'Review a paragraph' },
    },
  };
}

export const answer = Buffer.from(
  JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: 'Fine.', role: 'assistant' } }] }),
);

/** Where a planted reach goes. */
export const elsewhere = { host: 'example.org', port: 443 };

export const scenarios = {
  review: scenario(),
  honoured: scenario({ honours_key: true }),
  reached: scenario({ dial: elsewhere }),
  other: scenario({ model: 'synthetic-2' }),
};
