/**
 * G15: The inspector exported exactly the events and artifacts that the bytes hold.
 * Verified: every exported event and every line of the artifact inventory against the rows read here; that nothing of a session is among them.
 * Not verified: how the inspector read them; only that it read the same.
 */
import type { Event } from '../../contract/types.js';
import { sameJson } from '../../read/canonical.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { plannedEvents } from '../derived.js';

export const g15: CaseCheck = {
  guarantee: 'G15',
  sentence: 'The inspector exported exactly the events and artifacts that the bytes hold.',
  covers: 'every exported event and artifact of every snapshot',
  doesNotCover: 'how the inspector read them',
  codes: ['export-mismatch'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedEvents, (snapshot, say) => {
      const { events, artifacts } = need(snapshot.ledger);
      const exported = need(snapshot.inspection);
      const file = snapshot.file('inspection.json');
      const wrong = firstDifferent(events, exported.events ?? []);
      if (wrong >= 0)
        say('export-mismatch', 'An event differs from the exported one.', { file, seq: events[wrong]?.seq ?? null });
      if ((exported.events?.length ?? (snapshot.state.unfinished ? 0 : -1)) !== events.length)
        say('export-mismatch', 'Another number of events was exported.', { file });
      if (exported.status === 'refused' && (exported.events ?? exported.artifacts) !== undefined)
        say('export-mismatch', 'An inspector that was refused exported a record.', { file });
      const held = [...artifacts.values()].map(({ sha256, bytes, media_type }) => ({ media_type, sha256, size: bytes.length }));
      const listed = [...(exported.artifacts ?? [])].sort((left, right) => (left.sha256 < right.sha256 ? -1 : 1));
      const isMissing = exported.artifacts === undefined && !snapshot.state.unfinished;
      if (isMissing || !sameJson(held, listed))
        say('export-mismatch', 'The artifacts differ from the exported inventory.', { file });
      if (exported.log !== undefined || exported.session !== undefined)
        say('export-mismatch', 'A session was exported of a state that holds a ledger.', { file });
      return events.length;
    }),
};

/** Most exports are right, and one comparison of a whole list is cheaper than many; a long one would make too long a text. */
const comparedWhole = 1000;

function firstDifferent(events: readonly Event[], exported: readonly unknown[]): number {
  const isShort = events.length <= comparedWhole && exported.length <= comparedWhole;
  if (isShort && `[${events.map(textOf).join()}]` === JSON.stringify(exported)) return -1;
  return events.findIndex((event, index) => textOf(event) !== JSON.stringify(exported[index]));
}

const texts = new WeakMap<Event, string>();

/** Events of the ledger carry their names in canonical order, and an export that was read is canonical: equal ones have equal text. */
function textOf(event: Event): string {
  const before = texts.get(event);
  if (before !== undefined) return before;
  const text = JSON.stringify(event);
  texts.set(event, text);
  return text;
}
