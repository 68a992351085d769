/**
 * work-state/v1: the seven answers about a task, as a pure function of the events. No clock, no I/O, appends nothing.
 *
 * What was attempted, from which inputs, what was required, what failed, what succeeded, what is unresolved, what is safe next.
 * Calls are classified by the labelled table, over the evidence that `evidence.ts` gathers; this file lifts the rows to the task.
 */
import type { WorkState } from '../../contract/types.js';
import { evidenceOf } from './evidence.js';
import { missingIds, type History } from './history.js';
import type { Attempt, CallRecord, CompilationRecord, TaskRecord } from './records.js';
import { givenUp, reconciliationOf, settlementOf, unspentDecision } from './settlement.js';
import { hashesOf } from './request.js';
import type { Call, Operation } from './vocabulary.js';
import { classify, effectOf } from './work-state-table.js';

type Compilation = WorkState['compilations'][number];
type Placed<T> = { seq: number; value: T };

/** The work state of one task, or null if the events know no such task. */
export function projectWorkState(history: History, taskId: string): WorkState | null {
  const task = history.tasks.get(taskId);
  if (task === undefined) return null;
  const calls = task.calls.map((call) => projectCall(history, call));
  const compilations = task.compilations.map(projectCompilation);
  const next = nextForTask(task, calls, compilations);
  const named = calls.find((call) => call.call_id === next.on);
  return {
    version: 'work-state/v1',
    task_id: taskId,
    last_seq: history.lastSeq,
    task: { stage: task.stage, next_operation: next.operation, on: next.on, reason: next.reason },
    calls,
    compilations,
    answers: {
      ...answersFrom(task, calls, compilations),
      safe_next: { operation: next.operation, on: next.on, repeats_effect: named?.duplicate_risk ?? false },
    },
  };
}

export function projectCall(history: History, call: CallRecord): Call {
  const evidence = evidenceOf(history, call);
  const row = classify(evidence);
  const effect = effectOf(row, evidence);
  const duplicates = givenUp(call).length;
  const unspent = unspentDecision(call);
  return {
    call_id: call.id,
    compilation_id: call.compilationId,
    idempotency_key: call.request.idempotency_key,
    stage: row.stage,
    next_operation: row.operation,
    provider_effect: effect,
    duplicate_risk: effect === 'unknown',
    reason: row.reason,
    superseded_by: call.supersededBy,
    outcome: call.completed?.outcome ?? null,
    result_id: call.completed?.result_id ?? call.result?.result_id ?? null,
    manifest: call.manifest && hashesOf(call.manifest),
    attempts: call.attempts.map((attempt) => projectAttempt(history, call, attempt)),
    ...(duplicates > 0 && { accepted_duplicates: duplicates }),
    ...(unspent !== null && { unspent_decision: unspent.seq }),
  };
}

function projectAttempt(history: History, call: CallRecord, attempt: Attempt): Call['attempts'][number] {
  const reconciled = reconciliationOf(attempt);
  return {
    attempt_id: attempt.id,
    number: attempt.number,
    delivery: attempt.observed?.payload.delivery ?? null,
    settled: settlementOf(history, call, attempt) !== null,
    result: attempt.interpretations.at(-1)?.payload.result ?? null,
    decision: attempt.decided?.payload.decision ?? null,
    outcome: attempt.completed?.payload.outcome ?? null,
    ...(reconciled && {
      reconciled: { finding: reconciled.payload.finding, reason: reconciled.payload.reason, adopted: reconciled.adopted },
    }),
  };
}

export function projectCompilation(record: CompilationRecord): Compilation {
  const { offered, required_ids } = record.request;
  const facts = {
    compilation_id: record.id,
    offered,
    required_ids,
    missing_ids: missingIds(offered, required_ids),
    error: record.failed?.error ?? null,
    context_package_sha256: record.compiled?.context_package_sha256 ?? null,
    ...(record.supersededBy !== null && { superseded_by: record.supersededBy }),
    ...(record.request.fan_out && { fan_out: record.request.fan_out }),
  };
  if (record.supersededBy !== null)
    return {
      ...facts,
      stage: 'superseded',
      next_operation: 'none',
      reason: 'A later compilation with other inputs took its place.',
    };
  if (record.failed !== null)
    return { ...facts, stage: 'failed', next_operation: 'fix_inputs', reason: 'The compilation failed on its inputs.' };
  if (record.compiled !== null)
    return { ...facts, stage: 'compiled', next_operation: 'none', reason: 'The package is compiled.' };
  return {
    ...facts,
    stage: 'requested',
    next_operation: 'recompile',
    reason: 'The compilation was requested and never ended; compiling has no effect outside and can be repeated.',
  };
}

