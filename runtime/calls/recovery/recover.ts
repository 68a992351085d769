/**
 * Recover: carry out what a task asks for, again and again, until it asks for nothing or for a person.
 *
 * Each step is an operation of its own, made from the projection of its moment; a process that dies on the way leaves what the next one
 * goes on from. An effect that stays unknown ends it: nothing is sent a second time in the hope of more luck.
 */
import type { CallOutcome } from '../live/call.js';
import type { WorkState } from '../../contract/types.js';
import { demandMembers } from '../../core/demands.js';
import { CompilationFailed, PreparationFailed, RecoveryRefused, ResumeRefused } from '../core/refusals.js';
import type { Unattended } from '../core/operations.js';
import type { CarriedOut } from '../core/vocabulary.js';
import type { OperationOptions, Recovered, RecoverOptions, Stopped } from './options.js';
import { firstToRecover, nextStep, noTask, nothingIsLeft, unneeded } from './tasks.js';

/** What a recovery uses of a runtime. */
export interface Recoverable {
  tasks(): { taskId: string }[];
  workState(taskId: string): WorkState;
  recompile(id: string, options: OperationOptions): unknown;
  resumeCall(id: string, options: OperationOptions): Promise<CallOutcome>;
  reconcile(id: string, options: OperationOptions): Promise<unknown>;
  reinterpret(id: string, options: OperationOptions): unknown;
  redecide(id: string, options: OperationOptions): unknown;
  startNextAttempt(id: string, options: OperationOptions): Promise<CallOutcome | Stopped>;
  finalize(id: string, options: OperationOptions): CallOutcome;
}

const methods: Record<Unattended, (runtime: Recoverable, on: string, options: OperationOptions) => Promise<unknown>> = {
  recompile: async (runtime, on, options) => runtime.recompile(on, options),
  start_call: (runtime, on, options) => runtime.resumeCall(on, options),
  reconcile_effect: (runtime, on, options) => runtime.reconcile(on, options),
  reinterpret: async (runtime, on, options) => runtime.reinterpret(on, options),
  redecide: async (runtime, on, options) => runtime.redecide(on, options),
  start_next_attempt: (runtime, on, options) => runtime.startNextAttempt(on, options),
  finalize: async (runtime, on, options) => runtime.finalize(on, options),
};

export async function recover(runtime: Recoverable, wanted: string | undefined, options: RecoverOptions): Promise<Recovered> {
  demandMembers('options', options, ['settings', 'onRead', 'onStep'], '');
  const taskId = wanted ?? firstTask(runtime);
  const operations: CarriedOut[] = [];
  let outcome: CallOutcome | null = null;
  for (;;) {
    const workState = runtime.workState(taskId);
    const { next_operation: next, on } = workState.task;
    options.onRead?.(next, on);
    const step = nextStep(workState);
    if (step === null) {
      if (operations.length > 0 || nothingIsLeft(next)) return { operations, next, on, outcome };
      throw unneeded(workState, 'a recovery without a person');
    }
    options.onStep?.(step.operation, step.on);
    try {
      const { settings } = options;
      const told = await methods[step.operation](runtime, step.on, { workState, ...(settings && { settings }) });
      if (isOutcome(told)) outcome = told;
    } catch (error) {
      if (isRefusal(error) && operations.length > 0) return { operations, next, on, outcome };
      if (!isRecordedFailure(error)) throw error;
    }
    operations.push(step.operation);
  }
}

function firstTask(runtime: Recoverable): string {
  const first = firstToRecover(runtime.tasks().map(({ taskId }) => runtime.workState(taskId)));
  if (first === null) throw noTask();
  return first.task_id;
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
