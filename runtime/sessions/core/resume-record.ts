/**
 * What a resume says of itself before it does anything: what it rebuilt without asking anybody, what it does again, and of what nobody can
 * know. For people: no reader decides anything from it.
 */
import { invariant } from '../../core/errors.js';
import { callStatesOf } from './call-states.js';
import type { SessionHistory } from './history.js';
import { decisionsOf, planCalls, unanswered } from './plan-batch.js';
import type { DraftOf } from './records.js';
import { lastStep, type Run, type Step } from './run.js';
import { stageOf } from './stages.js';
import type { Tool } from './vocabulary.js';

/**
 * The record of a resume of the run that has no end. `available` as in planning: a call without a plan is done again where it would be
 * dispatched now.
 */
export function resumeStarted(
  history: Pick<SessionHistory, 'runs' | 'current' | 'lastSeq'>,
  available: (tool: Tool) => boolean = () => true,
): DraftOf<'resume_started'> {
  const run = history.current;
  invariant(run !== undefined, 'only a run without an end is resumed');
  return {
    type: 'resume_started',
    payload: {
      run_id: run.runId,
      episode: run.episode,
      resumed_from_seq: history.lastSeq,
      replayed: replayed(history.runs),
      redone: redone(run, available),
      indeterminate: indeterminate(run),
    },
  };
}

/** Over the whole session, since all of it is in the next request. */
function replayed(runs: readonly Run[]): DraftOf<'resume_started'>['payload']['replayed'] {
  const steps = runs.flatMap((run) => run.steps);
  return {
    messages: runs.length + runs.reduce((count, run) => count + placedSteers(run), 0),
    model_steps: steps.filter(({ answer }) => answer !== null).length,
    tool_results: steps.reduce((count, { calls }) => count + calls.filter(({ terminal }) => terminal !== null).length, 0),
  };
}

/** A steer has its place once a step has started past it, or the run has ended. */
function placedSteers({ steers, steps, finished }: Run): number {
  const past = finished === null ? (steps.at(-1)?.watermark ?? 0) : Number.MAX_SAFE_INTEGER;
  return steers.filter(({ seq }) => seq <= past).length;
}

function redone(run: Run, available: (tool: Tool) => boolean): string[] {
  const step = lastStep(run);
  if (step === undefined) return [];
  const { operation } = stageOf(run);
  if (operation === 'run_step') return step.answer === null ? [step.stepId] : [];
  if (operation !== 'run_tools') return [];
  return step.batch === null ? toBeDispatched(run, step, available) : keysIn(step, 'never_left');
}

/** Nothing while a call of the step still waits for a person. */
function toBeDispatched({ config }: Run, step: Step, available: (tool: Tool) => boolean): string[] {
  if (step.answer === null) return [];
  const circumstances = { available, decisions: decisionsOf(step) };
  if (unanswered(step.answer.assistant, config, circumstances).length > 0) return [];
  const planned = planCalls(step.answer.assistant, config, circumstances);
  return step.calls.filter(({ index }) => planned[index]?.plan === 'dispatch').map(({ key }) => key);
}

function indeterminate(run: Run): string[] {
  const step = lastStep(run);
  if (step === undefined) return [];
  return stageOf(run).stage === 'model_unknown' ? [step.stepId] : keysIn(step, 'indeterminate');
}

function keysIn(step: Step, wanted: 'never_left' | 'indeterminate'): string[] {
  const states = callStatesOf(step);
  return step.calls.filter(({ index }) => states[index] === wanted).map(({ key }) => key);
}
