/** Breaks in the bytes of the log, in its frames, in its feature floor and in the folder around them. */
import { identityHolder, lineageIn } from '../../checks/sessions/log-identities.js';
import { logIn } from '../../checks/sessions/derived.js';
import type { FindingCode } from '../../checks/check.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Editor, Mutation } from '../editor.js';
import { onPlace, type Families, type Place } from '../places.js';
import { coverAll, coverLog, forgedFrames, writeFrames, type Forged } from './edits.js';
import { encodeFloor } from './encode.js';
import { acted, continued, featured, onFirst, onFrames, produced, requiring, withRecord } from './places.js';

/** Changes the bytes of the log; whoever tells of the folder agrees. */
function onBytes(
  name: string,
  codes: readonly FindingCode[],
  change: (bytes: Buffer, target: Snapshot) => Buffer | null,
): Mutation {
  return onPlace(acted, name, codes, (editor, target) => {
    const changed = change(Buffer.from(editor.bytes(target.state.logFile)), target);
    if (changed === null) editor.files.delete(target.state.logFile);
    else editor.files.set(target.state.logFile, changed);
    coverLog(editor, target);
  });
}

/** Writes frames as they are, without moving anything. */
function onHeaders(
  find: Place,
  name: string,
  code: FindingCode,
  change: (added: Forged[], editor: Editor) => boolean | void,
): Mutation {
  return onPlace(find, name, [code], (editor, target) => {
    const frames = forgedFrames(target);
    const inherited = target.base === undefined ? 0 : logIn(target.base.state).frames.length;
    if (change(frames.slice(inherited), editor) === false) return false;
    writeFrames(editor, target, frames);
    coverAll(editor, target);
    return true;
  });
}

function onFolder(name: string, code: FindingCode, change: (editor: Editor, target: Snapshot) => void, find = acted): Mutation {
  return onPlace(find, name, [code], (editor, target) => {
    change(editor, target);
    coverLog(editor, target);
  });
}

