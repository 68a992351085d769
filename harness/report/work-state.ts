/**
 * The work state of a task for people: the seven questions, and each call and compilation in a line. Pure.
 */
import type { WorkState } from '../contract/types.js';

export function workStateText(state: WorkState): string {
  const { answers, task } = state;
  const list = (items: readonly string[]): string => (items.length === 0 ? 'nothing' : items.join(', '));
  const questions: [string, string][] = [
    ['attempted', list(answers.attempted)],
    ['inputs', list(answers.inputs.map(({ compilation_id, offered_ids }) => `${compilation_id}: ${list(offered_ids)}`))],
    ['required', list(answers.required.map(({ compilation_id, required_ids }) => `${compilation_id}: ${list(required_ids)}`))],
    ['failed', list(answers.failed.map(({ id, error }) => `${id} (${error})`))],
    ['succeeded', list(answers.succeeded)],
    [
      'unresolved',
      list(
        answers.unresolved.map(
          ({ id, next_operation, provider_effect }) => `${id} (${next_operation}, effect ${provider_effect})`,
        ),
      ),
    ],
    [
      'safe next',
      `${operationOn(answers.safe_next)}${answers.safe_next.repeats_effect ? '; repeating the unresolved work could duplicate an effect' : ''}`,
    ],
  ];
  return (
    [
      `task ${state.task_id}: ${task.stage}, next ${operationOn({ operation: task.next_operation, on: task.on })} (${state.last_seq} events)`,
      `  ${task.reason}`,
      ...questions.map(([name, value]) => `  ${name.padEnd(11)} ${value}`),
      ...state.compilations.map(
        ({ compilation_id, stage, next_operation, reason }) => `  ${compilation_id}: ${stage}, next ${next_operation}. ${reason}`,
      ),
      ...state.calls.map(
        ({ call_id, stage, next_operation, provider_effect, duplicate_risk, reason }) =>
          `  ${call_id}: ${stage}, next ${next_operation}, effect ${provider_effect}${provider_effect === 'happened' ? ' (the request was served)' : ''}${duplicate_risk ? ', DUPLICATE RISK' : ''}. ${reason}`,
      ),
    ].join('\n') + '\n'
  );
}

function operationOn({ operation, on }: { operation: string; on: string | null }): string {
  return on === null ? operation : `${operation} on ${on}`;
}
