/** What a forger of a ledger can do: change it and make its chain, the inspector's export and the projections agree with it again. */
import { ledgerV1 } from '../../contract/data.js';
import type { Event } from '../../contract/types.js';
import { workStates } from '../../model/calls/work-state.js';
import type { Snapshot } from '../../read/bundle.js';
import { canonical } from '../../read/canonical.js';
import { eventDigest, noDigest } from '../../read/events.js';
import { withImage } from '../../read/ledger.js';
import type { OpenImage } from '../../read/sqlite/engine.js';
import type { Editor, Mutable } from '../editor.js';

export type Events = Mutable<Event>[];

/** Changes the merged ledger through SQL, without its triggers, and writes it back without a log, and without the trigger that is named. */
export function changeDatabase(
  editor: Editor,
  { state }: Pick<Snapshot, 'state'>,
  change: (db: OpenImage) => void,
  dropped = '',
): void {
  const path = state.ledgerFile;
  const edited = withImage(editor.bytes(path), editor.files.get(`${path}-wal`), (db) => {
    const triggers = ledgerV1.statements.filter((sql) => sql.startsWith('CREATE TRIGGER'));
    for (const sql of triggers) db.exec(`DROP TRIGGER ${sql.split(' ')[2]}`);
    change(db);
    for (const sql of triggers) if (dropped === '' || !sql.includes(dropped)) db.exec(sql);
    return db.serialize();
  });
  editor.files.set(path, edited);
  editor.files.delete(`${path}-wal`);
}

/** Changes events of a snapshot's record, or of another folder; the chain of digests is made good again. */
export function changeEvents(
  editor: Editor,
  { state }: Pick<Snapshot, 'state'>,
  change: (events: Events) => Event[] | void,
): void {
  const ledger = state.ledger.value;
  if (ledger === undefined) throw new Error('A good bundle has readable ledgers.');
  const events = structuredClone(ledger.events) as Events;
  const changed = change(events) ?? events;
  changeDatabase(editor, { state }, (db) => {
    db.exec('DELETE FROM events');
    const insert = db.prepare(
      'INSERT INTO events VALUES (@seq, @type, @task_id, @call_id, @attempt_id, @compilation_id, @payload, @recorded_at, @digest)',
    );
    let previous = noDigest;
    for (const event of changed) {
      const digest = eventDigest(event, previous);
      insert.run({ ...event, payload: canonical(event.payload), digest });
      previous = digest;
    }
  });
}

/** Makes the inspector's export agree with the ledger. */
export function coverExport(editor: Editor, snapshot: Snapshot): void {
  const ledger = editor.again(snapshot).ledger.value;
  if (ledger === undefined) return;
  editor.inspection(snapshot, (value) => {
    value.events = structuredClone([...ledger.events]);
    value.artifacts = [...ledger.artifacts.values()].map(({ sha256, bytes, media_type }) => ({
      sha256,
      size: bytes.length,
      media_type,
    }));
  });
}

/** Makes the projections agree with the ledger. */
export function coverProjection(editor: Editor, snapshot: Snapshot): void {
  const ledger = editor.again(snapshot).ledger.value;
  if (ledger === undefined) return;
  const reason = 'as recorded';
  const states = workStates(ledger.events).map((state) => ({
    ...state,
    task: { ...state.task, reason },
    calls: state.calls.map((call) => ({ ...call, reason })),
    compilations: state.compilations.map((compilation) => ({ ...compilation, reason })),
  }));
  editor.inspection(snapshot, (value) => void (value.projections = structuredClone(states)));
}

export function coverAll(editor: Editor, snapshot: Snapshot): void {
  editor.coverFiles(snapshot);
  coverExport(editor, snapshot);
  coverProjection(editor, snapshot);
}
