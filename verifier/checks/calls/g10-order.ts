/**
 * G10: Events come in an order that the runtime's rules allow: intent before observation, observation before interpretation,
 * nothing after the end.
 * Verified: the table of `model/event-order.ts` over every event of every snapshot, with the ids that tie events together.
 * Not verified: what the events say (G11 to G14); whether an order between two different calls was the intended one.
 */
import { orderProblems } from '../../model/calls/event-order.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { plannedEvents } from '../derived.js';

export const g10: CaseCheck = {
  guarantee: 'G10',
  sentence:
    "Events come in an order that the runtime's rules allow: intent before observation, observation before interpretation, nothing after the end.",
  covers: 'every event of every snapshot, with the ids that tie it to its task, compilation, call and attempt',
  doesNotCover: 'the order between different calls',
  codes: ['order-violated'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedEvents, (snapshot, say) => {
      let judged = 0;
      for (const { ledger, ledgerFile: file } of snapshot.states) {
        const { events } = need(ledger);
        for (const { seq, detail } of orderProblems(events)) say('order-violated', detail, { file, seq });
        judged += events.length;
      }
      return judged;
    }),
};
