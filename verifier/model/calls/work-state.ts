/**
 * The verifier's own projection `work-state/v1`, derived from events alone and written from the contract, not from the runtime.
 * Prose (`reason`) is left out: it is for people and is never compared. Members stand in the order of their names, as in an export,
 * so that equal states are equal at a glance. Pure: no clock, no I/O.
 */
import type { Event, WorkState } from '../../contract/types.js';
import { historyOf, type Attempt, type Call, type Compilation, type History } from './history.js';
import {
  acceptedDuplicates,
  always,
  decidingAttempt,
  decisionOf,
  interpretationOf,
  isSettled,
  lastWord,
  responseOf,
  unspentDecision,
  wasServed,
} from './settlement.js';
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

/** The call as it stood before an event of the ledger, reduced to the questions of the table. */
export function evidenceOf(history: History, call: Call, before = always): Evidence {
  const is = (seq: number | undefined): boolean => seq !== undefined && seq < before;
  const attempts = call.attempts.filter(({ seq }) => seq < before);
  const unsettled = attempts.filter((attempt) => !isSettled(history, call, attempt, before));
  const successor = history.calls.get(call.supersededBy ?? '');
  return {
    superseded: call.supersededBy !== undefined && (successor === undefined || is(successor.seq)),
    completed: is(call.completed?.seq),
    preparationFailed: is(call.preparationFailed?.seq),
    manifest: is(call.manifest?.seq),
    attempted: attempts.length > 0,
    decisionUnspent: unspentDecision(call, before) !== undefined,
    anyUnsettled: unsettled.length > 0,
    allAsked: unsettled.every((attempt) => lastWord(attempt, before) !== undefined),
    keyHonoured: call.manifest?.provider.honours_key === true,
    anyServed: attempts.some((attempt) => wasServed(history, call, attempt, before)),
    anyPassedOver: acceptedDuplicates(call, before).size > 0,
    deciding: decidingEvidence(decidingAttempt(call, before), before),
  };
}

function decidingEvidence(attempt: Attempt | undefined, before: number): Evidence['deciding'] {
  if (attempt === undefined)
    return { finding: null, responded: false, notSent: false, interpreted: false, decision: null, completed: false };
  const { observed, completed } = attempt;
  const response = responseOf(attempt, before);
  const ended = completed !== undefined && completed.seq < before && completed.seq > (response?.seq ?? 0);
  return {
    finding: lastWord(attempt, before)?.finding ?? null,
    responded: response !== undefined,
    notSent: observed?.delivery === 'not_sent' && observed.seq < before,
    interpreted: interpretationOf(attempt, before) !== undefined,
    decision: decisionOf(attempt, before)?.decision ?? null,
    completed: ended,
  };
}

/** What the table makes of the call as it stood before an event. */
export function standingOf(history: History, call: Call, before = always): ReturnType<typeof classify> {
  return classify(evidenceOf(history, call, before));
}

export function callState(history: History, call: Call): CallState {
  const { stage, next, effect } = standingOf(history, call);
  const { manifest } = call;
  const passedOver = acceptedDuplicates(call).size;
  const waiting = unspentDecision(call)?.seq;
  return {
    ...(passedOver === 0 ? {} : { accepted_duplicates: passedOver }),
    attempts: call.attempts.map((attempt) => attemptState(history, call, attempt)),
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
    ...(waiting === undefined ? {} : { unspent_decision: waiting }),
  };
}

function attemptState(history: History, call: Call, attempt: Attempt): CallState['attempts'][number] {
  const word = lastWord(attempt);
  const adopted = responseOf(attempt)?.adopted === true;
  return {
    attempt_id: attempt.id,
    decision: attempt.decided?.decision ?? null,
    delivery: attempt.observed?.delivery ?? null,
    number: attempt.number,
    outcome: attempt.completed?.outcome ?? null,
    ...(word === undefined ? {} : { reconciled: { adopted, finding: word.finding, reason: word.reason } }),
    result: attempt.interpreted?.result ?? null,
    settled: isSettled(history, call, attempt),
  };
}

