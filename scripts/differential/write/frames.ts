/**
 * A history of a session → `format.json`, `session.wal` and `wal-feature-floor`, by the byte diagram of the contract:
 *
 *   magic(4) version(1) kind(1) H(2) P(4) header(H) payload(P) sha256(32)      integers big-endian
 */
import { createHash } from 'node:crypto';
import { placesOf, resolved, type Forgery, type Header, type RecordDraft, type SessionsHistory } from '../history/drafts.js';
import { canonical } from './canonical.js';
import type { Contract } from './contract.js';
import type { Files } from './ledger.js';
import { floorOf, spoiled } from './spoil.js';

const format = Buffer.from(`${canonical({ product: 'killpoint', storage: 'wal/v1', subject: 'sessions' })}\n`);

export function sessionFiles(history: SessionsHistory, contract: Contract): Files {
  const { drafts, forgeries, spoils } = history;
  const seqOf = placesOf(drafts);
  const headers = headersOf(drafts, forgeries, contract);
  const frames = drafts.map((draft, index) =>
    frameOf(
      draft,
      headers[index] as Header,
      forgeries.filter(({ at }) => at === index),
      seqOf,
      contract,
    ),
  );
  const features = [...new Set(headers.flatMap((header) => header.features))].filter((name) => !name.startsWith('unheard'));
  const floor: [string, Buffer][] = features.length === 0 ? [] : [['wal-feature-floor', floorOf(features)]];
  return spoiled(new Map([['format.json', format], ['session.wal', Buffer.concat(frames)], ...floor]), spoils);
}

/**
 * `synced` is the highest seq that was known to be durable when the frame was encoded: frames of one barrier share it, and whoever opens
 * a log anew has synced what it read.
 */
function headersOf(drafts: readonly RecordDraft[], forgeries: readonly Forgery[], { log }: Contract): Header[] {
  let [synced, seq, skipped] = [0, 0, 0];
  let before: RecordDraft | undefined;
  return drafts.map((draft, index) => {
    if (forgeries.some(({ at, what }) => at === index && what === 'gap')) skipped += 1;
    const isAnew = before !== undefined && draft.fence !== before.fence;
    if (before !== undefined && draft.barrier !== before.barrier && (before.isSynced || isAnew)) synced = seq;
    seq = index + 1 + skipped;
    before = draft;
    const kind = log.frame.kinds[log.records[draft.type]?.kind ?? 'record'] ?? 1;
    return {
      seq,
      synced,
      fence: draft.fence,
      features: featuresOf(draft, log),
      kind,
      version: log.frame.version,
      ...draft.forged,
    };
  });
}

function featuresOf({ type, payload }: RecordDraft, log: Contract['log']): string[] {
  const own = log.features[type];
  const time = log.times[type];
  const isIntent = (payload['config'] as { model_leg?: string } | undefined)?.model_leg === 'intent';
  return [
    ...(own === undefined ? [] : [own]),
    ...(time !== undefined && Object.hasOwn(payload, time) ? ['tool-times/v1'] : []),
    ...(isIntent ? ['model-intent/v1'] : []),
  ].sort();
}

function frameOf(
  draft: RecordDraft,
  { seq, synced, fence, features, kind, version }: Header,
  forgeries: readonly Forgery[],
  seqOf: (uid: number) => number,
  { log }: Contract,
): Buffer {
  const header = Buffer.from(canonical({ features, fence, seq, synced, type: draft.type }));
  const text = canonical(resolved(draft.payload, seqOf));
  const payload = Buffer.from(forgeries.some(({ what }) => what === 'spaced') ? text.replace('{', '{ ') : text);
  const prefix = Buffer.alloc(12);
  prefix.write(log.frame.magic, 0, 'hex');
  prefix.writeUInt8(version, 4);
  prefix.writeUInt8(kind, 5);
  prefix.writeUInt16BE(header.length, 6);
  prefix.writeUInt32BE(payload.length, 8);
  const before = Buffer.concat([prefix, header, payload]);
  const digest = createHash('sha256').update(before).digest();
  if (forgeries.some(({ what }) => what === 'digest')) digest[0] = (digest[0] ?? 0) ^ 1;
  return Buffer.concat([before, digest]);
}
