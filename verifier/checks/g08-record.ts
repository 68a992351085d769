/**
 * G8: The ledger is readable with exactly the expected schema, gapless and chained by digest; every payload is canonical and of its
 * event's shape; every artifact that an event names is there under its hash.
 * Verified: all of that, over the image merged from database and log.
 * Not verified: that the end was not cut off together with its receipts (a chain proves a prefix); media types of artifacts.
 */
import { need, perSnapshot, type CaseCheck } from './check.js';

export const g08: CaseCheck = {
  guarantee: 'G8',
  sentence:
    "The ledger is readable with exactly the expected schema, gapless and chained by digest; every payload is canonical and of its event's shape; every artifact that an event names is there under its hash.",
  covers: 'the merged image, the schema, seq, digests, payloads and artifacts of every snapshot',
  doesNotCover: 'an end that was cut off from ledger and receipts in step; media types',
  codes: ['ledger-unreadable', 'ledger-schema', 'event-chain-broken', 'event-malformed', 'artifact-missing', 'artifact-altered'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, (snapshot, say) => {
      if (!snapshot.present) need(snapshot.ledger);
      const { problem } = snapshot.ledger;
      const file = snapshot.file('state/ledger.sqlite');
      if (problem?.code === 'ledger-schema') say('ledger-schema', problem.detail, { file });
      else if (problem !== undefined) say('ledger-unreadable', problem.detail, { file });
      else if (need(snapshot.ledger).events.length === 0) say('ledger-unreadable', 'The ledger holds no event.', { file });
      for (const { code, seq, detail } of snapshot.ledger.value?.problems ?? []) say(code, detail, { file, seq });
    }),
};
