/**
 * Recover: carry out what a task asks for, again and again, until it asks for nothing or for a person.
 *
 * Each step is an operation of its own, made from the projection of its moment; a process that dies on the way leaves what the next one
 * goes on from. An effect that stays unknown ends it: nothing is sent a second time in the hope of more luck.
 */
import type { CallOutcome } from '../calls/call.js';
import type { WorkState } from '../contract/types.js';
import { CompilationFailed, PreparationFailed, RecoveryRefused, ResumeRefused } from '../core/errors.js';
import type { CarriedOut, Operation } from '../core/vocabulary.js';
import type { OperationOptions, Recovered, RecoverOptions, Stopped } from './options.js';

/** What a recovery uses of a runtime. */
export interface Acting {
  tasks(): { taskId: string; nextOperation: Operation }[];
  workState(taskId: string): WorkState;
  recompile(id: string, options: OperationOptions): unknown;
  resumeCall(id: string, options: OperationOptions & { operation: Operation }): Promise<CallOutcome>;
  reconcile(id: string, options: OperationOptions): Promise<unknown>;
  reinterpret(id: string, options: OperationOptions): unknown;
  redecide(id: string, options: OperationOptions): unknown;
  startNextAttempt(id: string, options: OperationOptions): Promise<CallOutcome | Stopped>;
  finalize(id: string, options: OperationOptions): CallOutcome;
}

type Step = (runtime: Acting, on: string, options: OperationOptions) => Promise<unknown>;

/** The operations that need no person. */
const steps: Partial<Record<Operation, Step>> & Partial<Record<CarriedOut, Step>> = {
  recompile: async (runtime, on, options) => runtime.recompile(on, options),
  start_call: (runtime, on, options) => runtime.resumeCall(on, { ...options, operation: 'start_call' }),
  reconcile_effect: (runtime, on, options) => runtime.reconcile(on, options),
  reinterpret: async (runtime, on, options) => runtime.reinterpret(on, options),
  redecide: async (runtime, on, options) => runtime.redecide(on, options),
  start_next_attempt: (runtime, on, options) => runtime.startNextAttempt(on, options),
  finalize: async (runtime, on, options) => runtime.finalize(on, options),
};

export async function recover(runtime: Acting, wanted: string | undefined, options: RecoverOptions): Promise<Recovered> {
  const taskId = wanted ?? firstUnresolved(runtime);
  const operations: CarriedOut[] = [];
  let outcome: CallOutcome | null = null;
  for (;;) {
    const workState = runtime.workState(taskId);
    const { next_operation: next, on, reason } = workState.task;
    options.onRead?.(next, on);
    const step = steps[next];
    if (step === undefined || on === null) {
      if (operations.length > 0 || nothingIsLeft(next)) return { operations, next, on, outcome };
      throw refused(on, next, `The task ${taskId} cannot go on without a person: ${reason} Next: ${next}.`);
    }
    // A step is never one that leaves nothing to do, or leaves it to a person.
    const operation = next as CarriedOut;
    options.onStep?.(operation, on);
    try {
      const told = await step(runtime, on, { workState, ...(options.settings && { settings: options.settings }) });
      if (isOutcome(told)) outcome = told;
    } catch (error) {
      if (isRefusal(error) && operations.length > 0) return { operations, next, on, outcome };
      if (!isRecordedFailure(error)) throw error;
    }
    operations.push(operation);
  }
}

/** To recover what needs no recovery does nothing, and is no mistake: whoever cannot know whether it was done may ask again. */
function nothingIsLeft(next: Operation): boolean {
  return next === 'none' || next === 'check_and_accept';
}

function firstUnresolved(runtime: Acting): string {
  const tasks = runtime.tasks();
  const [first] = inOrderOfNeed(tasks, ({ nextOperation }) => nextOperation);
  if (first === undefined) throw refused(null, 'none', 'The ledger holds no task. Next: none.');
  return first.taskId;
}

/** First the tasks that need no person, then those that ask for one, then those of which only the result is to be judged, then the rest. */
export function inOrderOfNeed<Task>(tasks: readonly Task[], nextOf: (task: Task) => Operation): Task[] {
  const rank = (task: Task): number => {
    const next = nextOf(task);
    if (next in steps) return 0;
    if (next === 'none') return 3;
    return next === 'check_and_accept' ? 2 : 1;
  };
  return tasks.toSorted((a, b) => rank(a) - rank(b));
}

/** Nothing was done; a resume refuses by a name of its own. */
function isRefusal(error: unknown): boolean {
  return error instanceof RecoveryRefused || error instanceof ResumeRefused;
}

/** It was carried out, and its failure is on record: the work state says what follows. */
function isRecordedFailure(error: unknown): boolean {
  return error instanceof CompilationFailed || error instanceof PreparationFailed;
}

function isOutcome(told: unknown): told is CallOutcome {
  return typeof told === 'object' && told !== null && 'callId' in told;
}

function refused(on: string | null, operation: Operation, message: string): RecoveryRefused {
  return new RecoveryRefused({ on, operation, hazard: 'unneeded' }, message);
}
