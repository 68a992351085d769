/** Frames that are intact and yet not to be taken: each is refused with a name for it, and nothing is cut. */
import * as fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../core/digest.js';
import { encodeFrame, magic, sizeBound } from './frame.js';
import { SessionLog } from './session-log.js';
import { codeOf, create, errorOf, folderWith, logPath, queued, read, smallLog, stepStarted } from './testing/log.js';

const { bytes, frames } = smallLog();
const seq = frames.length + 1;

interface Made {
  version?: number;
  kind?: number;
  header?: string;
  payload?: string | Buffer;
}

const header = (changes: object = {}): string =>
  JSON.stringify({ features: [], fence: 1, seq, synced: 7, type: 'queued', ...changes });
const payload = '{"input":{"text":"Hello"},"submission_id":"m-9"}';

/** A frame with a right digest, whatever else it is. */
function frameOf({ version = 1, kind = 1, header: head = header(), payload: body = payload }: Made): Buffer {
  const prefix = Buffer.alloc(12);
  magic.copy(prefix);
  prefix[4] = version;
  prefix[5] = kind;
  prefix.writeUInt16BE(Buffer.byteLength(head), 6);
  prefix.writeUInt32BE(Buffer.byteLength(body), 8);
  const before = Buffer.concat([prefix, Buffer.from(head), Buffer.from(body)]);
  return Buffer.concat([before, Buffer.from(sha256(before), 'hex')]);
}

const spaced = header().replace(',', ', ');
const newer: [string, Made, string[]][] = [
  ['the next version', { version: 2 }, ['version 2']],
  ['the version before the first', { version: 0 }, ['version 0']],
  ['a version with a header of its own', { version: 2, header: '{}', payload: 'not JSON' }, ['version 2']],
  ['a kind', { kind: 4 }, ['kind 4']],
  ['a type', { header: header({ type: 'compacted' }) }, ['compacted']],
  ['a type that says it is a lineage', { kind: 3, header: header({ type: 'lineage_v2' }) }, ['lineage_v2']],
  ['a feature', { header: header({ features: ['scope/v1'] }) }, ['scope/v1']],
  [
    'two features, one of them read',
    { header: header({ features: ['media-content/v1', 'steer-queue/v1'] }) },
    ['media-content/v1'],
  ],
  ['a feature of an informational type', { kind: 2, header: header({ features: ['muse/v1'], type: 'mused' }) }, ['muse/v1']],
  [
    'an informational type that requires what is read',
    { kind: 2, header: header({ features: ['steer-queue/v1'], type: 'mused' }) },
    ['mused'],
  ],
  ['a feature, in a payload of another shape', { header: header({ features: ['scope/v1'] }), payload: '{}' }, ['scope/v1']],
];

const misshapen: [string, Made][] = [
  ['a header with a space', { header: spaced }],
  ['a header in another order', { header: `{"fence":1,"features":[],"seq":${seq},"synced":7,"type":"queued"}` }],
  ['a member more', { header: header({ v: 1 }) }],
  ['no type', { header: header({ type: '' }) }],
  ['a number with a zero before it', { header: header().replace(`"seq":${seq}`, `"seq":0${seq}`) }],
  ['a number larger than is safe', { header: header().replace(`"seq":${seq}`, '"seq":9007199254740993') }],
  ['features that are not sorted', { header: header({ features: ['steer-queue/v1', 'run-cancel-at/v1'] }) }],
  ['a feature twice', { header: header({ features: ['steer-queue/v1', 'steer-queue/v1'] }) }],
  ['a feature that is no name', { header: header({ features: ['Steer'] }) }],
  ['fence 0', { header: header({ fence: 0 }) }],
  ['a known type of another kind', { kind: 2 }],
  ['a payload of another shape', { payload: '{"submission_id":"m-9"}' }],
  ['a payload that is a list', { payload: '[]' }],
  ['a payload that is not JSON', { payload: '{' }],
  ['a payload that is not UTF-8', { payload: Buffer.from(payload.replace('Hello', '\u00ff'), 'latin1') }],
  ['half an emoji', { payload: cutEmoji() }],
  ['a surrogate in UTF-8', { payload: Buffer.from(payload.replace('Hello', '\u00ed\u00a0\u0080'), 'latin1') }],
  ['a byte order mark', { payload: `\ufeff${payload}` }],
  ['more than its cap', { header: header({ type: 'retracted' }), payload: `{"submission_id":"${'x'.repeat(70_000)}"}` }],
];

