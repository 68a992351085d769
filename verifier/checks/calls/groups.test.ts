/** The older guarantees about ledgers, in a folder that was moved away. */
import { describe, it } from 'vitest';
import type { Event } from '../../contract/types.js';
import { changeDatabase, changeEvents, type Events } from '../../mutations/calls/edits.js';
import type { Editor } from '../../mutations/editor.js';
import { expectFindings, snapshot } from '../../testing/match.js';

describe('a folder that was moved away', () => {
  const moved = (editor: Editor) => {
    const { movedAway } = snapshot(editor, 'moved', 'restored');
    if (movedAway === undefined) throw new Error('The plan moves a folder.');
    return movedAway;
  };
  const onEvents = (change: (events: Events) => Event[] | void) => (editor: Editor) => {
    changeEvents(editor, { state: moved(editor) }, change);
    editor.coverFiles(snapshot(editor, 'moved', 'restored'));
  };

  it('G8: is judged as a ledger', () =>
    expectFindings(
      (editor) => {
        changeDatabase(editor, { state: moved(editor) }, (db) => db.exec('DELETE FROM artifacts'));
        editor.coverFiles(snapshot(editor, 'moved', 'restored'));
      },
      ...['artifact-missing', 'history-rewritten'],
    ));

  it('G10: has its events in order', () =>
    expectFindings(
      onEvents((events) => {
        const manifest = events.findLastIndex(({ type }) => type === 'call.manifest');
        const link = events.findLast(({ type }) => type === 'call.manifest');
        return [...events.slice(0, manifest), ...(link === undefined ? [] : [link, link]), ...events.slice(manifest + 1)].map(
          (event, index) => ({ ...event, seq: index + 1 }),
        );
      }),
      ...['event-malformed', 'order-violated'],
    ));

  it('G29: was written by its owner only', () =>
    expectFindings(
      onEvents((events) => {
        const payload = events.findLast((event) => event.payload.recovery !== undefined)?.payload;
        if (payload !== undefined) payload.recovery = { operation: 'start_call', pid: 2001, version: '0.1.0' };
      }),
      'recovery-unlawful',
    ));
});
