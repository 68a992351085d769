/**
 * Logs that say how long they are: frames of a session with lengths that no file has and starts of frames without end, receipts by the million,
 * traces of files that no disk holds.
 */
import type { Editor } from '../../mutations/editor.js';
import { frameBytes } from '../session-log.js';
import { snapshotFolder, type Hostile } from './hostile.js';

const session = `${snapshotFolder}state/session.wal`;
const receipts = `${snapshotFolder}receipts.jsonl`;
const magic = Buffer.from('f54b5057', 'hex');

const row = (what: string, change: (log: Buffer) => Buffer, more: Partial<Hostile> = {}): Hostile => ({
  what: `a session log ${what}`,
  of: 'sessions',
  edit: (editor) => {
    editor.files.set(session, change(editor.bytes(session)));
    const snapshot = editor.findAny((one) => one.file('') === snapshotFolder);
    if (snapshot !== undefined) editor.coverFiles(snapshot);
  },
  exit: 1,
  codes: ['log-damaged'],
  at: session,
  ...more,
});

const prefix = (header: number, payload: number): Buffer => {
  const bytes = Buffer.alloc(64);
  magic.copy(bytes);
  bytes.writeUInt8(1, 4);
  bytes.writeUInt8(1, 5);
  bytes.writeUInt16BE(header, 6);
  bytes.writeUInt32BE(payload, 8);
  return bytes;
};

/** In the place of the second frame. */
const instead = (bytes: Buffer) => (log: Buffer) => {
  const second = log.indexOf(magic, 4);
  return Buffer.concat([log.subarray(0, second), bytes, log.subarray(second)]);
};
const behind = (bytes: Buffer) => (log: Buffer) => Buffer.concat([log, bytes]);
const mebibyte = 2 ** 20;

const sessions: Hostile[] = [
  row('with a header longer than any', instead(prefix(0xffff, 0))),
  row('with a payload of 4 GiB', instead(prefix(100, 0xffffffff))),
  row('with 64 MiB of starts of frames in the middle', instead(Buffer.alloc(64 * mebibyte, magic)), { within: { seconds: 60 } }),
  row(
    'with 8 MiB of starts of long frames',
    instead(Buffer.concat(Array.from({ length: 131_072 }, () => prefix(64, 1_000_000)))),
  ),
  row('with 100,000 frames without their shape behind', behind(manyFrames()), { codes: ['frame-malformed'] }),
  row('with a header of 4,000 levels', behind(frameBytes({ type: 'x', payload: {}, seq: 99, header: '['.repeat(4000) })), {
    codes: ['frame-malformed'],
  }),
];

function manyFrames(): Buffer {
  return Buffer.concat(
    Array.from({ length: 100_000 }, (_frame, at) => frameBytes({ type: 'lineage', payload: {}, seq: at + 500 })),
  );
}

const received = (what: string, change: (log: Buffer) => Buffer, more: Partial<Hostile> = {}): Hostile => ({
  what: `a log of receipts ${what}`,
  edit: (editor) => {
    editor.files.set(receipts, change(editor.bytes(receipts)));
    sealed(editor);
  },
  exit: 1,
  codes: ['receipt-malformed'],
  at: receipts,
  ...more,
});

function sealed(editor: Editor): void {
  const snapshot = editor.findAny((one) => one.file('') === snapshotFolder);
  if (snapshot !== undefined) editor.seal(snapshot);
}

/** Nothing of it is read: whatever was sent was not served, and whatever came back was not answered. */
const ofNoReceipts: Hostile['codes'] = [
  ...(['control-silent', 'intent-unserved', 'observation-mismatch'] as const),
  ...(['prediction-failed', 'receipt-malformed', 'receipts-unsealed'] as const),
];

const receiptLogs: Hostile[] = [
  received('with a million empty lines behind', behind(Buffer.alloc(1_000_000, 0x0a))),
  received('with 100 MiB of line feeds behind', behind(Buffer.alloc(100 * mebibyte, 0x0a)), { codes: ofNoReceipts, at: null }),
  received('with a line of 200 MiB', behind(Buffer.concat([Buffer.alloc(200 * mebibyte, 0x20), Buffer.from('\n')])), {
    within: { mebibytes: 1024 },
  }),
  received('with a line of 100,000 levels', behind(Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}\n`))),
];

export const logs: readonly Hostile[] = [...sessions, ...receiptLogs];
