/**
 * G34: Records come in an order that the barriers allow: the plan and its intents before any result, exactly one terminal for each planned
 * call, the batch and the turn finished before the next step, nothing after the end of a run.
 * Verified: the rules of `order.ts` over every record of every log, with the ids that tie records together and the plan that follows from
 * configuration, arguments and decisions; by what each frame knew to be durable, that what must be synced before something leaves was, and that
 * barriers are those of the contract; the usage of a run as the sum of its steps.
 * Not verified: whether a tool was available; what was synced in an earlier tenure; whether a sync reached the disk.
 */
import { perSnapshot, type CaseCheck } from '../check.js';
import { plannedEvents } from '../derived.js';
import { barrierProblems, gapsInDurable, sharedBarriers, splitBarriers } from './barriers.js';
import { isGrouped } from './commit-place.js';
import { addedFrames, logIn } from './derived.js';
import { orderProblems } from './order.js';

export const g34: CaseCheck = {
  guarantee: 'G34',
  sentence:
    'Records come in an order that the barriers allow: the plan and its intents before any result, exactly one terminal for each planned call, the batch and the turn finished before the next step, nothing after the end of a run.',
  covers:
    'every record of every log, with the ids that tie it to its run, step, batch and call; the plan of every batch; what each frame knew to be durable',
  doesNotCover: 'whether a tool was available; what an earlier tenure had synced; whether a sync reached the disk',
  codes: ['record-order'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(snapshots, plannedEvents, (snapshot, say) => {
      let judged = 0;
      for (const state of snapshot.states) {
        const { frames, records } = logIn(state);
        const isAlone = !isGrouped(bundle, snapshot);
        const problems = [
          ...orderProblems(records),
          ...barrierProblems(records),
          ...gapsInDurable(frames),
          ...(isAlone ? sharedBarriers : splitBarriers)(addedFrames(snapshot, state)),
        ];
        for (const { seq, detail } of problems) say('record-order', detail, { file: state.logFile, seq });
        judged += frames.length;
      }
      return judged;
    }),
};
