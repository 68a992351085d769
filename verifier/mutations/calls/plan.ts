/** Breaks in what a plan predicts of a ledger. */
import { expectation, onPlace, type Families } from '../places.js';
import { changeEvents, coverAll } from './edits.js';
import { resumed } from './places.js';

export const callsPlanMutations = {
  'prediction-failed': [
    onPlace(resumed, 'there is a task that the plan does not speak of', ['prediction-failed'], (editor, target) => {
      changeEvents(editor, target, (events) => {
        const last = events.at(-1);
        if (last === undefined) return;
        const none = { call_id: null, attempt_id: null, compilation_id: null };
        events.push({
          ...last,
          ...none,
          seq: last.seq + 1,
          task_id: 'another',
          type: 'task.created',
          payload: { title: 'Another' },
        });
      });
      coverAll(editor, target);
      expectation(editor, target, (expect) => {
        expect.events += 1;
        expect.task ??= { stage: 'open', next_operation: 'check_and_accept' };
      });
    }),
  ],
} satisfies Families;
