/**
 * What an operation concerns: the task whose projection is read, and the call or compilation of it.
 *
 * Without an id that is the first task that has something to do (for `recover`: that needs no person), and what that task names. An id may be that of a call, of a
 * compilation, or of a task, which again stands for what the task names.
 */
import type { Runtime } from '../../../calls/api/runtime.js';
import type { WorkState } from '../../../contract/types.js';
import { firstToRecover, firstUnresolved, isCall, isCompilation, taskHolding, unneeded } from '../../../calls/recovery/tasks.js';
import { UsageError } from '../../kit/environment.js';
import type { Wanted } from './wanted.js';

export interface Named {
  /** The projection that the decision is made from. */
  workState: WorkState;
  /** Null where the task names nothing. */
  on: string | null;
  /** Named by whoever asked, not by the task. */
  explicit: boolean;
}

/** Null where the ledger holds no task. Throws `UsageError` for an id that it does not hold. */
export function namedIn(runtime: Runtime, operation: Wanted['operation'], id: string | null): Named | null {
  const states = runtime.tasks().map(({ taskId }) => runtime.workState(taskId));
  if (id === null) {
    const first = operation === 'recover' ? firstToRecover(states) : firstUnresolved(states);
    return first === null ? null : { workState: first, on: first.task.on, explicit: false };
  }
  const workState = taskHolding(states, id);
  if (workState === null)
    throw new UsageError(`There is no ${id} in this ledger. Name a task, a call or a compilation that it holds.`);
  const explicit = workState.task_id !== id;
  return { workState, on: explicit ? id : workState.task.on, explicit };
}

/**
 * The id, where it is of the kind that the operation concerns. One that the task named and that is of another kind is a refusal: the
 * record names another operation. One that a person named is that person's mistake.
 */
export function demandOf(
  kind: 'call' | 'compilation',
  { workState, on, explicit }: Named,
  operation: Wanted['operation'],
): string {
  const fits = kind === 'call' ? isCall(workState, on) : isCompilation(workState, on);
  if (on !== null && fits) return on;
  if (explicit) throw new UsageError(`${on} is no ${kind}; ${operation} concerns one.`);
  throw unneeded(workState, operation);
}
