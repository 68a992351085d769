/** Dry run: the plan of an operation, from the same place as the doing, and not carried out. Of `recover` it is the plan of the first step. */
import type { Committer } from '../calls/committer.js';
import type { Config } from '../calls/context.js';
import { RecoveryRefused, RuntimeError } from '../core/errors.js';
import type { CarriedOut, Operation } from '../core/vocabulary.js';
import type { WorkState } from '../contract/types.js';
import { projectWorkState } from '../core/work-state.js';
import { planAcceptDuplicate } from './accept-duplicate.js';
import { planJudgement } from './check-and-accept.js';
import { planFinalize } from './finalize.js';
import { planFixCall, planFixCompilation } from './fix-inputs.js';
import type { DryRun, DryRunOptions } from './options.js';
import { readAgain, type Plan } from './plan.js';
import { planReconcile } from './reconcile.js';
import { planRecompile } from './recompile.js';
import { inOrderOfNeed } from './recover.js';
import { planRedecide } from './redecide.js';
import { planReinterpret } from './reinterpret.js';
import { planResume } from './resume.js';
import { planNextAttempt } from './start-next-attempt.js';

interface Asked {
  committer: Committer;
  config: Config;
  on: string;
  options: DryRunOptions;
}

/** Who decides does not change what would be appended. */
const somebody = { by: 'somebody', note: '' };

const plans: Record<CarriedOut, (asked: Asked) => Plan<unknown>> = {
  start_call: ({ committer, config, on, options }) => planResume(committer, config, on, options),
  recompile: ({ committer, on }) => planRecompile(committer, on),
  fix_inputs: planFix,
  reconcile_effect: ({ committer, config, on, options }) => planReconcile(committer, config, on, options),
  accept_duplicate: ({ committer, on }) => planAcceptDuplicate(committer, on, somebody),
  reinterpret: ({ committer, on, options }) => planReinterpret(committer, on, options),
  redecide: ({ committer, on }) => planRedecide(committer, on),
  start_next_attempt: ({ committer, config, on, options }) => planNextAttempt(committer, config, on, options),
  finalize: ({ committer, on }) => planFinalize(committer, on),
  check_and_accept: ({ committer, on, options }) =>
    planJudgement(committer, taskOf(committer, on), options.judgement ?? 'accepted', somebody),
};

export function dryRun(
  committer: Committer,
  config: Config,
  operation: CarriedOut | 'recover',
  id: string | null,
  options: DryRunOptions,
): DryRun {
  readAgain(committer, options);
  const states = [...committer.history.tasks.keys()].map((taskId) => projectWorkState(committer.history, taskId) as WorkState);
  const task = id === null ? unnamed(states, operation) : named(states, id);
  const on = id === null || id === task?.task_id ? (task?.task.on ?? null) : id;
  if (operation !== 'recover' && !Object.hasOwn(plans, operation))
    throw new RuntimeError('input-invalid', `Nothing is carried out by the name ${String(operation)}.`);
  const asked = operation === 'recover' ? recoverable(task) : operation;
  if (on === null) throw nothingToDo(task, asked);
  const { appends, sends } = plans[asked]({ committer, config, on, options });
  return { appends, sends };
}

/** The first task that has something to do; for `recover` the one that it would begin with. */
function unnamed(states: readonly WorkState[], operation: CarriedOut | 'recover'): WorkState | null {
  if (operation === 'recover') return inOrderOfNeed(states, ({ task }) => task.next_operation)[0] ?? null;
  return states.find(({ task }) => task.next_operation !== 'none') ?? states[0] ?? null;
}

/** The task that an id belongs to. */
function named(states: readonly WorkState[], id: string): WorkState | null {
  return (
    states.find(({ task_id, calls, compilations }) =>
      [task_id, ...calls.map(({ call_id }) => call_id), ...compilations.map((one) => one.compilation_id)].includes(id),
    ) ?? null
  );
}

function recoverable(task: WorkState | null): CarriedOut {
  const operation: Operation = task?.task.next_operation ?? 'none';
  if (operation in plans && operation !== 'check_and_accept' && operation !== 'fix_inputs') return operation as CarriedOut;
  throw nothingToDo(task, 'a recovery without a person');
}

function nothingToDo(task: WorkState | null, asked: string): RecoveryRefused {
  const {
    next_operation: operation,
    on,
    reason,
  } = task?.task ?? { next_operation: 'none', on: null, reason: 'There is no task.' };
  return new RecoveryRefused(
    { on, operation, hazard: 'unneeded' },
    `The record does not ask for ${asked}: ${reason} Next: ${operation}.`,
  );
}

function taskOf({ history }: Committer, on: string): string {
  const taskId = history.tasks.has(on) ? on : history.calls.get(on)?.taskId;
  if (taskId === undefined) throw new RuntimeError('task-unknown', `There is no ${on} in this ledger. Read its work state.`);
  return taskId;
}

/** Without inputs only the request for them is known. */
function planFix({ committer, config, on, options }: Asked): Plan<unknown> {
  const { inputs = {} } = options;
  const isCompilation = committer.history.compilations.has(on);
  if (!isCompilation) return planFixCall(committer, config, on, 'items' in inputs ? {} : inputs, options);
  if ('items' in inputs) return planFixCompilation(committer, config, on, inputs, options);
  const plan = planFixCompilation(committer, config, on, { items: [], requiredIds: [] }, options);
  return { ...plan, appends: plan.appends.slice(0, 1) };
}
