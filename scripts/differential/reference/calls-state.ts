/** The work state as a document, from the answers to single questions (`calls.ts`): calls, compilations, the task, the seven answers. */
import {
  adoptionOf,
  attemptsOf,
  callsIn,
  compilationStage,
  compilationsIn,
  completedOf,
  decisionsOf,
  isSettled,
  manifestOf,
  observationOf,
  ofAttempt,
  ofType,
  preparationFailedOf,
  reconciliationOf,
  resultOf,
  standingOf,
  supersededBy,
} from './calls.js';
import type { Event, Hashes } from './ledger.js';

type Events = readonly Event[];

function callState(events: Events, call: Event): Record<string, unknown> {
  const { stage, operation, effect } = standingOf(events, call);
  const manifest = manifestOf(events, call)?.payload as Hashes | undefined;
  const decisions = decisionsOf(events, call);
  const named = new Set(decisions.filter(({ isSpent }) => isSpent).flatMap(({ decision }) => decision.payload.attempt_ids ?? []));
  const unspent = decisions.find(({ isSpent }) => !isSpent);
  return {
    call_id: call.call_id,
    compilation_id: call.compilation_id,
    idempotency_key: call.payload.idempotency_key,
    stage,
    next_operation: operation,
    provider_effect: effect,
    duplicate_risk: effect === 'unknown',
    superseded_by: supersededBy(events, call),
    outcome: completedOf(events, call)?.payload.outcome ?? null,
    result_id: resultOf(events, call)?.payload.result_id ?? null,
    manifest:
      manifest === undefined
        ? null
        : {
            context_package_sha256: manifest.context_package_sha256,
            rendered_context_sha256: manifest.rendered_context_sha256,
            request_body_sha256: manifest.request_body_sha256,
          },
    attempts: attemptsOf(events, call).map((attempt) => attemptState(events, call, attempt)),
    ...(named.size > 0 ? { accepted_duplicates: named.size } : {}),
    ...(unspent === undefined ? {} : { unspent_decision: unspent.decision.seq }),
  };
}

function attemptState(events: Events, call: Event, attempt: Event): Record<string, unknown> {
  const counting = reconciliationOf(events, attempt);
  return {
    attempt_id: attempt.attempt_id,
    number: attempt.payload.number,
    delivery: observationOf(events, attempt)?.payload.delivery ?? null,
    settled: isSettled(events, call, attempt),
    result: ofAttempt(events, attempt, 'attempt.interpreted').at(-1)?.payload.result ?? null,
    decision: ofAttempt(events, attempt, 'attempt.retry_decided').at(-1)?.payload.decision ?? null,
    outcome: ofAttempt(events, attempt, 'attempt.completed').at(-1)?.payload.outcome ?? null,
    ...(counting === undefined
      ? {}
      : {
          reconciled: {
            finding: counting.payload.finding,
            reason: counting.payload.reason,
            adopted: adoptionOf(events, attempt) !== undefined,
          },
        }),
  };
}

/** "Superseded by one that replaces it → `none`; only requested → `recompile`; failed → `fix_inputs`; compiled → `none`." */
const nextOfCompilation = { superseded: 'none', requested: 'recompile', failed: 'fix_inputs', compiled: 'none' };

function compilationState(events: Events, compilation: Event): Record<string, unknown> {
  const { offered = [], required_ids = [], fan_out } = compilation.payload;
  const of = (type: string): Event | undefined =>
    ofType(events, type).find(({ compilation_id: id }) => id === compilation.compilation_id);
  const stage = compilationStage(events, compilation);
  const by = compilationsIn(events).find(({ payload }) => payload.replaces === compilation.compilation_id);
  return {
    compilation_id: compilation.compilation_id,
    stage,
    next_operation: nextOfCompilation[stage],
    offered,
    required_ids,
    missing_ids: required_ids.filter((id) => !offered.some((item) => item.id === id)),
    error: of('context.compilation_failed')?.payload.error ?? null,
    context_package_sha256: of('context.compiled')?.payload.context_package_sha256 ?? null,
    ...(by === undefined ? {} : { superseded_by: by.compilation_id }),
    ...(fan_out === undefined ? {} : { fan_out }),
  };
}

/** "The last one requested or, if it belongs to a fan-out or replaces a member of one, all members of that fan-out and what replaces them." */
function lastCompilations(events: Events): Events {
  const all = compilationsIn(events);
  const last = all.at(-1);
  const fanOutOf = (compilation: Event | undefined): string | undefined => {
    if (compilation === undefined) return undefined;
    const replaced = all.find(({ compilation_id: id }) => id === compilation.payload.replaces);
    return compilation.payload.fan_out?.id ?? (replaced === compilation ? undefined : fanOutOf(replaced));
  };
  const fanOut = fanOutOf(last);
  if (last === undefined || fanOut === undefined) return last === undefined ? [] : [last];
  return all.filter((compilation) => fanOutOf(compilation) === fanOut);
}

