/** Which task, and which step of it: what whoever asks for "the next thing" is told. Pure functions of work states. */
import type { WorkState } from '../../contract/types.js';
import { RecoveryRefused } from '../core/refusals.js';
import { answeringCall, isUnattended, type Unattended } from '../core/operations.js';
import type { Operation } from '../core/vocabulary.js';

export interface Step {
  operation: Unattended;
  on: string;
}

/**
 * What can be carried out on a task without a person; null where nothing can. That is what the task names, save for a call for which
 * nothing is to be sent any more, since another was answered under its key: that one is closed.
 */
export function nextStep({ task, calls }: WorkState): Step | null {
  const { next_operation: operation, on } = task;
  if (on === null) return null;
  const call = calls.find(({ call_id }) => call_id === on);
  if (call !== undefined && answeringCall(call, calls) !== null) return { operation: 'finalize', on };
  return isUnattended(operation) ? { operation, on } : null;
}

/** To recover what needs no recovery does nothing, and is no mistake: whoever cannot know whether it was done may ask again. */
export function nothingIsLeft(next: Operation): boolean {
  return next === 'none' || next === 'check_and_accept';
}

/** The first task that has something to do, else the first; null where there is none. */
export function firstUnresolved(states: readonly WorkState[]): WorkState | null {
  return states.find(({ task }) => task.next_operation !== 'none') ?? states[0] ?? null;
}

/** First a task that needs no person, then one that asks for one, then one of which only the result is to be judged, then any. */
export function firstToRecover(states: readonly WorkState[]): WorkState | null {
  const rank = (state: WorkState): number => {
    const { next_operation: next } = state.task;
    if (nextStep(state) !== null) return 0;
    if (next === 'none') return 3;
    return next === 'check_and_accept' ? 2 : 1;
  };
  return states.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
}

/** The task of this id, or the one that a call or compilation of this id belongs to; null where there is none. */
export function taskHolding(states: readonly WorkState[], id: string): WorkState | null {
  return states.find((state) => state.task_id === id || isCall(state, id) || isCompilation(state, id)) ?? null;
}

export function isCall({ calls }: WorkState, id: string | null): boolean {
  return calls.some(({ call_id }) => call_id === id);
}

export function isCompilation({ compilations }: WorkState, id: string | null): boolean {
  return compilations.some(({ compilation_id }) => compilation_id === id);
}

/** The refusal of what a task does not ask for. */
export function unneeded({ task_id, task }: WorkState, asked: string): RecoveryRefused {
  const { next_operation: operation, on, reason } = task;
  const message = `The task ${task_id} does not ask for ${asked}: ${reason} Next: ${operation}.`;
  return new RecoveryRefused({ on, operation, hazard: 'unneeded' }, message);
}

export function noTask(): RecoveryRefused {
  return new RecoveryRefused(
    { on: null, operation: 'none', hazard: 'unneeded' },
    'The ledger holds no task. Create one first. Next: none.',
  );
}