const misplaced: [string, Made][] = [
  ['a seq that is not the next', { header: header({ seq: seq + 1 }) }],
  ['a seq that was before', { header: header({ seq: seq - 1 }) }],
  ['a synced that falls', { header: header({ synced: 3 }) }],
  ['a synced that is not before it', { header: header({ synced: seq }) }],
];

/** A payload whose text lost the last two bytes of a four-byte character, and nothing else. */
function cutEmoji(): Buffer {
  const [before = '', after = ''] = payload.split('Hello');
  return Buffer.concat([Buffer.from(before), Buffer.from('😀').subarray(0, 2), Buffer.from(after)]);
}

/** The frame itself at the end, with a torn tail behind, and in the middle of a turn, with good frames behind. */
const places = (made: Buffer): Buffer[] => [
  Buffer.concat([bytes, made]),
  Buffer.concat([bytes, made, Buffer.from('torn')]),
  Buffer.concat([bytes, made, frameOf({ header: header({ seq: seq + 1 }) })]),
];

describe.each(newer)('%s that this version does not know', (_name, made, names) => {
  test('is refused by name wherever it stands, and nothing is cut', () => {
    for (const file of places(frameOf(made))) {
      const folder = folderWith(file);
      const refusal = { code: 'newer-writer', names, offset: bytes.length };
      expect(errorOf(() => read(folder))).toMatchObject(refusal);
      expect(errorOf(() => SessionLog.open(folder))).toMatchObject(refusal);
      expect(fs.readFileSync(logPath(folder)).equals(file)).toBe(true);
    }
  });

  test('is refused by name behind a frame that is lost, before anything else is said of it', () => {
    const lost = Buffer.alloc(100);
    const folder = folderWith(Buffer.concat([bytes, lost, frameOf(made)]));
    expect(errorOf(() => SessionLog.open(folder))).toMatchObject({ code: 'newer-writer', names, offset: bytes.length + 100 });
  });
});

test.each([...misshapen, ...misplaced])('an intact frame with %s is damage wherever it stands', (_name, made) => {
  for (const file of places(frameOf(made))) {
    const folder = folderWith(file);
    expect(errorOf(() => read(folder))).toMatchObject({ code: 'log-damaged', offset: bytes.length });
    expect(codeOf(() => SessionLog.open(folder))).toBe('log-damaged');
    expect(fs.readFileSync(logPath(folder)).equals(file)).toBe(true);
  }
});

test.each(misshapen)('an intact frame with %s is damage behind a frame that is lost', (_name, made) => {
  const file = Buffer.concat([bytes, Buffer.alloc(100), frameOf(made)]);
  expect(errorOf(() => read(folderWith(file)))).toMatchObject({ code: 'log-damaged', offset: bytes.length });
});

const behind = (...made: object[]): string | null => {
  const after = made.map((changes) => frameOf({ header: header(changes) }));
  return codeOf(() => read(folderWith(Buffer.concat([bytes, Buffer.alloc(100), ...after]))));
};

