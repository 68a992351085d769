/**
 * Which operation may act on which state. Pure: a dry run and the doing ask the same question of the same projection.
 *
 * An operation is allowed where the work state names it, and at two more places: where a person is to decide, each of the ways; and a
 * response may be read again, by another version, until something was decided from it. A refusal is `unsafe` where the effect is
 * unknown and what was asked for would send, else `unneeded`.
 */
import type { WorkState } from '../contract/types.js';
import type { Call, CarriedOut, Operation, Stage } from './vocabulary.js';

type Compilation = WorkState['compilations'][number];

export interface Refusal {
  /** What the record says comes next. */
  operation: Operation;
  hazard: 'unsafe' | 'unneeded';
  message: string;
}

const onCalls: Record<Stage, readonly CarriedOut[]> = {
  superseded: [],
  completed: [],
  preparation_failed: ['fix_inputs'],
  requested: ['start_call'],
  manifest_recorded: ['start_call'],
  duplicate_accepted: ['start_next_attempt'],
  retry_safe: ['start_next_attempt'],
  operator_needed: ['reconcile_effect', 'accept_duplicate'],
  effect_unknown: ['reconcile_effect'],
  response_lost: ['reconcile_effect', 'accept_duplicate'],
  not_served: ['start_next_attempt'],
  not_sent: ['start_next_attempt'],
  observed: ['reinterpret'],
  interpreted: ['redecide', 'reinterpret'],
  retry_due: ['start_next_attempt'],
  undecided_end: ['finalize'],
};

/** The operations that send a request. A reconciliation asks, which has no effect. */
const sending: readonly CarriedOut[] = ['start_call', 'start_next_attempt', 'fix_inputs'];

export function operationsOn(stage: Stage): readonly CarriedOut[] {
  return onCalls[stage];
}

/** `successor`: the end of the chain of calls that took its place, where one did. */
export function refusalOnCall(call: Call, asked: CarriedOut, successor: string | null): Refusal | null {
  if (onCalls[call.stage].includes(asked)) return null;
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
 */
export function refusalBySameKey(call: Call, sameKey: readonly Call[], asked: CarriedOut): Refusal | null {
  const refuse = (hazard: Refusal['hazard'], why: string): Refusal => {
    return { operation: call.next_operation, hazard, message: `${call.call_id} shares its key with ${why}.` };
  };
  const others = sameKey.filter((other) => other.call_id !== call.call_id);
  const unknown = others.find((other) => other.provider_effect === 'unknown');
  if (unknown) return refuse('unsafe', `${unknown.call_id}, whose effect is unknown; reconcile that one first`);
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
