/**
 * The verifier's own projection `work-state/v1`, derived from events alone and written from the contract, not from the runtime.
 * Prose (`reason`) is left out: it is for people and is never compared. Members stand in the order of their names, as in an export,
 * so that equal states are equal at a glance. Pure: no clock, no I/O.
 */
import type { Event, WorkState } from '../contract/types.js';
import { historyOf, isSettled, type Call, type Compilation, type History } from './history.js';
import { classify, type Evidence } from './state-table.js';

type Without<T, K extends PropertyKey> = Omit<T, K>;
type CallState = Without<WorkState['calls'][number], 'reason'>;
type CompilationState = Without<WorkState['compilations'][number], 'reason'>;
export interface DerivedState extends Without<WorkState, 'task' | 'calls' | 'compilations'> {
  readonly task: Without<WorkState['task'], 'reason'>;
  readonly calls: CallState[];
  readonly compilations: CompilationState[];
}

const known = new WeakMap<readonly Event[], DerivedState[]>();

export function workStates(events: readonly Event[]): DerivedState[] {
  const before = known.get(events);
  if (before !== undefined) return before;
  const history = historyOf(events);
  const states = [...history.tasks.keys()].map((taskId) => workState(history, taskId));
  known.set(events, states);
  return states;
}

function evidenceOf(history: History, call: Call): Evidence {
  const last = call.attempts.at(-1);
  return {
    superseded: call.supersededBy !== undefined,
    completed: call.completed !== undefined,
    preparationFailed: call.preparationFailed !== undefined,
    manifest: call.manifest !== undefined,
    attempted: last !== undefined,
    anyUnsettled: call.attempts.some((attempt) => !isSettled(history, call, attempt)),
    anyServed: call.attempts.some((attempt) => attempt.observed?.delivery !== 'not_sent' && isSettled(history, call, attempt)),
    lastDelivery: last?.observed?.delivery ?? null,
    lastInterpreted: last?.interpreted !== undefined,
    lastDecision: last?.decided?.decision ?? null,
    lastCompleted: last?.completed !== undefined,
  };
}

export function callState(history: History, call: Call): CallState {
  const { stage, next, effect } = classify(evidenceOf(history, call));
  const { manifest } = call;
  return {
    attempts: call.attempts.map((attempt) => ({
      attempt_id: attempt.id,
      decision: attempt.decided?.decision ?? null,
      delivery: attempt.observed?.delivery ?? null,
      number: attempt.number,
      outcome: attempt.completed?.outcome ?? null,
      result: attempt.interpreted?.result ?? null,
      settled: isSettled(history, call, attempt),
    })),
    call_id: call.id,
    compilation_id: call.compilationId,
    duplicate_risk: effect === 'unknown',
    idempotency_key: call.key,
    manifest:
      manifest === undefined
        ? null
        : {
            context_package_sha256: manifest.context_package_sha256,
            rendered_context_sha256: manifest.rendered_context_sha256,
            request_body_sha256: manifest.request_body_sha256,
          },
    next_operation: next,
    outcome: call.completed?.outcome ?? null,
    provider_effect: effect,
    result_id: call.results.at(-1)?.result_id ?? null,
    stage,
    superseded_by: call.supersededBy ?? null,
  };
}

function compilationState({ id, requested, compiled, failed }: Compilation): CompilationState {
  const offered = new Set(requested.offered.map((item) => item.id));
  const stage = failed !== undefined ? 'failed' : compiled !== undefined ? 'compiled' : 'requested';
  return {
    compilation_id: id,
    context_package_sha256: compiled?.context_package_sha256 ?? null,
    error: failed?.error ?? null,
    missing_ids: requested.required_ids.filter((required) => !offered.has(required)),
    next_operation: ({ failed: 'fix_inputs', compiled: 'none', requested: 'recompile' } as const)[stage],
    offered: requested.offered,
    required_ids: requested.required_ids,
    stage,
  };
}

