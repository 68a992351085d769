/** Breaks in what inspectors and roles told of a ledger. */
import { onPlace, type Families } from '../places.js';
import { completed } from './places.js';

export const callsInspectionMutations = {
  'export-mismatch': [
    onPlace(completed, 'an exported event differs from the stored one', ['export-mismatch'], (editor, target) =>
      editor.inspection(
        target,
        ({ events: [first] = [] }) => void (first === undefined ? null : (first.recorded_at = '2000-01-01T00:00:00.000Z')),
      ),
    ),
    onPlace(completed, 'the export lacks its last event', ['export-mismatch'], (editor, target) =>
      editor.inspection(target, ({ events }) => void events?.pop()),
    ),
    onPlace(completed, 'an inspector exported a session', ['export-mismatch'], (editor, target) =>
      editor.inspection(target, (value) => void (value.session = {})),
    ),
    onPlace(completed, 'the export lacks an artifact', ['export-mismatch'], (editor, target) =>
      editor.inspection(target, ({ artifacts }) => void artifacts?.pop()),
    ),
  ],
  'state-mismatch': [
    onPlace(completed, 'an inspector\u2019s state altered', ['state-mismatch'], (editor, target) =>
      editor.inspection(target, ({ projections: [first] = [] }) => {
        const call = first?.calls[0];
        if (call !== undefined) call.stage = call.stage === 'observed' ? 'interpreted' : 'observed';
      }),
    ),
    onPlace(completed, 'a task was not projected', ['state-mismatch'], (editor, target) =>
      editor.inspection(target, ({ projections }) => void projections?.pop()),
    ),
  ],
  'settings-weak': [
    onPlace(completed, 'the ledger was synchronised less than fully', ['settings-weak'], (editor, target) =>
      editor.answer(target, ({ settings }) => void (settings.synchronous = 1)),
    ),
    onPlace(completed, 'the ledger was not in write-ahead mode', ['settings-weak'], (editor, target) =>
      editor.answer(target, ({ settings }) => void (settings.journal_mode = 'delete')),
    ),
    onPlace(completed, 'a role that completed had opened no ledger', ['settings-weak'], (editor, target) =>
      editor.answer(target, ({ settings }) => {
        settings.journal_mode = 'unopened';
        settings.synchronous = 0;
      }),
    ),
    onPlace(completed, 'an inspector ran a SQLite with the WAL-reset defect', ['settings-weak'], (editor, target) =>
      editor.inspection(target, ({ settings }) => void (settings.sqlite = '3.40.1')),
    ),
  ],
} satisfies Families;
