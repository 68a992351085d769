/**
 * A ledger at every stage at which a process can leave one behind, made by real runs that died there, in a folder of its own.
 *
 * The listener of commits throws where the process is to die: nothing after that commit happens.
 */
import type { RuntimeOptions } from '../api/options.js';
import type { Runtime } from '../api/runtime.js';
import type { Operation } from '../core/vocabulary.js';
import type { Delivery } from '../wire/transport.js';
import { httpTransport } from '../wire/chat-completions.js';
import { answered, items, newFolder, notSent, open, prepare, scripted, status } from './folder.js';
import { tells, type KeyedProvider } from './keyed-provider.js';

export interface Left {
  folder: string;
  /** The call or compilation that the task names. */
  on: string;
}

const policy = { max_attempts: 3, retry_statuses: [503], retry_not_sent: true };
/** One of everything; a test may say otherwise. */
export const settings = (provider: Partial<RuntimeOptions['provider']>): Partial<RuntimeOptions> => ({
  commit: 'each',
  retry: policy,
  provider: { url: 'http://127.0.0.1:9/p', model: 'synthetic-1', system: 'You review.', ...provider },
});

/** A runtime that speaks to a real provider, with the settings under which the stages were left. */
export function openAt(folder: string, provider: KeyedProvider, changes: Partial<RuntimeOptions['provider']> = {}): Runtime {
  return open(folder, { ...settings({ url: provider.url, ...changes }), create: false, transport: httpTransport });
}

/** Runs a call and dies after the first event of a type. */
export async function diedAfter(
  type: string,
  delivery: Delivery = answered,
  changes: Partial<RuntimeOptions> = {},
): Promise<Left> {
  const folder = newFolder();
  const runtime = open(folder, {
    ...settings({}),
    ...changes,
    transport: scripted(delivery).transport,
    onCommitted: (events) => {
      if (events.some((event) => event.type === type)) throw new Error('died');
    },
  });
  const run = async (): Promise<unknown> => runtime.call(prepare(runtime));
  await run().catch(() => undefined);
  runtime.close();
  return { folder, on: 'call-6' };
}

/** Dies with a request under way, is asked about it, and whatever an operator then does. */
async function asked(
  provider: KeyedProvider,
  answer: keyof typeof tells,
  changes: Partial<RuntimeOptions['provider']>,
  then: (runtime: Runtime) => unknown = () => undefined,
): Promise<Left> {
  const left = await diedAfter('attempt.started', answered, settings(changes));
  const runtime = openAt(left.folder, provider, changes);
  provider.now.question = tells[answer];
  await runtime.reconcile(left.on);
  await then(runtime);
  runtime.close();
  return left;
}

function compilationFailed(): Left {
  const folder = newFolder();
  const runtime = open(folder, settings({}));
  runtime.createTask({ taskId: 'task-1', title: 'Review' });
  try {
    runtime.compile('task-1', { items, requiredIds: ['never-offered'] });
  } catch {
    // Recorded.
  }
  runtime.close();
  return { folder, on: 'compilation-2' };
}

export interface StageLeft {
  /** The row of the work state's table, or the stage of a compilation. */
  row: string;
  operation: Operation;
  reach: (provider: KeyedProvider) => Promise<Left>;
  /** How the provider was declared where that matters. */
  declared?: Partial<RuntimeOptions['provider']>;
}

const lookup = { reconcile: 'lookup' as const };
const honoured = { ...lookup, honoursKey: true };
const fence = { reconcile: 'fence' as const };

export const stagesLeft: readonly StageLeft[] = [
  {
    row: 'requested',
    operation: 'recompile',
    reach: async () => ({ ...(await diedAfter('context.compilation_requested')), on: 'compilation-4' }),
  },
  { row: 'failed', operation: 'fix_inputs', reach: async () => compilationFailed() },
  { row: 'C', operation: 'fix_inputs', reach: () => diedAfter('call.preparation_failed', answered, { maxRequestBytes: 10 }) },
  { row: 'D', operation: 'start_call', reach: () => diedAfter('call.requested') },
  { row: 'E', operation: 'start_call', reach: () => diedAfter('call.manifest') },
  {
    row: 'L',
    operation: 'start_next_attempt',
    declared: lookup,
    reach: (provider) => asked(provider, 'notFound', lookup, accepted),
  },
  { row: 'M', operation: 'start_next_attempt', declared: honoured, reach: (provider) => asked(provider, 'notFound', honoured) },
  { row: 'N', operation: 'decide', declared: lookup, reach: (provider) => asked(provider, 'notFound', lookup) },
  { row: 'F', operation: 'reconcile_effect', declared: lookup, reach: () => diedAfter('attempt.started') },
  { row: 'P', operation: 'decide', declared: lookup, reach: (provider) => asked(provider, 'foundWithoutResponse', lookup) },
  { row: 'Q', operation: 'start_next_attempt', declared: fence, reach: (provider) => asked(provider, 'fenced', fence) },
  { row: 'G', operation: 'start_next_attempt', reach: () => diedAfter('attempt.observed', notSent) },
  { row: 'H', operation: 'reinterpret', reach: () => diedAfter('attempt.observed') },
  { row: 'I', operation: 'redecide', reach: () => diedAfter('attempt.interpreted') },
  { row: 'J', operation: 'start_next_attempt', reach: () => diedAfter('attempt.retry_decided', status(503)) },
  { row: 'K', operation: 'finalize', reach: () => diedAfter('attempt.retry_decided') },
];

function accepted(runtime: Runtime): void {
  runtime.acceptDuplicate('call-6', { by: 'operator', note: 'The customer waits.' });
}

/** Goes on with a ledger that was left, against a scripted provider; `appended` is what came since. */
export function goOn(folder: string, deliveries: Delivery[] = [answered], changes: Partial<RuntimeOptions> = {}) {
  const { sent, transport } = scripted(...deliveries);
  const groups: string[][] = [];
  const runtime = open(folder, {
    ...settings({}),
    create: false,
    transport,
    onCommitted: (events) => void groups.push(events.map(({ type }) => type)),
    ...changes,
  });
  const before = runtime.events().length;
  const appended = () => runtime.events().slice(before);
  return { runtime, sent, groups, appended, appendedTypes: () => appended().map(({ type }) => type) };
}
