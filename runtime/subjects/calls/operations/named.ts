/**
 * What an operation concerns: the task whose projection is read, and the call or compilation of it.
 *
 * Without an id that is the first task that has something to do (for `recover`: that needs no person), and what that task names. An id may be that of a call, of a
 * compilation, or of a task, which again stands for what the task names.
 */
import type { Runtime } from '../../../api/runtime.js';
import type { WorkState } from '../../../contract/types.js';
import { RecoveryRefused } from '../../../core/errors.js';
import { inOrderOfNeed } from '../../../recovery/recover.js';
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
    const [needy] = inOrderOfNeed(states, ({ task }) => task.next_operation);
    const first = operation === 'recover' ? (needy ?? null) : firstUnresolved(states);
    return first === null ? null : { workState: first, on: first.task.on, explicit: false };
  }
  const workState = states.find((state) => state.task_id === id || isCall(state, id) || isCompilation(state, id));
  if (workState === undefined)
    throw new UsageError(`There is no ${id} in this ledger. Name a task, a call or a compilation that it holds.`);
  const explicit = workState.task_id !== id;
  return { workState, on: explicit ? id : workState.task.on, explicit };
}

/** The first task that has something to do, else the first. */
export function firstUnresolved(states: readonly WorkState[]): WorkState | null {
  return states.find(({ task }) => task.next_operation !== 'none') ?? states[0] ?? null;
}

export function isCall(state: WorkState, id: string | null): boolean {
  return state.calls.some(({ call_id }) => call_id === id);
}

export function isCompilation(state: WorkState, id: string | null): boolean {
  return state.compilations.some(({ compilation_id }) => compilation_id === id);
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

export function unneeded({ task_id, task }: WorkState, asked: string): RecoveryRefused {
  return new RecoveryRefused(
    { on: task.on, operation: task.next_operation, hazard: 'unneeded' },
    `The task ${task_id} does not ask for ${asked}: ${task.reason} Next: ${task.next_operation}.`,
  );
}
