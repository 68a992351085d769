/**
 * The conversation that a log says, as typed units: user texts, assistant messages, results.
 *
 * A message with calls is there only with all of its results behind it, so no prefix of the log can be rendered into a call without a
 * result. Where a steer stands follows from the order of the log alone: it can move nothing that was rendered before it.
 */
import type { SessionHistory } from './history.js';
import type { Step, Terminal } from './run.js';
import { noDispatchText } from './texts.js';
import type { ModelCall } from './vocabulary.js';

export type Turn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string | null; readonly calls: readonly ModelCall[] }
  | { readonly role: 'result'; readonly toolCallId: string; readonly output: string };

/** What the log up to the frame `watermark` says; all of it, where none is given. */
export function transcriptOf(history: Pick<SessionHistory, 'runs'>, watermark: number = Number.MAX_SAFE_INTEGER): Turn[] {
  const turns: Turn[] = [];
  for (const run of history.runs) {
    if (run.startedSeq > watermark) break;
    turns.push({ role: 'user', text: run.input });
    let placed = 0;
    const placeSteers = (upTo: number): void => {
      for (let steer = run.steers[placed]; steer !== undefined && steer.seq <= upTo; steer = run.steers[placed]) {
        turns.push({ role: 'user', text: steer.text });
        placed += 1;
      }
    };
    for (const step of run.steps) {
      if (step.seq > watermark) break;
      placeSteers(step.watermark);
      turns.push(...unitsOf(step, watermark));
    }
    placeSteers(watermark);
  }
  return turns;
}

function unitsOf({ answer, calls, batch }: Step, watermark: number): Turn[] {
  if (answer === null || answer.seq > watermark) return [];
  const { text, tool_calls: asked } = answer.assistant;
  if (asked.length > 0 && (batch === null || batch.finishedSeq === null || batch.finishedSeq > watermark)) return [];
  const results = calls.flatMap(({ call, terminal }): Turn[] =>
    terminal === null ? [] : [{ role: 'result', toolCallId: call.id, output: outputOf(terminal) }],
  );
  return [{ role: 'assistant', text, calls: asked }, ...results];
}

function outputOf(terminal: Terminal): string {
  return terminal.kind === 'result' ? terminal.output : noDispatchText(terminal.reason);
}