export const logMutations = {
  'log-damaged': [
    onBytes('the log is gone', ['log-damaged'], () => null),
    onBytes('a byte in the middle of the log is another one', ['log-damaged'], (bytes, target) => {
      const { offset = 0, size = 0 } = logIn(target.state).frames.at(-3) ?? {};
      bytes[offset + size - 1] = (bytes[offset + size - 1] ?? 0) ^ 1;
      return bytes;
    }),
    onBytes('the log begins with its second frame', ['log-damaged'], (bytes, target) =>
      bytes.subarray(logIn(target.state).frames[1]?.offset ?? 0),
    ),
    onBytes('a process that completed left a torn tail', ['log-damaged'], (bytes, target) => {
      const { offset = 0, size = 0 } = logIn(target.state).frames.at(-1) ?? {};
      return Buffer.concat([bytes, bytes.subarray(offset, offset + (size >> 1))]);
    }),
    onHeaders(acted, 'a frame requires what no reader has', 'log-damaged', (added) => {
      const last = added.at(-1);
      if (last !== undefined) last.features = ['scope/v1'];
    }),
  ],
  'frame-malformed': [
    onHeaders(acted, 'a frame requires more than its record says', 'frame-malformed', (added) => {
      const last = added.at(-1);
      if (last !== undefined) last.features = ['model-intent/v1'];
    }),
    onHeaders(requiring, 'a frame does not require what its record says', 'frame-malformed', (added) => {
      const frame = added.find(({ features }) => features.length > 0);
      if (frame === undefined) return false;
      frame.features = [];
      return true;
    }),
    onFirst(acted, 'a step renders itself', ['frame-malformed'], 'step_started', (payload, { seq }) => {
      payload.watermark_seq = seq;
    }),
    onHeaders(acted, 'a payload is not of its shape', 'frame-malformed', (added) => {
      const last = added.at(-1);
      if (last !== undefined) last.payload.passed = true;
    }),
  ],
  'lineage-broken': [
    onFrames(continued, 'a process went on in the tenure of the one before it', ['lineage-broken'], (added) =>
      added.filter(({ type }) => type !== 'lineage').map((frame) => ({ ...frame, fence: frame.fence - 1 })),
    ),
    onHeaders(continued, 'a tenure names another log', 'lineage-broken', (added) => {
      const lineage = added.find(({ type }) => type === 'lineage');
      if (lineage !== undefined) lineage.payload.identity = 'f'.repeat(32);
    }),
    onHeaders(continued, 'a tenure was left out of the count', 'lineage-broken', (added) => {
      for (const frame of added) frame.fence += 1;
    }),
    onHeaders(produced, 'a run has another session', 'lineage-broken', (added) => {
      const run = added.find(({ type }) => type === 'run_started');
      if (run !== undefined) run.payload.session_id = 'another';
    }),
    onHeaders(produced, 'a log bears the identity of another one', 'lineage-broken', (added, { bundle }) => {
      const other = bundle.cases
        .flatMap(({ snapshots }) => snapshots)
        .map(({ log }) => lineageIn(log.value?.records ?? [])?.identity)
        .find((identity) => identity !== undefined && identity !== added[0]?.payload.identity);
      if (other === undefined || identityHolder(bundle, other) === undefined) return false;
      for (const { type, payload } of added) if (type === 'lineage') payload.identity = other;
      return true;
    }),
  ],
  'floor-behind': [
    onFolder('the feature floor is gone', 'floor-behind', (editor, { state }) => editor.files.delete(state.floorFile), featured),
    onFolder(
      'the feature floor is behind the log',
      'floor-behind',
      (editor, { state }) => editor.files.set(state.floorFile, encodeFloor([])),
      featured,
    ),
    onFolder('the feature floor names what no reader has', 'floor-behind', (editor, { state }) =>
      editor.files.set(state.floorFile, encodeFloor(['scope/v1'])),
    ),
    onFolder('the feature floor is not canonical', 'floor-behind', (editor, { state }) =>
      editor.files.set(state.floorFile, Buffer.from('{"version":"feature-floor/v1","features":[]}\n')),
    ),
  ],
  'session-folder-malformed': [
    onFolder('a file beside the log', 'session-folder-malformed', (editor, target) =>
      editor.files.set(target.state.file('notes.txt'), Buffer.from('notes\n')),
    ),
    onFolder('the format record names another subject', 'session-folder-malformed', (editor, target) =>
      editor.json<{ subject: string }>(target.state.file('format.json'), (value) => void (value.subject = 'another')),
    ),
    onFolder('the format record names another storage', 'session-folder-malformed', (editor, target) =>
      editor.json<{ storage: string }>(target.state.file('format.json'), (value) => void (value.storage = 'ledger/v1')),
    ),
  ],
  'history-rewritten': [
    onPlace(continued, 'an inherited record was rewritten', ['history-rewritten'], (editor, target) => {
      const frames = forgedFrames(target);
      const first = frames.find(({ type }) => type === 'run_started');
      if (first === undefined) return false;
      // What is rewritten is in no request, so nothing else can tell.
      (first.payload.config as { model_timeout_ms: number }).model_timeout_ms += 1;
      writeFrames(editor, target, frames);
      coverAll(editor, target);
      return true;
    }),
  ],
  'frames-export-mismatch': [
    onPlace(acted, 'an exported frame differs from the stored one', ['frames-export-mismatch'], (editor, target) =>
      editor.inspection(target, ({ log }) => void Object.assign(log?.frames[0] ?? {}, { fence: 9 })),
    ),
    onPlace(acted, 'the export lacks its last frame', ['frames-export-mismatch'], (editor, target) =>
      editor.inspection(target, ({ log }) => void log?.frames.pop()),
    ),
    onPlace(acted, 'the export tells of a torn tail', ['frames-export-mismatch'], (editor, target) =>
      editor.inspection(target, ({ log }) => void (log === undefined ? null : (log.torn_bytes = 7))),
    ),
    onPlace(acted, 'an inspector exported a ledger', ['frames-export-mismatch'], (editor, target) =>
      editor.inspection(target, (value) => void (value.events = [])),
    ),
  ],
  'session-state-mismatch': [
    onPlace(acted, 'an inspector\u2019s state altered', ['session-state-mismatch'], (editor, target) =>
      editor.inspection(target, ({ session }) => void Object.assign(session ?? {}, { next_operation: 'run_step' })),
    ),
    onPlace(acted, 'a call was projected in another state', ['session-state-mismatch'], (editor, target) =>
      editor.inspection(target, ({ session }) => {
        const { runs = [] } = session as { runs?: { calls: { state: string }[] }[] };
        const call = runs.flatMap(({ calls }) => calls).at(0);
        if (call !== undefined) call.state = 'unknown';
      }),
    ),
    onPlace(withRecord('run_finished'), 'no state was projected', ['session-state-mismatch'], (editor, target) =>
      editor.inspection(target, (value) => void delete value.session),
    ),
  ],
} satisfies Families;
