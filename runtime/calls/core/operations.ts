/**
 * Which operation may act on which state. Pure: a dry run and the doing ask the same question of the same projection.
 *
 * An operation is allowed where the work state names it, and at three more places: where a person is to decide, each of the ways; a
 * response may be read again, by another version, until something was decided from it; and a call for which nothing is to be sent any more,
 * since another call was answered under its key, may be closed. A refusal is `unsafe` where the effect is unknown and what was asked for
 * would send, else `unneeded`.
 */
import type { WorkState } from '../../contract/types.js';
import type { Call, CarriedOut, Operation, Stage } from './vocabulary.js';
import { table } from './work-state-table.js';

type Compilation = WorkState['compilations'][number];

export interface Refusal {
  /** What the record says comes next. */
  operation: Operation;
  hazard: 'unsafe' | 'unneeded';
  message: string;
}

/** What may be done beside the operation that the table names. */
const beside: Partial<Record<Stage, readonly CarriedOut[]>> = {
  operator_needed: ['reconcile_effect', 'accept_duplicate'],
  response_lost: ['reconcile_effect', 'accept_duplicate'],
  interpreted: ['reinterpret'],
};

/** The operations that send a request. A reconciliation asks, which has no effect. */
const sending: readonly CarriedOut[] = ['start_call', 'start_next_attempt', 'fix_inputs'];

/** Where nothing is under way and the next step would send: there a call can be settled by another that was answered. */
const settleable: readonly Stage[] = [
  'preparation_failed',
  'requested',
  'manifest_recorded',
  'not_sent',
  'retry_due',
  'not_served',
];

/** The operations that need no person. */
export const unattended = [
  'recompile',
  'start_call',
  'reconcile_effect',
  'reinterpret',
  'redecide',
  'start_next_attempt',
  'finalize',
] as const satisfies readonly CarriedOut[];
export type Unattended = (typeof unattended)[number];

export function isUnattended(operation: Operation): operation is Unattended {
  return (unattended as readonly Operation[]).includes(operation);
}

/** Whatever a stage allows by itself, whatever other calls did. */
export function operationsOn(stage: Stage): readonly (Operation | CarriedOut)[] {
  const named = table.filter((row) => row.stage === stage).map(({ operation }) => operation);
  return [...named, ...(beside[stage] ?? [])];
}

/** The first other call that was answered under the key of a call which has nothing under way; null where there is none. */
export function answeringCall(call: Call, callsOfTask: readonly Call[]): Call | null {
  if (!settleable.includes(call.stage)) return null;
  const isAnswering = (other: Call): boolean =>
    other.call_id !== call.call_id && other.idempotency_key === call.idempotency_key && other.outcome === 'succeeded';
  return callsOfTask.find(isAnswering) ?? null;
}

/** `successor`: the end of the chain of calls that took its place, where one did. */
export function refusalOnCall(
  call: Call,
  asked: CarriedOut,
  successor: string | null,
  callsOfTask: readonly Call[],
): Refusal | null {
  if (call.next_operation === asked || beside[call.stage]?.includes(asked)) return null;
  if (asked === 'finalize' && answeringCall(call, callsOfTask) !== null) return null;
  const hazard = call.duplicate_risk && sending.includes(asked) ? 'unsafe' : 'unneeded';
  return { operation: call.next_operation, hazard, message: told(call.call_id, call, asked, successor) };
}

export function refusalOnCompilation(compilation: Compilation, asked: CarriedOut, successor: string | null): Refusal | null {
  const { compilation_id: id, next_operation: operation } = compilation;
  if (operation === asked) return null;
  return { operation, hazard: 'unneeded', message: told(id, compilation, asked, successor) };
}

function told(
  id: string,
  { reason, next_operation }: Pick<Call, 'reason' | 'next_operation'>,
  asked: CarriedOut,
  successor: string | null,
): string {
  const instead = successor === null ? `Next: ${next_operation}.` : `Go on with ${successor}.`;
  return `${asked} is not what the record of ${id} asks for: ${reason} ${instead}`;
}

/**
 * Another call under the same key may already have been served, which the record of this one does not show: to send again would pay
 * twice. A new call must not follow any request that was served; a next attempt may follow an error, as it would in one call.
 * `callsOfTask`: of the task of this call; `sameKey`: of all tasks.
 */
export function refusalBySameKey(
  call: Call,
  sameKey: readonly Call[],
  callsOfTask: readonly Call[],
  asked: CarriedOut,
): Refusal | null {
  const refuse = (hazard: Refusal['hazard'], why: string): Refusal => {
    return { operation: call.next_operation, hazard, message: `${call.call_id} shares its key with ${why}.` };
  };
  const others = sameKey.filter((other) => other.call_id !== call.call_id);
  const unknown = others.find((other) => other.provider_effect === 'unknown');
  if (unknown) return refuse('unsafe', `${unknown.call_id}, whose effect is unknown; reconcile that one first`);
  const answering = answeringCall(call, callsOfTask);
  if (answering)
    return refuse('unneeded', `${answering.call_id}, which was already answered; finalize ${call.call_id}, which sends nothing`);
  const served = others.find(
    (other) => other.provider_effect === 'happened' && (asked !== 'start_next_attempt' || mayHoldAnswer(other)),
  );
  return served
    ? refuse('unneeded', `${served.call_id}, which was already served; judge the task by that one, or call under another key`)
    : null;
}

/** Not every response that it got is known to be an error. */
function mayHoldAnswer({ attempts }: Call): boolean {
  return attempts.some(({ result, delivery, reconciled }) => {
    const isServed = delivery === 'complete' || reconciled?.finding === 'served';
    return result === 'answer' || (result === null && isServed);
  });
}
