/** A runtime in a folder of its own, with an in-process provider, for tests that need no socket. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RuntimeOptions } from '../api/options.js';
import { openRuntime, type Runtime } from '../api/runtime.js';
import type { Delivery, WireRequest } from '../wire/transport.js';
import { answerText } from '../../testing/provider.js';

export const items = [
  {
    id: 'A',
    kind: 'record',
    required: true,
    content: 'The second paragraph cites its measurement once',
    lineage: ['objective-1'],
  },
  { id: 'B', kind: 'claim', required: true, content: 'The figure was measured in one run.', lineage: ['claim-1'] },
  { id: 'D', kind: 'artifact', required: false, content: 'Paragraph two.', lineage: [] },
] as const;

export function newFolder(): string {
  return join(mkdtempSync(join(tmpdir(), 'killpoint-ledger-')), 'state');
}

export const answered: Delivery = {
  delivery: 'complete',
  status: 200,
  contentType: 'application/json',
  bytes: Buffer.from(answerText),
};
export const status = (code: number): Delivery => ({
  delivery: 'complete',
  status: code,
  contentType: null,
  bytes: Buffer.from('no'),
});
export const notSent: Delivery = { delivery: 'not_sent', detail: 'refused' };
export const broken: Delivery = { delivery: 'broken', detail: 'reset' };

/** Answers with the given deliveries, then with the last; remembers what it was asked to send. */
export function scripted(...deliveries: Delivery[]) {
  const sent: WireRequest[] = [];
  const transport = (request: WireRequest): Promise<Delivery> => {
    sent.push(request);
    return Promise.resolve(deliveries[sent.length - 1] ?? deliveries.at(-1) ?? answered);
  };
  return { sent, transport };
}

export function open(directory: string, options: Partial<RuntimeOptions> = {}): Runtime {
  const { transport } = scripted(answered);
  return openRuntime({
    directory,
    create: true,
    provider: { url: 'http://127.0.0.1:9/p', model: 'synthetic-1', system: 'You review.' },
    context: { budgetTokens: 64 },
    transport,
    ...options,
  });
}

/** Task, objective, claim and a compiled context: five events. */
export function prepare(runtime: Runtime): {
  taskId: string;
  compilationId: string;
  idempotencyKey: string;
  instruction: string;
} {
  const taskId = 'task-1';
  runtime.createTask({ taskId, title: 'Review' });
  runtime.recordObjective(taskId, { objectiveId: 'objective-1', statement: 'Review it.' });
  runtime.recordClaim(taskId, { claimId: 'claim-1', statement: 'It was measured.', basis: 'log' });
  const { compilationId } = runtime.compile(taskId, { items, requiredIds: ['A', 'B'] });
  return { taskId, compilationId, idempotencyKey: 'key-16', instruction: 'Review the paragraph.' };
}

export const types = (runtime: Runtime): string[] => runtime.events().map((event) => event.type);
