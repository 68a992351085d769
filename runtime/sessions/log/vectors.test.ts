/** The known answers of the contract, both ways: what a reader makes of given bytes, and which bytes a writer makes of given frames. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { canonical } from '../../core/canonical.js';
import type { SessionError } from '../core/refusals.js';
import { featuresOf, isKnown, kindOf, recordTypes, type Draft, type Frame } from '../core/records.js';
import { encodeFrame } from './frame.js';
import { readSessionLog, SessionLog } from './session-log.js';
import { create, folderWith, logPath, queued } from './testing/log.js';

interface Vector {
  name: string;
  hex: string;
  floor: string[];
  verdict: 'ok' | 'torn' | 'damaged' | 'newer';
  frames: number;
  torn_bytes: number;
  offset?: number;
  names?: string[];
}

const { vectors } = JSON.parse(readFileSync('evidence/schema/vectors/session-log.json', 'utf8')) as { vectors: Vector[] };
const verdicts: Record<string, string> = { 'log-damaged': 'damaged', 'newer-writer': 'newer' };

function verdictOf(folder: string): Partial<Vector> {
  let frames = 0;
  try {
    const { tornBytes } = readSessionLog(folder, () => void (frames += 1));
    return { verdict: tornBytes > 0 ? 'torn' : 'ok', frames, torn_bytes: tornBytes };
  } catch (error) {
    const { code, offset, names } = error as SessionError;
    const verdict = verdicts[code] as 'damaged';
    return { verdict, frames, torn_bytes: 0, ...(offset !== null && { offset }), ...(names.length > 0 && { names: [...names] }) };
  }
}

test.each(vectors)('$name', ({ name: _name, hex, floor, ...expected }) => {
  const folder = folderWith(Buffer.from(hex, 'hex'), floor);
  expect(verdictOf(folder)).toEqual(expected);
  // Looking, and being refused, changed nothing.
  expect(readFileSync(logPath(folder)).toString('hex')).toBe(hex);
});

test.each(vectors.filter(({ verdict }) => verdict === 'damaged' || verdict === 'newer'))(
  'no owner opens it, and no byte changes: $name',
  ({ hex, floor, verdict }) => {
    const folder = folderWith(Buffer.from(hex, 'hex'), floor);
    const code = verdict === 'damaged' ? 'log-damaged' : 'newer-writer';
    for (let time = 0; time < 2; time += 1) expect(() => SessionLog.open(folder)).toThrow(expect.objectContaining({ code }));
    expect(readFileSync(logPath(folder)).toString('hex')).toBe(hex);
  },
);

/** What a writer of this version would append. */
const written = vectors.filter(({ name }) =>
  ['a whole run', 'a steer, which requires a feature', 'a second tenure'].includes(name),
);

test.each(written)('encodes to the same bytes: $name', ({ hex }) => {
  const frames: Frame[] = [];
  readSessionLog(folderWith(Buffer.from(hex, 'hex')), (frame) => void frames.push(frame));
  const encoded = frames.map((frame) => {
    if (!isKnown(frame)) throw new Error(`${frame.type} is not known.`);
    const features = frame.type === 'lineage' ? [] : featuresOf(frame as Draft);
    const { bytes, digest } = encodeFrame({ ...frame, features }, kindOf(frame.type), canonical(frame.payload));
    expect({ digest, size: bytes.length }).toEqual({ digest: frame.digest, size: frame.size });
    return bytes;
  });
  expect(written).toHaveLength(3);
  expect(Buffer.concat(encoded).toString('hex')).toBe(hex);
});

test('what an owner appends is what the frames say', () => {
  const frames: Frame[] = [];
  const { path, folder, log } = create({ onFrame: (frame) => void frames.push(frame) });
  const [told] = log.append([queued('m-1', 'é 😀 \u2028')], { sync: true });
  log.close();
  const read: Frame[] = [];
  readSessionLog(folder, (frame) => void read.push(frame));
  expect(read).toEqual(frames);
  expect(told).toEqual(frames[1]);
  expect(readFileSync(path)).toHaveLength(frames.reduce((sum, { size }) => sum + size, 0));
});

test('every record of the contract has a type here', () => {
  const { records } = JSON.parse(readFileSync('evidence/schema/session-log-v1.json', 'utf8')) as { records: object };
  expect(['lineage', ...recordTypes]).toEqual(Object.keys(records));
});
