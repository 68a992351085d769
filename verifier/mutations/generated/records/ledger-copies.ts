/**
 * The ledgers of a case, as a forger finds them: whoever continues a snapshot begins with a copy of its ledger, so an event lies in several
 * folders, and must be changed in all of them. Written whole, with inventories, export and projection made good again.
 */
import Database from 'better-sqlite3';
import { ledgerV1 } from '../../../contract/data.js';
import type { Answer, Event } from '../../../contract/types.js';
import { workStates } from '../../../model/calls/work-state.js';
import type { CaseEvidence, Snapshot } from '../../../read/bundle.js';
import { canonical } from '../../../read/canonical.js';
import { eventDigest, noDigest } from '../../../read/events.js';
import { fileSha256 } from '../../../read/hash.js';
import type { ArtifactRow } from '../../../read/ledger.js';
import type { StateEvidence } from '../../../read/state.js';
import type { Editor } from '../../editor.js';
import { coverListed } from './cover.js';

/** A state folder of a case that holds a ledger. */
export interface Copy {
  readonly snapshot: Snapshot;
  readonly state: StateEvidence;
  readonly events: readonly Event[];
  readonly artifacts: ReadonlyMap<string, ArtifactRow>;
}

export interface Content {
  readonly events: readonly Event[];
  readonly artifacts: ReadonlyMap<string, ArtifactRow>;
}

/** None where a traced run stands for states that nobody can write: what it wrote is in its trace, byte for byte. */
export function copiesIn({ snapshots }: CaseEvidence): Copy[] {
  if (snapshots.some(({ planned }) => planned.powerLoss !== null)) return [];
  return snapshots.flatMap((snapshot) =>
    snapshot.states.flatMap((state) => {
      const ledger = state.unfinished ? undefined : state.ledger.value;
      return ledger === undefined || ledger.events.length === 0 ? [] : [{ snapshot, state, ...ledger }];
    }),
  );
}

/** Those that hold the artifact. */
export function holdersOf(copies: readonly Copy[], hash: string): Copy[] {
  return copies.filter(({ artifacts }) => artifacts.has(hash));
}

/** Writes a ledger into its folder, and makes everybody who tells of it agree. Artifacts that no event names are left out. */
export function writeCopy(editor: Editor, copy: Copy, content: Content): void {
  const events = chained(content.events);
  const text = canonical(events.map(({ payload }) => payload));
  const artifacts = [...content.artifacts.values()].filter(({ sha256 }) => text.includes(sha256));
  const bytes = imageOf(events, artifacts);
  const { state } = copy;
  editor.files.set(state.ledgerFile, bytes);
  editor.files.delete(`${state.ledgerFile}-wal`);
  coverInventories(editor, copy, bytes);
  coverExport(editor, copy, events, artifacts);
}

function chained(events: readonly Event[]): Event[] {
  let previous = noDigest;
  return events.map((event) => {
    previous = eventDigest(event, previous);
    return { ...event, digest: previous };
  });
}

let empty: Buffer | undefined;

/** A ledger without rows, as the contract has it. */
function emptyImage(): Buffer {
  const db = new Database(':memory:');
  for (const sql of ledgerV1.statements) db.exec(sql);
  db.pragma(`application_id = ${ledgerV1.application_id}`);
  db.pragma(`user_version = ${ledgerV1.user_version}`);
  const image = db.serialize();
  db.close();
  return image;
}

function imageOf(events: readonly Event[], artifacts: readonly ArtifactRow[]): Buffer {
  empty ??= emptyImage();
  const db = new Database(Buffer.from(empty));
  const insert = db.prepare(
    'INSERT INTO events VALUES (@seq, @type, @task_id, @call_id, @attempt_id, @compilation_id, @payload, @recorded_at, @digest)',
  );
  const store = db.prepare('INSERT INTO artifacts VALUES (@sha256, @media_type, @bytes)');
  db.transaction(() => {
    for (const event of events) insert.run({ ...event, payload: canonical(event.payload) });
    for (const artifact of artifacts) store.run(artifact);
  })();
  const image = db.serialize();
  db.close();
  return image;
}

/** What the harness listed of the folder, as it is now. */
function coverInventories(editor: Editor, { snapshot, state }: Copy, bytes: Buffer): void {
  coverListed(
    editor,
    snapshot,
    state,
    state.files
      .filter(({ path }) => path !== 'ledger.sqlite-wal')
      .map((file) => (file.path === 'ledger.sqlite' ? { ...file, sha256: fileSha256(bytes), size: bytes.length } : file)),
  );
}

/** Nobody inspects a folder that was moved away. */
function coverExport(
  editor: Editor,
  { snapshot, state }: Copy,
  events: readonly Event[],
  artifacts: readonly ArtifactRow[],
): void {
  if (state !== snapshot.state) return;
  const reason = 'as recorded';
  const projections = workStates(events).map((one) => ({
    ...one,
    task: { ...one.task, reason },
    calls: one.calls.map((call) => ({ ...call, reason })),
    compilations: one.compilations.map((compilation) => ({ ...compilation, reason })),
  }));
  editor.json<Answer>(snapshot.file('inspection.json'), (value) => {
    value.events = structuredClone([...events]);
    value.artifacts = artifacts
      .toSorted((left, right) => (left.sha256 < right.sha256 ? -1 : 1))
      .map(({ sha256, bytes, media_type }) => ({ sha256, size: bytes.length, media_type }));
    value.projections = structuredClone(projections);
  });
}
