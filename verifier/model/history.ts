/**
 * Events gathered by what they belong to: tasks, compilations, calls, attempts. It is tolerant on purpose: an event that belongs to
 * nothing is left out here and named by G10, so that one misplaced row does not hide what the others say. Pure.
 */
import type {
  AttemptCompleted,
  AttemptInterpreted,
  AttemptObserved,
  AttemptRetryDecided,
  CallCompleted,
  CallManifest,
  CallPreparationFailed,
  ContextCompilationFailed,
  ContextCompilationRequested,
  ContextCompiled,
  Event,
  ResultRecorded,
} from '../contract/types.js';

/** A payload with the seq of its row. */
export type At<T> = T & { readonly seq: number };

export interface Attempt {
  readonly id: string;
  readonly number: number;
  readonly seq: number;
  observed?: At<AttemptObserved>;
  interpreted?: At<AttemptInterpreted>;
  decided?: At<AttemptRetryDecided>;
  completed?: At<AttemptCompleted>;
}

export interface Call {
  readonly id: string;
  readonly taskId: string;
  readonly compilationId: string;
  readonly seq: number;
  readonly key: string;
  readonly instruction: string;
  preparationFailed?: At<CallPreparationFailed>;
  manifest?: At<CallManifest>;
  readonly attempts: Attempt[];
  readonly results: At<ResultRecorded>[];
  completed?: At<CallCompleted>;
  supersededBy?: string;
}

export interface Compilation {
  readonly id: string;
  readonly taskId: string;
  readonly seq: number;
  readonly requested: ContextCompilationRequested;
  compiled?: At<ContextCompiled>;
  failed?: At<ContextCompilationFailed>;
}

interface Task {
  readonly id: string;
  readonly seq: number;
  ended?: 'accepted' | 'rejected';
}

export interface History {
  readonly tasks: Map<string, Task>;
  readonly compilations: Map<string, Compilation>;
  readonly calls: Map<string, Call>;
  /** Calls of one task and key, in ledger order. */
  readonly byKey: Map<string, Call[]>;
  readonly lastSeq: number;
}

const known = new WeakMap<readonly Event[], History>();

export function historyOf(events: readonly Event[]): History {
  const before = known.get(events);
  if (before !== undefined) return before;
  const history: History = {
    tasks: new Map(),
    compilations: new Map(),
    calls: new Map(),
    byKey: new Map(),
    lastSeq: events.at(-1)?.seq ?? 0,
  };
  const attempts = new Map<string, Attempt>();
  for (const event of events) take(event, history, attempts);
  known.set(events, history);
  return history;
}

function take(event: Event, { tasks, compilations, calls, byKey }: History, attempts: Map<string, Attempt>): void {
  const { seq, task_id: taskId } = event;
  // Shapes were checked where the row was read (G8); the type decides the shape.
  const payload = event.payload as never;
  const at = <T>(): At<T> => ({ ...(payload as T & object), seq }) as At<T>;
  const call = event.call_id === null ? undefined : calls.get(event.call_id);
  const attempt = event.attempt_id === null ? undefined : attempts.get(event.attempt_id);
  const compilation = event.compilation_id === null ? undefined : compilations.get(event.compilation_id);
  switch (event.type) {
    case 'task.created':
      if (!tasks.has(taskId)) tasks.set(taskId, { id: taskId, seq });
      return;
    case 'task.accepted':
    case 'task.rejected': {
      const task = tasks.get(taskId);
      if (task !== undefined) task.ended ??= event.type === 'task.accepted' ? 'accepted' : 'rejected';
      return;
    }
    case 'context.compilation_requested':
      if (event.compilation_id !== null && compilation === undefined) {
        compilations.set(event.compilation_id, { id: event.compilation_id, taskId, seq, requested: payload });
      }
      return;
    case 'context.compiled':
      if (compilation !== undefined) compilation.compiled ??= at();
      return;
    case 'context.compilation_failed':
      if (compilation !== undefined) compilation.failed ??= at();
      return;
    case 'call.requested':
      if (event.call_id !== null && call === undefined) {
        const { idempotency_key: key, instruction } = event.payload as { idempotency_key: string; instruction: string };
        const compilationId = event.compilation_id ?? '';
        const requested: Call = { id: event.call_id, taskId, compilationId, seq, key, instruction, attempts: [], results: [] };
        calls.set(requested.id, requested);
        const ofKey = byKey.get(keyOf(requested));
        if (ofKey === undefined) byKey.set(keyOf(requested), [requested]);
        else ofKey.push(requested);
      }
      return;
    case 'call.preparation_failed':
      if (call !== undefined) call.preparationFailed ??= at();
      return;
    case 'call.manifest':
      if (call !== undefined) call.manifest ??= at();
      return;
    case 'call.resumed': {
      const { old_call_id: oldId, new_call_id: newId } = event.payload as { old_call_id: string; new_call_id: string };
      const old = calls.get(oldId);
      if (old !== undefined) old.supersededBy ??= newId;
      return;
    }
    case 'call.completed':
      if (call !== undefined) call.completed ??= at();
      return;
    case 'result.recorded':
      call?.results.push(at());
      return;
    case 'attempt.started':
      if (call !== undefined && event.attempt_id !== null && attempt === undefined) {
        const started: Attempt = { id: event.attempt_id, number: (event.payload as { number: number }).number, seq };
        attempts.set(started.id, started);
        call.attempts.push(started);
      }
      return;
    case 'attempt.observed':
      if (attempt !== undefined) attempt.observed ??= at();
      return;
    case 'attempt.interpreted':
      if (attempt !== undefined) attempt.interpreted ??= at();
      return;
    case 'attempt.retry_decided':
      if (attempt !== undefined) attempt.decided ??= at();
      return;
    case 'attempt.completed':
      if (attempt !== undefined) attempt.completed ??= at();
      return;
  }
}

/**
 * Settled: nobody needs to ask any more whether this attempt's effect happened. Where the provider is declared to honour the key, a
 * complete answer under that key settles every earlier attempt of it, in whichever call of the task. Judged as of a moment: what was
 * observed before the event `before`.
 */
export function isSettled(history: History, call: Call, attempt: Attempt, before = Infinity): boolean {
  const { observed: own } = attempt;
  if (own !== undefined && own.delivery !== 'broken' && own.seq < before) return true;
  if (call.manifest?.provider.honours_key !== true) return false;
  const ofKey = history.byKey.get(keyOf(call)) ?? [];
  return ofKey.some(({ attempts }) =>
    attempts.some(({ observed }) => observed?.delivery === 'complete' && observed.seq > attempt.seq && observed.seq < before),
  );
}

/** Task ids hold no space, so the two parts cannot run together. */
function keyOf({ taskId, key }: Call): string {
  return `${taskId} ${key}`;
}