const afterCompilation = { superseded: 'none', failed: 'fix_inputs', compiled: 'none', requested: 'recompile' } as const;

function compilationState({ id, requested, compiled, failed, supersededBy }: Compilation): CompilationState {
  const offered = new Set(requested.offered.map((item) => item.id));
  const ended = failed !== undefined ? 'failed' : compiled !== undefined ? 'compiled' : 'requested';
  const stage = supersededBy !== undefined ? 'superseded' : ended;
  return {
    compilation_id: id,
    context_package_sha256: compiled?.context_package_sha256 ?? null,
    error: failed?.error ?? null,
    ...(requested.fan_out === undefined ? {} : { fan_out: requested.fan_out }),
    missing_ids: requested.required_ids.filter((required) => !offered.has(required)),
    next_operation: afterCompilation[stage],
    offered: requested.offered,
    required_ids: requested.required_ids,
    stage,
    ...(supersededBy === undefined ? {} : { superseded_by: supersededBy }),
  };
}

/**
 * The compilations that the task stands on: the last one requested, or all members of its fan-out with what replaced them. What
 * replaces a member belongs to its fan-out.
 */
function lastCompilations(compilations: readonly Compilation[]): ReadonlySet<string> {
  const fanOuts = new Map<string, string | undefined>();
  for (const { id, requested } of compilations)
    fanOuts.set(id, requested.fan_out?.id ?? (requested.replaces === undefined ? undefined : fanOuts.get(requested.replaces)));
  const last = compilations.at(-1);
  const fanOut = last === undefined ? undefined : fanOuts.get(last.id);
  const together = fanOut === undefined ? compilations.slice(-1) : compilations.filter(({ id }) => fanOuts.get(id) === fanOut);
  return new Set(together.map(({ id }) => id));
}

function workState(history: History, taskId: string): DerivedState {
  const ofTask = <T extends { taskId: string; seq: number }>(all: Map<string, T>): T[] =>
    [...all.values()].filter((one) => one.taskId === taskId);
  const heldCalls = ofTask(history.calls);
  const heldCompilations = ofTask(history.compilations);
  const calls = heldCalls.map((call) => callState(history, call));
  const compilations = heldCompilations.map(compilationState);
  const last = lastCompilations(heldCompilations);
  const openCompilations = compilations.filter((one) => one.next_operation !== 'none' && last.has(one.compilation_id));
  const task = taskState(history.tasks.get(taskId)?.ended, calls, openCompilations);
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
          .filter(({ compiled, failed }) => compiled !== undefined && failed === undefined)
          .map(({ seq, id }) => ({ seq, value: id })),
        ...heldCalls.filter(({ completed }) => completed?.outcome === 'succeeded').map(({ seq, id }) => ({ seq, value: id })),
      ]),
      unresolved: inOrder([
        ...openCompilations.map(({ compilation_id: id, next_operation }) => ({
          seq: history.compilations.get(id)?.seq ?? 0,
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
  openCompilations: CompilationState[],
): DerivedState['task'] {
  if (ended !== undefined) return { next_operation: 'none', on: null, stage: ended };
  const open = calls.find(({ next_operation }) => next_operation !== 'none');
  if (open !== undefined) return { next_operation: open.next_operation, on: open.call_id, stage: 'open' };
  const succeeded = calls.findLast(({ outcome }) => outcome === 'succeeded');
  if (succeeded !== undefined) return { next_operation: 'check_and_accept', on: succeeded.call_id, stage: 'open' };
  const [first] = openCompilations;
  if (first === undefined) return { next_operation: 'none', on: null, stage: 'open' };
  return { next_operation: first.next_operation, on: first.compilation_id, stage: 'open' };
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