/** The state of each task, in ledger order. */
export function workStates(events: Events): Record<string, unknown>[] {
  return ofType(events, 'task.created').map(({ task_id: id }) => {
    const own = events.filter((event) => event.task_id === id);
    return workState(own, id, events.at(-1)?.seq ?? 0);
  });
}

export function nextOfTask(own: Events): { stage: string; operation: string; on: string | null } {
  const end = own.find(({ type }) => type === 'task.accepted' || type === 'task.rejected');
  if (end !== undefined) return { stage: end.type.replace('task.', ''), operation: 'none', on: null };
  const open = callsIn(own).find((call) => standingOf(own, call).operation !== 'none');
  if (open !== undefined) return { stage: 'open', operation: standingOf(own, open).operation, on: open.call_id };
  const succeeded = callsIn(own).findLast((call) => completedOf(own, call)?.payload.outcome === 'succeeded');
  if (succeeded !== undefined) return { stage: 'open', operation: 'check_and_accept', on: succeeded.call_id };
  const compilation = lastCompilations(own).find((one) => nextOfCompilation[compilationStage(own, one)] !== 'none');
  if (compilation !== undefined)
    return {
      stage: 'open',
      operation: nextOfCompilation[compilationStage(own, compilation)],
      on: compilation.compilation_id,
    };
  return { stage: 'open', operation: 'none', on: null };
}

function workState(own: Events, id: string, lastSeq: number): Record<string, unknown> {
  const calls = callsIn(own);
  const compilations = compilationsIn(own);
  const { stage, operation, on } = nextOfTask(own);
  const named = calls.find((call) => call.call_id === on);
  const introduced = own.filter(({ type }) =>
    ['context.compilation_requested', 'call.requested', 'attempt.started'].includes(type),
  );
  const idOf = (event: Event): string | null =>
    event.type === 'attempt.started' ? event.attempt_id : event.type === 'call.requested' ? event.call_id : event.compilation_id;
  return {
    version: 'work-state/v1',
    task_id: id,
    last_seq: lastSeq,
    task: { stage, next_operation: operation, on },
    calls: calls.map((call) => callState(own, call)),
    compilations: compilations.map((compilation) => compilationState(own, compilation)),
    answers: {
      attempted: introduced.map(idOf),
      inputs: compilations.map(({ compilation_id, payload }) => ({
        compilation_id,
        offered_ids: payload.offered?.map((item) => item.id),
      })),
      required: compilations.map(({ compilation_id, payload }) => ({ compilation_id, required_ids: payload.required_ids })),
      failed: introduced.flatMap((event) => {
        const error = failureOf(own, event);
        return error === null ? [] : [{ id: idOf(event), error }];
      }),
      succeeded: introduced.filter((event) => isSuccess(own, event)).map(idOf),
      unresolved: introduced.flatMap((event) => unresolvedOf(own, event)),
      safe_next: {
        operation,
        on,
        repeats_effect: named !== undefined && standingOf(own, named).effect === 'unknown',
      },
    },
  };
}

function failureOf(own: Events, event: Event): string | null {
  if (event.type === 'context.compilation_requested')
    return (
      ofType(own, 'context.compilation_failed').find(({ compilation_id: id }) => id === event.compilation_id)?.payload.error ??
      null
    );
  if (event.type === 'call.requested') {
    const failed = preparationFailedOf(own, event);
    if (failed !== undefined) return failed.payload.error ?? null;
    const completed = completedOf(own, event)?.payload;
    return completed?.outcome === 'failed' ? (completed.error ?? 'failed') : null;
  }
  const result = ofAttempt(own, event, 'attempt.interpreted').at(-1)?.payload.result;
  if (result !== undefined && result !== 'answer') return result;
  const delivery = observationOf(own, event)?.payload.delivery;
  return delivery === undefined || delivery === 'complete' ? null : delivery;
}

function isSuccess(own: Events, event: Event): boolean {
  if (event.type === 'context.compilation_requested') return compilationStage(own, event) === 'compiled';
  return event.type === 'call.requested' && completedOf(own, event)?.payload.outcome === 'succeeded';
}

function unresolvedOf(own: Events, event: Event): Record<string, unknown>[] {
  if (event.type === 'call.requested') {
    const { operation, effect } = standingOf(own, event);
    return operation === 'none' ? [] : [{ id: event.call_id, next_operation: operation, provider_effect: effect }];
  }
  if (event.type !== 'context.compilation_requested' || !lastCompilations(own).includes(event)) return [];
  const next = nextOfCompilation[compilationStage(own, event)];
  return next === 'none' ? [] : [{ id: event.compilation_id, next_operation: next, provider_effect: 'absent' }];
}
