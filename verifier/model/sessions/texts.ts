/** The texts that a session writes where a tool wrote none, and what each terminal of a call is rendered to. */
import { sessionLogV1 } from '../../contract/data.js';
import { terminalOf } from './call-state.js';
import type { At, Call } from './history.js';

const { texts } = sessionLogV1;

/** Outcomes that no tool has told of: their results have one text each, and say that they are errors. */
export type Told = 'unknown' | 'interrupted' | 'max_steps' | 'not_sent';

export function textOf(outcome: Told): string {
  return texts[outcome];
}

/** Whether a result says what its outcome says; of a completed call only what the tool wrote decides. */
export function isResultText({ outcome, output, is_error: isError }: At<'tool_result'>): boolean {
  return outcome === 'completed' || (output === texts[outcome] && isError);
}

/** What a model reads as the result of a call; null while it has no terminal. */
export function resultText(call: Call): string | null {
  const terminal = terminalOf(call);
  if (terminal === null) return null;
  return 'outcome' in terminal ? terminal.output : texts.no_dispatch[terminal.reason];
}