test('behind a frame that is lost, only the rest of its own barrier is a torn tail', () => {
  // Up to four frames were known to be durable when the last barrier was written, and the next one may know of all seven.
  const second = { seq: seq + 1, synced: 7 };
  const third = { seq: seq + 2, synced: 7 };
  expect(behind(second)).toBeNull();
  expect(behind(second, third)).toBeNull();
  expect(behind({ ...second, fence: 2 }, { ...third, fence: 2 })).toBeNull();
  expect(behind({ ...second, synced: 4 }, { ...third, synced: 4 })).toBeNull();
  expect(behind({ ...second, synced: 3 })).toBe('log-damaged');
  expect(behind({ ...second, synced: seq })).toBe('log-damaged');
  expect(behind({ ...second, synced: 5 }, third)).toBe('log-damaged');
  expect(behind(second, { ...third, fence: 2 })).toBe('log-damaged');
  expect(behind(third, second)).toBe('log-damaged');
  expect(behind(second, second)).toBe('log-damaged');
  expect(behind({ ...second, seq })).toBe('log-damaged');
});

test('the frame that the others are made from is a good one', () => {
  const { frames: now } = read(folderWith(Buffer.concat([bytes, frameOf({})])));
  expect(now.at(-1)).toMatchObject({ seq, type: 'queued', size: frameOf({}).length });
});

test('an informational type that is not known is read, told and passed over', () => {
  const made = frameOf({ kind: 2, header: header({ type: 'mused' }), payload: '{"about":"things"}' });
  const { frames: now } = read(folderWith(Buffer.concat([bytes, made])));
  expect(now.at(-1)).toMatchObject({ kind: 'informational', type: 'mused', payload: { about: 'things' } });
});

test('a log that does not begin with its name is damage', () => {
  const made = frameOf({ header: header({ seq: 1, synced: 0 }) });
  expect(errorOf(() => read(folderWith(made)))).toMatchObject({ code: 'log-damaged', offset: 0 });
});

test('a header longer than any is no frame, whatever its digest says', () => {
  const made = frameOf({ header: ' '.repeat(4097) });
  expect(read(folderWith(Buffer.concat([bytes, made]))).tornBytes).toBe(made.length);
  const longest = frameOf({ header: ' '.repeat(4096) });
  expect(codeOf(() => read(folderWith(Buffer.concat([bytes, longest]))))).toBe('log-damaged');
});

test('no frame is larger than was reckoned before its place was known', () => {
  const numbers = { seq: Number.MAX_SAFE_INTEGER, fence: Number.MAX_SAFE_INTEGER, synced: Number.MAX_SAFE_INTEGER - 1 };
  for (const features of [[], ['steer-queue/v1']]) {
    const { bytes: largest } = encodeFrame({ type: 'queued', features, ...numbers }, 'record', payload);
    expect(sizeBound('queued', features, Buffer.byteLength(payload))).toBeGreaterThanOrEqual(largest.length);
  }
});

describe('a log of several pieces of the file that are read at once', () => {
  const piece = 1 << 20;

  test('is read as it was written', () => {
    const text = '😀é'.repeat(40_000);
    const { folder, log } = create();
    for (let index = 0; index < 25; index += 1)
      log.append([queued(`m-${index}`, text.slice(0, 69_999 + 3 * index)), stepStarted(index + 2)], { sync: index % 3 === 0 });
    log.close();
    const { frames: now, tornBytes } = read(folder);
    expect(fs.statSync(logPath(folder)).size).toBeGreaterThan(3 * piece);
    expect([now.length, tornBytes]).toEqual([51, 0]);
    expect(
      now.filter(({ type }) => type === 'queued').map(({ payload: told }) => (told['input'] as { text: string }).text),
    ).toEqual(Array.from({ length: 25 }, (_, index) => text.slice(0, 69_999 + 3 * index)));
  });

  test('is searched without a gap: a frame is found wherever it begins', () => {
    const durable = frameOf({ header: header({ seq: seq + 1, synced: seq }) });
    for (let shift = -4; shift <= 0; shift += 1) {
      const lost = Buffer.alloc(piece + shift - bytes.length);
      const folder = folderWith(Buffer.concat([bytes, lost, durable]));
      expect([shift, errorOf(() => read(folder))?.offset]).toEqual([shift, bytes.length]);
    }
  });
});
