/**
 * The events of one ledger, gathered into tasks, calls, attempts and compilations.
 *
 * Pure and incremental: `add` takes the next event and nothing is looked up elsewhere, so that a long ledger is read once. What
 * the gathered facts mean is decided in `work-state-table.ts`.
 */
import type { LedgerEvent, Payloads } from './events.js';
import type { ContextItem } from './vocabulary.js';

export interface Attempt {
  id: string;
  seq: number;
  number: number;
  observed: Payloads['attempt.observed'] | null;
  interpreted: Payloads['attempt.interpreted'] | null;
  decided: Payloads['attempt.retry_decided'] | null;
  completed: Payloads['attempt.completed'] | null;
  /** Place of the observation, for "a later complete". */
  observedSeq: number | null;
}

export interface CallRecord {
  id: string;
  seq: number;
  taskId: string;
  compilationId: string;
  request: Payloads['call.requested'];
  manifest: Payloads['call.manifest'] | null;
  preparationFailed: Payloads['call.preparation_failed'] | null;
  attempts: Attempt[];
  result: Payloads['result.recorded'] | null;
  completed: Payloads['call.completed'] | null;
  supersededBy: string | null;
}

export interface CompilationRecord {
  id: string;
  seq: number;
  taskId: string;
  request: Payloads['context.compilation_requested'];
  compiled: Payloads['context.compiled'] | null;
  failed: Payloads['context.compilation_failed'] | null;
}

export interface TaskRecord {
  id: string;
  title: string;
  stage: 'open' | 'accepted' | 'rejected';
  calls: CallRecord[];
  compilations: CompilationRecord[];
}

export class History {
  readonly events: LedgerEvent[] = [];
  readonly tasks = new Map<string, TaskRecord>();
  readonly calls = new Map<string, CallRecord>();
  readonly compilations = new Map<string, CompilationRecord>();
  /** Idempotency key → its calls, in ledger order, over all tasks. */
  readonly byKey = new Map<string, CallRecord[]>();

  static of(events: Iterable<LedgerEvent>): History {
    const history = new History();
    for (const event of events) history.add(event);
    return history;
  }

  get lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  add(event: LedgerEvent): void {
    this.events.push(event);
    if (event.type === 'task.created') {
      const { title } = event.payload;
      this.tasks.set(event.task_id, { id: event.task_id, title, stage: 'open', calls: [], compilations: [] });
      return;
    }
    const task = this.tasks.get(event.task_id);
    if (task === undefined) return;
    if (event.type === 'task.accepted') task.stage = 'accepted';
    else if (event.type === 'task.rejected') task.stage = 'rejected';
    else if (event.type.startsWith('context.')) this.addToCompilation(task, event);
    else this.addToCall(task, event);
  }

  private addToCompilation(task: TaskRecord, event: LedgerEvent): void {
    const id = event.compilation_id;
    if (id === null) return;
    if (event.type === 'context.compilation_requested') {
      const record = { id, seq: event.seq, taskId: task.id, request: event.payload, compiled: null, failed: null };
      this.compilations.set(id, record);
      task.compilations.push(record);
    }
    const record = this.compilations.get(id);
    if (record === undefined) return;
    if (event.type === 'context.compiled') record.compiled = event.payload;
    if (event.type === 'context.compilation_failed') record.failed = event.payload;
  }

  private addToCall(task: TaskRecord, event: LedgerEvent): void {
    const id = event.call_id;
    if (id === null) return;
    if (event.type === 'call.requested') {
      const record = openCall(id, task.id, event.compilation_id ?? '', event.seq, event.payload);
      this.calls.set(id, record);
      task.calls.push(record);
      const key = event.payload.idempotency_key;
      const sameKey = this.byKey.get(key);
      if (sameKey === undefined) this.byKey.set(key, [record]);
      else sameKey.push(record);
      return;
    }
    const call = this.calls.get(id);
    if (call === undefined) return;
    if (event.type === 'call.resumed') call.supersededBy = event.payload.new_call_id;
    else if (event.type === 'call.manifest') call.manifest = event.payload;
    else if (event.type === 'call.preparation_failed') call.preparationFailed = event.payload;
    else if (event.type === 'call.completed') call.completed = event.payload;
    else if (event.type === 'result.recorded') call.result = event.payload;
    else addToAttempt(call, event);
  }
}

function openCall(id: string, taskId: string, compilationId: string, seq: number, request: CallRecord['request']): CallRecord {
  const nothing = { manifest: null, preparationFailed: null, result: null, completed: null, supersededBy: null };
  return { id, seq, taskId, compilationId, request, attempts: [], ...nothing };
}

function addToAttempt(call: CallRecord, event: LedgerEvent): void {
  const id = event.attempt_id;
  if (id === null) return;
  if (event.type === 'attempt.started') {
    const nothing = { observed: null, interpreted: null, decided: null, completed: null, observedSeq: null };
    call.attempts.push({ id, seq: event.seq, number: event.payload.number, ...nothing });
    return;
  }
  const attempt = call.attempts.find((candidate) => candidate.id === id);
  if (attempt === undefined) return;
  if (event.type === 'attempt.observed') {
    attempt.observed = event.payload;
    attempt.observedSeq = event.seq;
  } else if (event.type === 'attempt.interpreted') attempt.interpreted = event.payload;
  else if (event.type === 'attempt.retry_decided') attempt.decided = event.payload;
  else if (event.type === 'attempt.completed') attempt.completed = event.payload;
}

/** Required minus offered: never recorded, so that it cannot contradict the inventory. */
export function missingIds(offered: readonly ContextItem[], requiredIds: readonly string[]): string[] {
  const ids = new Set(offered.map((item) => item.id));
  return requiredIds.filter((id) => !ids.has(id));
}

/** A call whose key has a later whole response settles its own attempts, where its manifest declares that the key is honoured. */
export function settled(history: History, call: CallRecord, attempt: Attempt): boolean {
  const delivery = attempt.observed?.delivery;
  if (delivery === 'complete' || delivery === 'not_sent') return true;
  if (call.manifest?.provider.honours_key !== true) return false;
  const sameKey = history.byKey.get(call.request.idempotency_key) ?? [];
  return sameKey.some(
    (other) =>
      other.taskId === call.taskId &&
      other.attempts.some((one) => one.observed?.delivery === 'complete' && (one.observedSeq ?? 0) > attempt.seq),
  );
}