function workState(history: History, taskId: string): DerivedState {
  const ofTask = <T extends { taskId: string; seq: number }>(all: Map<string, T>): T[] =>
    [...all.values()].filter((one) => one.taskId === taskId);
  const heldCalls = ofTask(history.calls);
  const heldCompilations = ofTask(history.compilations);
  const calls = heldCalls.map((call) => callState(history, call));
  const compilations = heldCompilations.map(compilationState);
  const task = taskState(history.tasks.get(taskId)?.ended, calls, compilations);
  const lastCompilation = compilations.at(-1);
  const introduced = [...heldCompilations, ...heldCalls, ...heldCalls.flatMap(({ attempts }) => attempts)];
  return {
    answers: {
      attempted: inOrder(introduced.map(({ seq, id }) => ({ seq, value: id }))),
      failed: inOrder([...heldCompilations.flatMap(failedCompilation), ...heldCalls.flatMap(failedParts)]),
      inputs: compilations.map(({ compilation_id, offered }) => ({ compilation_id, offered_ids: offered.map(({ id }) => id) })),
      required: compilations.map(({ compilation_id, required_ids }) => ({ compilation_id, required_ids })),
      safe_next: {
        on: task.on,
        operation: task.next_operation,
        repeats_effect: calls.find(({ call_id }) => call_id === task.on)?.duplicate_risk ?? false,
      },
      succeeded: inOrder([
        ...heldCompilations
          .filter((one) => compilationState(one).stage === 'compiled')
          .map(({ seq, id }) => ({ seq, value: id })),
        ...heldCalls.filter(({ completed }) => completed?.outcome === 'succeeded').map(({ seq, id }) => ({ seq, value: id })),
      ]),
      unresolved: inOrder([
        ...compilations
          .filter((one) => one.next_operation !== 'none' && one === lastCompilation)
          .map(({ compilation_id: id, next_operation }) => ({
            seq: heldCompilations.at(-1)?.seq ?? 0,
            value: { id, next_operation, provider_effect: 'absent' as const },
          })),
        ...calls
          .map(({ call_id: id, next_operation, provider_effect }, index) => ({
            seq: heldCalls[index]?.seq ?? 0,
            value: { id, next_operation, provider_effect },
          }))
          .filter(({ value }) => value.next_operation !== 'none'),
      ]),
    },
    calls,
    compilations,
    last_seq: history.lastSeq,
    task,
    task_id: taskId,
    version: 'work-state/v1',
  };
}

function taskState(
  ended: 'accepted' | 'rejected' | undefined,
  calls: CallState[],
  compilations: CompilationState[],
): DerivedState['task'] {
  if (ended !== undefined) return { next_operation: 'none', on: null, stage: ended };
  const open = calls.find(({ next_operation }) => next_operation !== 'none');
  if (open !== undefined) return { next_operation: open.next_operation, on: open.call_id, stage: 'open' };
  const succeeded = calls.findLast(({ outcome }) => outcome === 'succeeded');
  if (succeeded !== undefined) return { next_operation: 'check_and_accept', on: succeeded.call_id, stage: 'open' };
  const last = compilations.at(-1);
  if (last === undefined || last.next_operation === 'none') return { next_operation: 'none', on: null, stage: 'open' };
  return { next_operation: last.next_operation, on: last.compilation_id, stage: 'open' };
}

/** A value with the seq of the row that introduced what it speaks of. */
interface Placed<T> {
  readonly seq: number;
  readonly value: T;
}
type Failure = Placed<{ id: string; error: string }>;

function inOrder<T>(placed: readonly Placed<T>[]): T[] {
  return [...placed].sort((left, right) => left.seq - right.seq).map(({ value }) => value);
}

function failedCompilation({ id, seq, failed }: Compilation): Failure[] {
  return failed === undefined ? [] : [{ seq, value: { error: failed.error, id } }];
}

/** A call's own failure, and those of its attempts: by their result, or where nothing whole came back by their delivery. */
function failedParts(call: Call): Failure[] {
  const own = call.preparationFailed?.error ?? (call.completed?.outcome === 'failed' ? (call.completed.error ?? 'failed') : null);
  const attempts = call.attempts.flatMap(({ id, seq, observed, interpreted }): Failure[] => {
    if (interpreted !== undefined && interpreted.result !== 'answer') return [{ seq, value: { error: interpreted.result, id } }];
    return observed !== undefined && observed.delivery !== 'complete' ? [{ seq, value: { error: observed.delivery, id } }] : [];
  });
  return own === null ? attempts : [{ seq: call.seq, value: { error: own, id: call.id } }, ...attempts];
}
