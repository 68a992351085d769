/**
 * What a forger of a session can do: write frames with right digests, number them anew with everything that names a number, render requests
 * again, and make floor, inventories, the inspector's export and the prediction agree with all of it.
 */
import { addedFrames, historyIn, inheritedCount, logIn } from '../../checks/sessions/derived.js';
import { sessionsModel } from '../../checks/sessions/model.js';
import { countEffects } from '../../model/effects.js';
import { modelKey } from '../../model/sessions/keys.js';
import { requestOf } from '../../model/sessions/render.js';
import { sessionStateOf } from '../../model/sessions/session-state.js';
import type { Snapshot } from '../../read/bundle.js';
import type { RecordType } from '../../read/session-records.js';
import type { Editor, Mutable } from '../editor.js';
import { encodeFloor, encodeLog, type Draft } from './encode.js';

type Payload = Record<string, unknown>;
/** A frame in the hands of a forger; one that he adds has no seq yet. */
export type Forged = Omit<Mutable<Draft>, 'payload'> & { payload: Payload };

export function forgedFrames({ state }: Pick<Snapshot, 'state'>): Forged[] {
  return logIn(state).frames.map(({ offset: _offset, size: _size, digest: _digest, ...draft }) =>
    structuredClone({ ...draft, payload: { ...draft.payload } }),
  );
}

/** A frame that was never there, to be put behind another one. */
export function invented({ fence }: Forged, type: RecordType, payload: Payload, features: string[] = []): Forged {
  const kind = type === 'resume_started' || type === 'model_attempt_finished' ? 'informational' : 'record';
  return { kind: type === 'lineage' ? 'lineage' : kind, type, payload, features, fence, seq: 0, synced: -1 };
}

/** Writes the frames as they are, right or wrong. */
export function writeFrames(editor: Editor, { state }: Pick<Snapshot, 'state'>, frames: readonly Forged[]): void {
  editor.files.set(state.logFile, encodeLog(frames as readonly Draft[]));
}

/** Changes frames; those that were left out or put in between move the rest, in the log and in the keys of what was sent. */
export function changeFrames(editor: Editor, target: Snapshot, change: (frames: Forged[]) => Forged[] | void): void {
  const frames = forgedFrames(target);
  const changed = change(frames) ?? frames;
  const numbers = new Map(changed.map(({ seq }, index) => [seq, index + 1]));
  const moved = (seq: number): number =>
    numbers.get(seq) ?? Math.max(0, ...[...numbers].filter(([old]) => old < seq).map(([, now]) => now));
  const synced = syncedAnew(changed, moved);
  const renumbered = changed.map((frame, index) => ({
    ...frame,
    ...{ payload: renamed(frame.payload, moved) as Payload, seq: index + 1, synced: synced[index] ?? index },
  }));
  writeFrames(editor, target, renumbered);
  const steps = [...numbers].filter(([old, now]) => old !== now && old > 0);
  if (steps.length > 0) renameKeys(editor, target, moved);
}

/** Frames of one barrier stay of one; what is put between two of them is of it too. */
export function syncedAnew(frames: readonly Forged[], moved: (seq: number) => number): number[] {
  const barriers = new Map<string, number>();
  return frames.map(({ fence, seq, synced }, index) => {
    const next = frames[index + 1];
    const isWithin = synced < 0 && next !== undefined && next.synced >= 0 && next.synced !== next.seq - 1;
    const name = `${fence} ${isWithin ? next.synced : synced}`;
    const known = synced < 0 && !isWithin ? index : barriers.get(name);
    const value = known ?? (synced === seq - 1 ? index : moved(synced));
    if (synced >= 0) barriers.set(name, value);
    return value;
  });
}

const numbered = /\b(step|batch)-(\d+)\b/g;
const seqNames: ReadonlySet<string> = new Set(['watermark_seq', 'resumed_from_seq', 'request_seq', 'approval_seq']);

/** With every number of a frame that it names moved. */
export function renamed(value: unknown, moved: (seq: number) => number, name = ''): unknown {
  if (typeof value === 'string' && /(?:^|\/)(?:step|batch)-\d+/.test(value) && name !== 'text')
    return value.replaceAll(numbered, (_all, what: string, seq: string) => `${what}-${moved(Number(seq))}`);
  if (typeof value === 'number') return seqNames.has(name) ? moved(value) : value;
  if (Array.isArray(value)) return value.map((one) => renamed(one, moved));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([own, one]) => [own, renamed(one, moved, own)]));
}

