/** Dry run: what an operation would do, from the same place as the doing, and not done. Of `recover` it is the first step. */
import type { Committer } from '../live/committer.js';
import type { Config } from '../live/config.js';
import { RuntimeError } from '../../core/errors.js';
import type { CarriedOut } from '../core/vocabulary.js';
import type { WorkState } from '../../contract/types.js';
import { projectWorkState } from '../core/work-state.js';
import { readAgain, type Proposal } from './act.js';
import { proposeAcceptDuplicate } from './accept-duplicate.js';
import { proposeJudgement } from './check-and-accept.js';
import { proposeFinalize } from './finalize.js';
import { proposeFixCall } from './fix-call.js';
import { proposeFixCompilation } from './fix-compilation.js';
import type { DryRun, DryRunOptions } from './options.js';
import { proposeReconcile } from './reconcile.js';
import { proposeRecompile } from './recompile.js';
import { proposeRedecide } from './redecide.js';
import { proposeReinterpret } from './reinterpret.js';
import { proposeResume } from './resume.js';
import { proposeNextAttempt } from './start-next-attempt.js';
import { firstToRecover, firstUnresolved, nextStep, noTask, nothingIsLeft, taskHolding, unneeded } from './tasks.js';

interface Asked {
  committer: Committer;
  config: Config;
  on: string;
  options: DryRunOptions;
}

/** Who decides does not change what would be appended. */
const somebody = { by: 'somebody', note: '' };

const proposals: Record<CarriedOut, (asked: Asked) => Proposal<unknown>> = {
  start_call: ({ committer, config, on, options }) => proposeResume(committer, config, on, options),
  recompile: ({ committer, on }) => proposeRecompile(committer, on),
  fix_inputs: proposeFix,
  reconcile_effect: ({ committer, config, on, options }) => proposeReconcile(committer, config, on, options),
  accept_duplicate: ({ committer, on }) => proposeAcceptDuplicate(committer, on, somebody),
  reinterpret: ({ committer, on, options }) => proposeReinterpret(committer, on, options),
  redecide: ({ committer, on }) => proposeRedecide(committer, on),
  start_next_attempt: ({ committer, config, on, options }) => proposeNextAttempt(committer, config, on, options),
  finalize: ({ committer, on }) => proposeFinalize(committer, on),
  check_and_accept: ({ committer, on, options }) =>
    proposeJudgement(committer, taskOf(committer, on), options.judgement ?? 'accepted', somebody),
};

export function dryRun(
  committer: Committer,
  config: Config,
  operation: CarriedOut | 'recover',
  id: string | null,
  options: DryRunOptions,
): DryRun {
  readAgain(committer, options);
  if (operation !== 'recover' && !Object.hasOwn(proposals, operation))
    throw new RuntimeError('input-invalid', `Nothing is carried out by the name ${String(operation)}.`);
  const states = [...committer.history.tasks.keys()].map((taskId) => projectWorkState(committer.history, taskId) as WorkState);
  const first = operation === 'recover' ? firstToRecover : firstUnresolved;
  const state = id === null ? first(states) : taskHolding(states, id);
  const told = (asked: CarriedOut, on: string): DryRun => {
    const { appends, sends } = proposals[asked]({ committer, config, on, options });
    return { appends, sends };
  };
  if (operation === 'recover') {
    if (id !== null && state === null) throw unknownTask(id);
    return ofRecovery(state, told);
  }
  const on = id === null || id === state?.task_id ? (state?.task.on ?? null) : id;
  if (on === null) throw state === null ? noTask() : unneeded(state, operation);
  return told(operation, on);
}

function ofRecovery(state: WorkState | null, told: (asked: CarriedOut, on: string) => DryRun): DryRun {
  if (state === null) throw noTask();
  const step = nextStep(state);
  if (step !== null) return told(step.operation, step.on);
  if (nothingIsLeft(state.task.next_operation)) return { appends: [], sends: [] };
  throw unneeded(state, 'a recovery without a person');
}

function taskOf({ history }: Committer, on: string): string {
  const taskId = history.tasks.has(on) ? on : history.calls.get(on)?.taskId;
  if (taskId === undefined) throw unknownTask(on);
  return taskId;
}

function unknownTask(id: string): RuntimeError {
  return new RuntimeError('task-unknown', `There is no ${id} in this ledger. Read its work state.`);
}

/** Without inputs only the request for them is known. */
function proposeFix({ committer, config, on, options }: Asked): Proposal<unknown> {
  const { inputs } = options;
  const { calls, compilations } = committer.history;
  if (inputs === undefined) {
    if (!compilations.has(on)) return proposeFixCall(committer, config, on, {}, options);
    const proposal = proposeFixCompilation(committer, config, on, { items: [], requiredIds: [] }, options);
    return { ...proposal, appends: proposal.appends.slice(0, 1) };
  }
  if ('items' in inputs) {
    if (calls.has(on)) throw wrongKind(`${on} is a call: give an instruction or the id of a compilation.`);
    return proposeFixCompilation(committer, config, on, inputs, options);
  }
  if (compilations.has(on)) throw wrongKind(`${on} is a compilation: give items and required ids.`);
  return proposeFixCall(committer, config, on, inputs, options);
}

function wrongKind(told: string): RuntimeError {
  return new RuntimeError('input-invalid', told);
}
