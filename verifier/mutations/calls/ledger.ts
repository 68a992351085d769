/** Breaks in the state folder and in the bytes of the ledger. Inventories and export are made good again. */
import { changeDatabase, coverExport } from './edits.js';
import type { FindingCode } from '../../checks/check.js';
import type { Snapshot } from '../../read/bundle.js';
import { fileSha256 } from '../../read/hash.js';
import type { Editor, Mutation } from '../editor.js';
import { onPlace } from '../places.js';
import { completed, firstAdded } from './places.js';

/** Changes the files of the state below the events. */
function onState(name: string, codes: readonly FindingCode[], change: (target: Snapshot, editor: Editor) => void): Mutation {
  return onPlace(completed, name, codes, (editor, target) => {
    change(target, editor);
    editor.coverFiles(target);
    coverExport(editor, target);
  });
}

function answerHash(snapshot: Snapshot): string {
  return String(firstAdded(snapshot, 'result.recorded')?.payload.text_sha256);
}

export const ledgerMutations = {
  'ledger-unreadable': [
    onState('the ledger is gone', ['ledger-unreadable'], (target, editor) => {
      editor.files.delete(target.file('state/ledger.sqlite'));
      editor.files.delete(target.file('state/ledger.sqlite-wal'));
    }),
    onState('the ledger is cut in half', ['ledger-unreadable'], (target, editor) => {
      changeDatabase(editor, target, () => undefined);
      const bytes = editor.bytes(target.file('state/ledger.sqlite'));
      editor.files.set(target.file('state/ledger.sqlite'), Buffer.from(bytes.subarray(0, bytes.length >> 1)));
    }),
    onState('a text of the ledger is not UTF-8', ['ledger-unreadable'], (target, editor) =>
      changeDatabase(editor, target, (db) => db.exec("UPDATE events SET task_id = CAST(x'ff' AS TEXT) WHERE seq = 1")),
    ),
    onState('the header of the database is gone', ['ledger-unreadable'], (target, editor) => {
      // Written out first, so that no page in a log takes the place of the damaged one.
      changeDatabase(editor, target, () => undefined);
      const path = target.file('state/ledger.sqlite');
      editor.files.set(path, Buffer.concat([Buffer.alloc(16), editor.bytes(path).subarray(16)]));
    }),
    onState('a page of the database is garbage', ['ledger-unreadable'], (target, editor) => {
      changeDatabase(editor, target, () => undefined);
      const bytes = Buffer.from(editor.bytes(target.file('state/ledger.sqlite')));
      editor.files.set(target.file('state/ledger.sqlite'), bytes.fill(0xff, 4096, 4096 + 512));
    }),
  ],
  'ledger-schema': [
    onState('a trigger is gone', ['ledger-schema'], (target, editor) =>
      changeDatabase(editor, target, () => undefined, 'events_no_update'),
    ),
    onState('a view was added', ['ledger-schema'], (target, editor) =>
      changeDatabase(editor, target, (db) => db.exec('CREATE VIEW latest AS SELECT max(seq) FROM events')),
    ),
    onState('the version is another one', ['ledger-schema'], (target, editor) =>
      changeDatabase(editor, target, (db) => db.exec('PRAGMA user_version = 2')),
    ),
  ],
  'event-chain-broken': [
    onState('an event was changed under its digest', ['event-chain-broken'], (target, editor) => {
      const seq = firstAdded(target, 'result.recorded')?.seq;
      changeDatabase(
        editor,
        target,
        (db) => void db.prepare("UPDATE events SET recorded_at = '2000-01-01T00:00:00.000Z' WHERE seq = ?").run(seq),
      );
    }),
  ],
  'event-malformed': [
    onState('a payload is not canonical', ['event-malformed'], (target, editor) => {
      const seq = firstAdded(target, 'attempt.completed')?.seq;
      changeDatabase(
        editor,
        target,
        (db) => void db.prepare("UPDATE events SET payload = replace(payload, ':', ': ') WHERE seq = ?").run(seq),
      );
    }),
  ],
  'artifact-missing': [
    onState('the text of the answer is gone', ['artifact-missing'], (target, editor) =>
      changeDatabase(editor, target, (db) => void db.prepare('DELETE FROM artifacts WHERE sha256 = ?').run(answerHash(target))),
    ),
  ],
  'artifact-altered': [
    onState('the text of the answer is another one', ['artifact-altered'], (target, editor) =>
      changeDatabase(
        editor,
        target,
        (db) => void db.prepare('UPDATE artifacts SET bytes = zeroblob(length(bytes)) WHERE sha256 = ?').run(answerHash(target)),
      ),
    ),
    onState('the text of the answer has another media type', ['artifact-altered'], (target, editor) =>
      changeDatabase(
        editor,
        target,
        (db) => void db.prepare("UPDATE artifacts SET media_type = 'text/html' WHERE sha256 = ?").run(answerHash(target)),
      ),
    ),
  ],
  'artifact-orphaned': [
    onState('an artifact that no event names', ['artifact-orphaned'], (target, editor) => {
      const bytes = Buffer.from('Nobody said this.');
      changeDatabase(
        editor,
        target,
        (db) => void db.prepare("INSERT INTO artifacts VALUES (?, 'text/plain;charset=utf-8', ?)").run(fileSha256(bytes), bytes),
      );
    }),
  ],
  'state-malformed': [
    onState('a file beside the ledger', ['state-malformed'], (target, editor) =>
      editor.files.set(target.file('state/notes.txt'), Buffer.from('notes\n')),
    ),
    onState('the format record names another subject', ['state-malformed'], (target, editor) =>
      editor.json<{ subject: string }>(target.file('state/format.json'), (value) => void (value.subject = 'another')),
    ),
    onState('the format record names another storage', ['state-malformed'], (target, editor) =>
      editor.json<{ storage: string }>(target.file('state/format.json'), (value) => void (value.storage = 'wal/v1')),
    ),
  ],
} satisfies Record<string, readonly Mutation[]>;
