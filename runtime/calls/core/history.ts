/**
 * The events of one ledger, gathered into tasks, calls, attempts and compilations.
 *
 * Pure and incremental: `add` takes the next event and nothing is looked up elsewhere, so that a long ledger is read once. An order that
 * makes no sense is refused (`order.ts`), and so are links (`links.ts`). What settles an attempt is asked in `settlement.ts`; what the gathered facts mean is decided in
 * `work-state-table.ts`.
 */
import type { LedgerEvent } from './events.js';
import { demandCited, demandLink, demandMember, demandNextRow, demandReplaceable } from './links.js';
import { demandInOrder } from './order.js';
import type { CallRecord, CompilationRecord, TaskRecord } from './records.js';
import type { ContextItem } from './vocabulary.js';

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

  /** Throws `ledger-damaged` for an event that makes no sense after those before it; nothing is gathered then. */
  add(event: LedgerEvent): void {
    demandNextRow(this.events.at(-1), event);
    demandInOrder(this, event);
    const task = this.tasks.get(event.task_id);
    if (event.type === 'task.created') {
      const { title } = event.payload;
      this.tasks.set(event.task_id, { id: event.task_id, title, stage: 'open', calls: [], compilations: [] });
    } else if (task !== undefined) {
      if (event.type === 'task.accepted') task.stage = 'accepted';
      else if (event.type === 'task.rejected') task.stage = 'rejected';
      else if (event.type.startsWith('context.')) this.addToCompilation(task, event);
      else this.addToCall(task, event);
    }
    this.events.push(event);
  }

  private addToCompilation(task: TaskRecord, event: LedgerEvent): void {
    const id = event.compilation_id;
    if (id === null) return;
    if (event.type === 'context.compilation_requested') {
      demandMember(this.events.at(-1), event);
      const replaced = demandReplaceable(event, event.payload.replaces, task.compilations);
      if (replaced !== null) replaced.supersededBy = id;
      const nothing = { compiled: null, failed: null, supersededBy: null };
      const record = { id, seq: event.seq, taskId: task.id, request: event.payload, ...nothing };
      this.compilations.set(id, record);
      task.compilations.push(record);
      return;
    }
    const record = this.compilations.get(id);
    if (record === undefined) return;
    if (event.type === 'context.compiled') record.compiled = event.payload;
    if (event.type === 'context.compilation_failed') record.failed = event.payload;
  }

  private addToCall(task: TaskRecord, event: LedgerEvent): void {
    const id = event.call_id;
    if (id === null) return;
    if (event.type === 'call.requested') return this.openCall(task, id, event);
    const call = this.calls.get(id);
    if (event.type === 'call.resumed') demandLink(event, task.calls).supersededBy = event.payload.new_call_id;
    else if (call === undefined) return;
    else if (event.type === 'call.manifest') call.manifest = event.payload;
    else if (event.type === 'call.preparation_failed') call.preparationFailed = event.payload;
    else if (event.type === 'call.completed') call.completed = event.payload;
    else if (event.type === 'result.recorded') call.result = event.payload;
    else if (event.type === 'duplicate.accepted') call.decisions.push({ seq: event.seq, payload: event.payload, spentBy: null });
    else addToAttempts(call, event);
  }

  private openCall(task: TaskRecord, id: string, event: LedgerEvent & { type: 'call.requested' }): void {
    const replaced = demandReplaceable(event, event.payload.replaces, task.calls);
    if (replaced !== null) replaced.supersededBy = id;
    const record: CallRecord = {
      id,
      seq: event.seq,
      taskId: task.id,
      compilationId: event.compilation_id ?? '',
      request: event.payload,
      manifest: null,
      preparationFailed: null,
      attempts: [],
      decisions: [],
      result: null,
      completed: null,
      supersededBy: null,
    };
    this.calls.set(id, record);
    task.calls.push(record);
    const key = event.payload.idempotency_key;
    const sameKey = this.byKey.get(key);
    if (sameKey === undefined) this.byKey.set(key, [record]);
    else sameKey.push(record);
  }
}

function addToAttempts(call: CallRecord, event: LedgerEvent): void {
  const id = event.attempt_id;
  if (id === null) return;
  if (event.type === 'attempt.started') {
    const cited = demandCited(event, call);
    if (cited !== null) cited.spentBy = id;
    const nothing = { observed: null, decided: null, completed: null };
    const { number } = event.payload;
    call.attempts.push({ id, seq: event.seq, number, interpretations: [], reconciliations: [], ...nothing });
    return;
  }
  if (event.type === 'effect.reconciled') {
    const { seq, payload } = event;
    for (const attempt of call.attempts)
      if (payload.attempt_ids.includes(attempt.id))
        attempt.reconciliations.push({ seq, payload, adopted: payload.response !== null && attempt.id === id });
    return;
  }
  const attempt = call.attempts.find((candidate) => candidate.id === id);
  if (attempt === undefined) return;
  const { seq } = event;
  if (event.type === 'attempt.observed') attempt.observed = { seq, payload: event.payload };
  else if (event.type === 'attempt.interpreted') attempt.interpretations.push({ seq, payload: event.payload });
  else if (event.type === 'attempt.retry_decided') attempt.decided = { seq, payload: event.payload };
  else if (event.type === 'attempt.completed') attempt.completed = { seq, payload: event.payload };
}

/** Required minus offered: never recorded, so that it cannot contradict the inventory. */
export function missingIds(offered: readonly ContextItem[], requiredIds: readonly string[]): string[] {
  const ids = new Set(offered.map((item) => item.id));
  return requiredIds.filter((id) => !ids.has(id));
}
