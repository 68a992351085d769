/**
 * What the producer of the small world was asked for, and what the provider answers it.
 */
export const items = [
  { id: 'A', kind: 'record', required: true, tokens: 12, content: 'The second paragraph cites its measurement once' },
  { id: 'B', kind: 'claim', required: true, tokens: 0, content: 'The figure was measured in one run.' },
  { id: 'D', kind: 'artifact', required: false, tokens: 0, content: 'Paragraph two.' },
] as const;

/** What a producer of these books was asked for. */
export function scenario(honours_key = false, dial: { host: string; port: number } | null = null) {
  const retry = { max_attempts: 2, retry_broken_if_key_honoured: honours_key, retry_not_sent: true, retry_statuses: [503] };
  return {
    ...{ accept: null, commit: 'each' as const, dial },
    call: {
      ...{ honours_key, idempotency_key: 'key-1', instruction: 'Review the paragraph.', model: 'synthetic-1' },
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
