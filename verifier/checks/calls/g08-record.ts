/**
 * G8: The ledger is readable with exactly the expected schema, gapless and chained by digest; every payload is canonical and of its
 * event's shape; every artifact that an event names is there under its hash and media type, and no other; and beside the ledger lies
 * only the format record of the plan's subject.
 * Verified: all of that, over the image merged from database and log, and every text of it as UTF-8.
 * Not verified: that the end was not cut off together with its receipts (a chain proves a prefix); the media type of a response,
 * which is as received.
 */
import { ledgerV1 } from '../../contract/data.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { isCut } from '../../read/plan.js';
import type { StateEvidence } from '../../read/state.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import { isExternal, plannedEvents } from '../derived.js';

export const g08: CaseCheck = {
  guarantee: 'G8',
  sentence:
    "The ledger is readable with exactly the expected schema, gapless and chained by digest; every payload is canonical and of its event's shape; every artifact that an event names is there under its hash and media type, and no other; and beside the ledger lies only the format record of the plan's subject.",
  covers: 'the merged image, the schema, seq, digests, payloads, artifacts and the files of the state folder of every snapshot',
  doesNotCover: 'an end that was cut off from ledger and receipts in step; the media types of responses',
  codes: [
    ...(['ledger-unreadable', 'ledger-schema', 'event-chain-broken', 'event-malformed'] as const),
    ...(['artifact-missing', 'artifact-altered', 'artifact-orphaned', 'state-malformed'] as const),
  ],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(snapshots, plannedEvents, (snapshot, say) => {
      if (!snapshot.present) need(snapshot.ledger);
      const judged = snapshot.states.map((state) => {
        if (state.unfinished) return 0;
        folderWrong(snapshot, state, bundle, say);
        return ledgerJudged(snapshot, state, say);
      });
      return judged.reduce((sum, events) => sum + events, 0);
    }),
};

/** How many of its events could be judged. */
function ledgerJudged({ lineage }: Snapshot, { ledger, ledgerFile: file }: StateEvidence, say: Say): number {
  const { problem } = ledger;
  if (problem !== undefined) {
    say(problem.code === 'ledger-schema' ? 'ledger-schema' : 'ledger-unreadable', problem.detail, { file });
    return 0;
  }
  const { events, problems } = ledger.value;
  // A kill before a system call, or a call that fails, may come between the making of the ledger and its first event.
  const wasCut = lineage.some(({ planned }) => isCut(planned));
  if (events.length === 0 && !wasCut) say('ledger-unreadable', 'The ledger holds no event.', { file });
  for (const { code, seq, detail } of problems) say(code, detail, { file, seq });
  return events.length;
}

const stateFiles = new Set(['format.json', 'ledger.sqlite', 'ledger.sqlite-wal']);

/** A missing ledger is unreadable, and a missing or malformed format record is named by G3. */
function folderWrong(snapshot: Snapshot, state: StateEvidence, bundle: Bundle, say: Say): void {
  for (const { path } of state.files) {
    if (!stateFiles.has(path))
      say('state-malformed', 'The state folder holds a file that no ledger has.', { file: state.file(path) });
  }
  const format = state.format.value;
  const plan = bundle.plan.value;
  if (format === undefined || plan === undefined) return;
  const file = state.file('format.json');
  if (format.storage !== ledgerV1.storage) say('state-malformed', 'The format record names another storage.', { file });
  // A subject of one's own may build on the storage of another, and then bears its name.
  if (format.subject !== plan.subject && !isExternal(snapshot))
    say('state-malformed', 'The format record names another subject than the plan.', { file });
}