function nextForTask(task: TaskRecord, calls: readonly Call[], compilations: readonly Compilation[]) {
  const next = (operation: Operation, on: string | null, reason: string) => ({ operation, on, reason });
  if (task.stage !== 'open') return next('none', null, `The task was ${task.stage}.`);
  const unresolved = calls.find((call) => call.next_operation !== 'none');
  if (unresolved) return next(unresolved.next_operation, unresolved.call_id, unresolved.reason);
  const succeeded = calls.findLast((call) => call.outcome === 'succeeded');
  if (succeeded)
    return next('check_and_accept', succeeded.call_id, 'A call succeeded; its result waits to be accepted or rejected.');
  const unfinished = lastCompilations(task, compilations).find((compilation) => compilation.next_operation !== 'none');
  if (unfinished) return next(unfinished.next_operation, unfinished.compilation_id, unfinished.reason);
  return next('none', null, 'The record asks for nothing.');
}

/** The last compilation that was requested, or all of the fan-out that it belongs to, with what took the place of a member. */
function lastCompilations(task: TaskRecord, compilations: readonly Compilation[]): readonly Compilation[] {
  const byId = new Map(task.compilations.map((record) => [record.id, record]));
  const fanOutOf = (record: CompilationRecord | undefined): string | undefined => {
    let origin = record;
    while (origin?.request.replaces !== undefined) origin = byId.get(origin.request.replaces);
    return origin?.request.fan_out?.id;
  };
  const fanOut = fanOutOf(task.compilations.at(-1));
  if (fanOut === undefined) return compilations.slice(-1);
  return compilations.filter(({ compilation_id }) => fanOutOf(byId.get(compilation_id)) === fanOut);
}

function answersFrom(task: TaskRecord, calls: readonly Call[], compilations: readonly Compilation[]) {
  const seqOfCall = new Map(task.calls.map((call) => [call.id, call.seq]));
  const placedCalls = calls.map((value) => ({ seq: seqOfCall.get(value.call_id) ?? 0, value }));
  const placedCompilations = compilations.map((value, index) => ({ seq: task.compilations[index]?.seq ?? 0, value }));
  const last = lastCompilations(task, compilations);
  return {
    attempted: inOrder([
      ...placedCompilations.map(({ seq, value }) => ({ seq, value: value.compilation_id })),
      ...placedCalls.map(({ seq, value }) => ({ seq, value: value.call_id })),
      ...task.calls.flatMap((call) => call.attempts.map(({ seq, id }) => ({ seq, value: id }))),
    ]),
    inputs: compilations.map(({ compilation_id, offered }) => ({ compilation_id, offered_ids: offered.map((item) => item.id) })),
    required: compilations.map(({ compilation_id, required_ids }) => ({ compilation_id, required_ids })),
    failed: failures(task),
    succeeded: inOrder([
      ...placedCompilations
        .filter(({ value }) => value.stage === 'compiled')
        .map(({ seq, value }) => ({ seq, value: value.compilation_id })),
      ...placedCalls
        .filter(({ value }) => value.outcome === 'succeeded')
        .map(({ seq, value }) => ({ seq, value: value.call_id })),
    ]),
    unresolved: inOrder([
      // A later compilation of the task makes up for one that failed or never ended.
      ...placedCompilations
        .filter(({ value }) => value.next_operation !== 'none' && last.includes(value))
        .map(({ seq, value }) => ({ seq, value: unresolvedItem(value.compilation_id, value.next_operation, 'absent') })),
      ...placedCalls
        .filter(({ value }) => value.next_operation !== 'none')
        .map(({ seq, value }) => ({ seq, value: unresolvedItem(value.call_id, value.next_operation, value.provider_effect) })),
    ]),
  };
}

function unresolvedItem(id: string, next_operation: Operation, provider_effect: Call['provider_effect']) {
  return { id, next_operation, provider_effect };
}

function failures(task: TaskRecord) {
  const found: Placed<{ id: string; error: string }>[] = [];
  for (const { id, seq, failed } of task.compilations) if (failed) found.push({ seq, value: { id, error: failed.error } });
  for (const call of task.calls) {
    const error =
      call.preparationFailed?.error ?? (call.completed?.outcome === 'failed' ? (call.completed.error ?? 'failed') : null);
    if (error !== null) found.push({ seq: call.seq, value: { id: call.id, error } });
    for (const attempt of call.attempts) {
      const result = attempt.interpretations.at(-1)?.payload.result;
      const delivery = attempt.observed?.payload.delivery;
      const reason =
        result !== undefined && result !== 'answer'
          ? result
          : delivery !== undefined && delivery !== 'complete'
            ? delivery
            : null;
      if (reason !== null) found.push({ seq: attempt.seq, value: { id: attempt.id, error: reason } });
    }
  }
  return inOrder(found);
}

function inOrder<T>(placed: Placed<T>[]): T[] {
  return placed.toSorted((a, b) => a.seq - b.seq).map(({ value }) => value);
}
