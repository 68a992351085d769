/**
 * What must have been durable before what, by what the frames themselves say: `synced` is the highest seq that was known to be durable when
 * a frame was written. Only frames of one tenure are held against each other: what an earlier process had synced, a later one cannot know.
 */
import { historyOf } from '../../model/sessions/fold.js';
import type { Call, Run, Step } from '../../model/sessions/history.js';
import type { SessionFrame, SessionRecord } from '../../read/session-records.js';
import { once } from './once.js';
import type { Disorder } from './order.js';

export const barrierProblems = once((records: readonly SessionRecord[]): readonly Disorder[] => {
  const frames = new Map(records.map((record) => [record.seq, record]));
  const problems: Disorder[] = [];
  const demand = (later: number, earlier: number | undefined, detail: string): void => {
    const [after, before] = [frames.get(later), frames.get(earlier ?? 0)];
    if (after !== undefined && before !== undefined && after.fence === before.fence && after.synced < before.seq)
      problems.push({ seq: later, detail });
  };
  for (const run of historyOf(records).runs) {
    run.steps.forEach((step, index) => {
      stepBarriers(run, step, run.steps[index - 1], demand);
      callBarriers(step, demand);
    });
  }
  return problems;
});

type Demand = (later: number, earlier: number | undefined, detail: string) => void;

/** The end of an attempt is written after its request has left. */
function stepBarriers(run: Run, step: Step, before: Step | undefined, demand: Demand): void {
  for (const { seq, attempt, outcome } of step.attemptsFinished) {
    if (outcome === 'not_sent') continue;
    demand(seq, run.seq, 'A model was asked before its run was durable.');
    demand(seq, before?.turnFinished?.seq, 'A model was asked before the turn before it was durable.');
    const intent = step.attempts.find((one) => one.attempt === attempt);
    demand(seq, intent?.seq, 'A model was asked before the intent was durable.');
  }
}

/** Every intent before anything is dispatched, and each result before the next. */
function callBarriers({ calls, batch }: Step, demand: Demand): void {
  const results = calls.flatMap((call) => returned(call)).sort((left, right) => left.seq - right.seq);
  results.forEach(({ seq }, index) => {
    demand(seq, batch?.started.seq, 'A call was dispatched before its plan was durable.');
    for (const { intents } of calls) demand(seq, intents[0]?.seq, 'A call was dispatched before the intents were durable.');
    demand(seq, results[index - 1]?.seq, 'A result was not synced on its own.');
  });
}

function returned({ results }: Call): Call['results'] {
  return results.filter(({ outcome }) => outcome === 'completed' || outcome === 'not_sent');
}

/** Where every record is a barrier of its own, each knows the one before it to be durable; a lineage frame goes with what follows it. */
export function sharedBarriers(added: readonly SessionFrame[]): Disorder[] {
  return added.flatMap(({ seq, synced, type }, index) => {
    const isFirst = type === 'lineage' || added[index - 1]?.type === 'lineage' || index === 0;
    return isFirst || synced === seq - 1
      ? []
      : [{ seq, detail: 'A record shares a barrier where each is to have one of its own.' }];
  });
}