export function renameKeys(editor: Editor, target: Snapshot, moved: (seq: number) => number): void {
  editor.receipts(target, (lines) => {
    for (const line of lines) {
      if (line.kind === 'settled' || line.idempotency_key === null) continue;
      const key = line.idempotency_key.replaceAll(numbered, (_all, what: string, seq: string) => `${what}-${moved(Number(seq))}`);
      line.idempotency_key = key;
      line.headers['idempotency-key'] = key;
    }
  });
}

/** Renders again what the snapshot sent, in its receipts and in what it recorded of its attempts. */
export function renderAgain(editor: Editor, target: Snapshot): void {
  const history = historyIn(editor.again(target));
  const inherited = inheritedCount(target);
  const texts = new Map<string, { text: string; sha256: string }>();
  for (const step of history.stepsById.values()) {
    const wanted = step.seq > inherited ? requestOf(history, step) : null;
    if (wanted === null) continue;
    texts.set(step.id, wanted);
    for (let attempt = 1; attempt <= step.run.config.model_attempts; attempt += 1)
      texts.set(modelKey(history.sessionId ?? '', step.run.id, step.id, attempt), wanted);
  }
  const frames = forgedFrames(editor.again(target));
  for (const { type, seq, payload } of frames) {
    const wanted = texts.get(String(payload.step_id));
    const isAttempt = type === 'model_attempt_started' || type === 'model_attempt_finished';
    if (isAttempt && wanted !== undefined && seq > inherited)
      payload.request = { sha256: wanted.sha256, size: Buffer.byteLength(wanted.text) };
  }
  writeFrames(editor, target, frames);
  editor.receipts(target, (lines) => {
    for (const line of lines) {
      const wanted = line.kind === 'settled' ? undefined : texts.get(line.idempotency_key ?? '');
      if (line.kind === 'settled' || wanted === undefined || line.body_sha256 === wanted.sha256) continue;
      line.body = { data: wanted.text, encoding: 'utf8' };
      line.body_sha256 = wanted.sha256;
      if (line.headers['content-length'] !== undefined) line.headers['content-length'] = String(Buffer.byteLength(wanted.text));
    }
  });
}

/** Raises the floor to what the frames require. */
function coverFloor(editor: Editor, target: Snapshot): void {
  const { state } = editor.again(target);
  const log = state.log.value;
  if (log === undefined || log.problem !== null) return;
  const features = new Set([...log.floor.features, ...log.frames.flatMap((frame) => frame.features)]);
  if (features.size > 0) editor.files.set(state.floorFile, encodeFloor([...features]));
}

/** Makes the inventories and what the inspector exported and projected agree with the log. */
export function coverLog(editor: Editor, target: Snapshot): void {
  editor.coverFiles(target);
  const again = editor.again(target);
  const log = again.log.value;
  if (log === undefined || log.problem !== null) return;
  const session = sessionStateOf(historyIn(again));
  editor.inspection(target, (value) => {
    value.log = { frames: log.frames.map((frame) => structuredClone({ ...frame })), torn_bytes: log.tornBytes };
    if (session !== null) value.session = structuredClone({ ...session });
  });
}

/** Lets the plan predict what is there, and no more than its figures, so that a break shows in nothing else than itself. */
function foretell(editor: Editor, target: Snapshot): void {
  const again = editor.again(target);
  if (again.log.value?.problem !== null || again.receipts.value === undefined) return;
  const { effects, receipts } = countEffects(again.receipts.value);
  const events = again.log.value.frames.length;
  const outcome = sessionsModel.outcome(again);
  editor.plan((plan) => {
    const planned = plan.cases.find(({ id }) => id === target.caseId);
    const expect = target.base === undefined ? planned?.expect : planned?.arms.find(({ id }) => id === target.name)?.expect;
    if (expect === undefined) return;
    for (const name of Object.keys(expect)) if (name !== 'ended') Reflect.deleteProperty(expect, name);
    Object.assign(expect, { events, receipts, effects, outcome });
  });
}

/** All of it: the log, what was rendered from it, and what everybody says of it. */
export function coverAll(editor: Editor, target: Snapshot): void {
  coverFloor(editor, target);
  coverLog(editor, target);
  foretell(editor, target);
}

export function firstAdded(target: Snapshot, type: RecordType, occurrence = 1): number | undefined {
  return addedFrames(target).filter((frame) => frame.type === type)[occurrence - 1]?.seq;
}
