/**
 * The session logs of a case, as a forger finds them: whoever continues a snapshot begins with a copy of its log, so a frame lies in several
 * folders, and must be changed in all of them. Written whole, with floor, inventories, export and projected state made good again.
 */
import type { Answer } from '../../../contract/types.js';
import { historyOf } from '../../../model/sessions/fold.js';
import { requiredFeatures } from '../../../model/sessions/features.js';
import { sessionStateOf } from '../../../model/sessions/session-state.js';
import type { CaseEvidence, Snapshot } from '../../../read/bundle.js';
import { fileSha256 } from '../../../read/hash.js';
import { readSessionLog } from '../../../read/session-log.js';
import { isRecord, type SessionFrame, type SessionRecord } from '../../../read/session-records.js';
import type { StateEvidence, StateFile } from '../../../read/state.js';
import type { Editor } from '../../editor.js';
import { encodeFloor, encodeLog, type Draft } from '../../sessions/encode.js';
import { coverListed } from './cover.js';

/** A state folder of a case that holds a session log, read whole. */
export interface LogCopy {
  readonly snapshot: Snapshot;
  readonly state: StateEvidence;
  readonly frames: readonly SessionFrame[];
}

/** None where a traced run stands for states that nobody can write: what it wrote is in its trace, byte for byte. */
export function logsIn({ snapshots }: CaseEvidence): LogCopy[] {
  if (snapshots.some(({ planned }) => planned.powerLoss !== null)) return [];
  return snapshots.flatMap((snapshot) =>
    snapshot.states.flatMap((state) => {
      const log = state.unfinished ? undefined : state.log.value;
      return log === undefined || log.problem !== null || log.frames.length === 0
        ? []
        : [{ snapshot, state, frames: log.frames }];
    }),
  );
}

export function draftOf({ offset: _offset, size: _size, digest: _digest, ...draft }: SessionFrame): Draft {
  return draft;
}

/** What a frame requires follows from its record; a forger does not forget it. */
export function withFeatures(draft: Draft): Draft {
  return isRecord(draft as SessionFrame) ? { ...draft, features: requiredFeatures(draft as unknown as SessionRecord) } : draft;
}

/** Writes a log into its folder, and makes everybody who tells of it agree. What a torn tail held stays where it was. */
export function writeLog(editor: Editor, copy: LogCopy, drafts: readonly Draft[]): void {
  const { state, snapshot } = copy;
  const old = state.log.value;
  const tail = old === undefined ? Buffer.alloc(0) : old.bytes.subarray(old.bytes.length - old.tornBytes);
  const bytes = Buffer.concat([encodeLog(drafts), tail]);
  editor.files.set(state.logFile, bytes);
  const features = new Set([...(old?.floor.features ?? []), ...drafts.flatMap((draft) => draft.features)]);
  if (features.size > 0) editor.files.set(state.floorFile, encodeFloor([...features]));
  coverFolder(editor, copy);
  const log = readSessionLog(bytes, editor.files.get(state.floorFile));
  if (log.problem !== null || state !== snapshot.state) return;
  const session = sessionStateOf(historyOf(log.records));
  editor.json<Answer>(snapshot.file('inspection.json'), (value) => {
    value.log = { frames: log.frames.map((frame) => structuredClone({ ...frame })), torn_bytes: log.tornBytes };
    if (session !== null) value.session = structuredClone({ ...session });
  });
}

/** Makes every inventory of the folder agree with what lies in it. */
export function coverFolder(editor: Editor, { snapshot, state }: Pick<LogCopy, 'snapshot' | 'state'>): void {
  const paths = [...editor.files.keys()].filter((path) => path.startsWith(state.folder)).sort();
  const files = paths.map((path): StateFile => {
    const bytes = editor.bytes(path);
    return { path: path.slice(state.folder.length), sha256: fileSha256(bytes), size: bytes.length };
  });
  coverListed(editor, snapshot, state, files);
}
