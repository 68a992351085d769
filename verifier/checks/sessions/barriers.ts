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

/** A sync covers everything before it: within a tenure a frame knows as durable what the one before it knew, or that one as well. */
export function gapsInDurable(frames: readonly SessionFrame[]): Disorder[] {
  return frames.flatMap(({ seq, synced, fence }, index) => {
    const before = frames[index - 1];
    const isOfTenure = before?.fence === fence;
    return isOfTenure && synced !== before.synced && synced !== seq - 1
      ? [{ seq, detail: 'A record knows a part of a barrier to be durable, and the rest not.' }]
      : [];
  });
}

/** What may stand directly behind a record only in its barrier, where barriers hold several. */
const together: Readonly<Partial<Record<string, readonly string[]>>> = {
  model_attempt_finished: ['model_step_finished'],
  approval_requested: ['approval_requested', 'run_paused'],
  tool_batch_started: ['tool_dispatch_intent', 'tool_no_dispatch'],
  tool_dispatch_intent: ['tool_dispatch_intent', 'tool_no_dispatch'],
  tool_batch_finished: ['turn_finished'],
};

/** Where records of one line of the contract's table stand directly behind each other, they are one barrier. */
export function splitBarriers(added: readonly SessionFrame[]): Disorder[] {
  return added.flatMap((frame, index) => {
    const before = added[index - 1];
    const isSplit = before !== undefined && before.synced !== frame.synced && isOneBarrier(before, frame);
    return isSplit ? [{ seq: frame.seq, detail: 'A record has a barrier of its own where it is to share one.' }] : [];
  });
}

function isOneBarrier(before: SessionFrame, { fence, type, payload }: SessionFrame): boolean {
  if (before.fence !== fence) return false;
  // What is closed out has its end in a barrier of its own.
  const isNaturalEnd = type === 'run_finished' && payload.reason === 'completed' && before.type === 'turn_finished';
  return isNaturalEnd || together[before.type]?.includes(type) === true;
}
