import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { frameBytes, lineage, logBytes, type Made } from '../testing/session-log.js';
import { Memory } from './memory.js';
import { readSessionLog } from './session-log.js';

interface Vector {
  readonly name: string;
  readonly hex: string;
  readonly floor: readonly string[];
  readonly verdict: string;
  readonly frames: number;
  readonly torn_bytes: number;
  readonly offset?: number;
  readonly names?: readonly string[];
}

const floorBytes = (...features: readonly string[]): Buffer =>
  Buffer.from(`${JSON.stringify({ features, version: 'feature-floor/v1' })}\n`);

describe('known answers', () => {
  const { vectors } = JSON.parse(
    readFileSync(new URL('../../evidence/schema/vectors/session-log.json', import.meta.url), 'utf8'),
  ) as { vectors: readonly Vector[] };

  it.each(vectors)('$name', ({ hex, floor, verdict, frames, torn_bytes: torn, offset, names }) => {
    const log = readSessionLog(Buffer.from(hex, 'hex'), floor.length === 0 ? undefined : floorBytes(...floor));
    const refusedByFloor = log.floor.unread.length > 0;
    // A reader refuses such a floor before it has read a frame; a judge reads them all the same.
    expect({ verdict: log.verdict, frames: refusedByFloor ? 0 : log.frames.length, torn: log.tornBytes }).toEqual({
      ...{ verdict, frames, torn },
    });
    const problem = log.problem;
    const told = problem?.is === 'newer' ? problem.names : refusedByFloor ? log.floor.unread : undefined;
    expect({ offset: problem?.offset, names: told }).toEqual({ offset, names });
  });

  it('are of every verdict', () => {
    expect([...new Set(vectors.map(({ verdict }) => verdict))].sort()).toEqual(['damaged', 'newer', 'ok', 'torn']);
  });
});

const turn = (step: string): Made => ({ type: 'turn_finished', payload: { run_id: 'r', step_id: step } });
const turns = (count: number): Made[] => Array.from({ length: count }, (_one, index) => turn(`step-${index + 1}`));

describe('a frame', () => {
  it('is read with its place, its size and its digest', () => {
    const bytes = logBytes(turn('step-9'));
    const { frames, records } = readSessionLog(bytes);
    const first = frameBytes({ type: 'lineage', payload: lineage }).length;
    expect(frames[1]).toEqual({
      ...{ seq: 2, kind: 'record', type: 'turn_finished', fence: 1, synced: 1, features: [] },
      ...{ payload: { run_id: 'r', step_id: 'step-9' }, offset: first, size: bytes.length - first },
      digest: bytes.subarray(-32).toString('hex'),
    });
    expect(records).toEqual(frames);
  });

  it('of an unknown informational type is a frame and no record', () => {
    const { frames, records } = readSessionLog(logBytes({ type: 'mused', payload: { a: 1 }, kind: 2 }, turn('step-1')));
    expect([frames.length, records.length]).toEqual([3, 2]);
  });

  it.each<[string, Made, string]>([
    ['a payload that is not canonical', { ...turn('step-1'), text: '{"step_id":"step-1","run_id":"r"}' }, 'malformed'],
    [
      'a payload that names a member twice',
      { ...turn('step-1'), text: '{"run_id":"r","run_id":"r","step_id":"step-1"}' },
      'malformed',
    ],
    ['a payload that is no JSON', { ...turn('step-1'), text: 'x' }, 'malformed'],
    [
      'a payload over the cap of its type',
      { ...turn('step-1'), text: JSON.stringify({ run_id: 'r'.repeat(70_000) }) },
      'malformed',
    ],
    ['a known type of another kind', { ...turn('step-1'), kind: 2 }, 'malformed'],
    [
      'a header with one member more',
      { ...turn('step-1'), header: '{"at":1,"features":[],"fence":1,"seq":2,"synced":1,"type":"turn_finished"}' },
      'malformed',
    ],
    [
      'features that are no list',
      { ...turn('step-1'), header: '{"features":{},"fence":1,"seq":2,"synced":1,"type":"turn_finished"}' },
      'malformed',
    ],
    ['features that are not sorted', { ...turn('step-1'), features: ['tool-times/v1', 'steer-queue/v1'] }, 'malformed'],
    ['an unknown informational payload that is no object', { type: 'mused', payload: [1], kind: 2 }, 'malformed'],
    ['a fence of zero', { ...turn('step-1'), fence: 0 }, 'malformed'],
    ['a seq that is not the next', { ...turn('step-1'), seq: 3 }, 'out_of_place'],
    ['a synced that is not before its seq', { ...turn('step-1'), synced: 2 }, 'out_of_place'],
    ['another identity', { type: 'lineage', payload: { ...lineage, identity: 'f'.repeat(32) }, fence: 2 }, 'foreign'],
  ])('with %s is damage', (_what, frame, cause) => {
    const bytes = logBytes(frame, turn('step-2'));
    const { frames, problem, verdict, tornBytes } = readSessionLog(bytes);
    const offset = frameBytes({ type: 'lineage', payload: lineage }).length;
    expect({ frames: frames.length, problem, verdict, tornBytes }).toMatchObject({
      ...{ frames: 1, verdict: 'damaged', tornBytes: 0, problem: { is: 'damaged', offset, cause } },
    });
  });

  it('with a header over its cap is none', () => {
    const frame = { type: 'm'.repeat(4096), payload: {}, kind: 2 };
    expect(readSessionLog(logBytes(frame))).toMatchObject({ verdict: 'torn', frames: { length: 1 } });
  });

  it('with a synced that falls is damage', () => {
    const { frames, problem } = readSessionLog(logBytes(turn('step-1'), { ...turn('step-2'), synced: 0 }));
    expect([frames.length, problem]).toMatchObject([2, { cause: 'out_of_place' }]);
  });

  it('of a type that requires only what is read, and is not known, is a newer one', () => {
    const frame = { type: 'mused', payload: {}, kind: 2, features: ['tool-times/v1'] };
    expect(readSessionLog(logBytes(frame)).problem).toMatchObject({ is: 'newer', names: ['mused'] });
  });
});

/** A log with the frame at `index` lost, its bytes become NUL. */
function lost(frames: readonly Made[], index: number): Buffer {
  const parts = [{ type: 'lineage', payload: lineage }, ...frames].map((frame, at) => frameBytes({ seq: at + 1, ...frame }));
  return Buffer.concat(parts.map((part, at) => (at === index ? Buffer.alloc(part.length) : part)));
}

describe('behind a lost frame', () => {
  const barrier = (...frames: Made[]): Made[] => frames.map((frame) => ({ synced: 1, ...frame }));

  it.each<[string, Made[], string]>([
    ['later frames of its barrier', barrier(...turns(3)), 'torn'],
    ['a later frame that leaves one out', barrier(turn('step-1'), turn('step-2'), { ...turn('step-3'), seq: 5 }), 'torn'],
    ['a frame that was written when it was durable', barrier(turn('step-1'), { ...turn('step-2'), synced: 2 }), 'damaged'],
    ['a frame of another barrier', barrier(turn('step-1'), turn('step-2'), { ...turn('step-3'), synced: 0 }), 'damaged'],
    ['a frame with its own seq', barrier(turn('step-1'), { ...turn('step-1'), seq: 2 }), 'damaged'],
    ['frames out of order', barrier(turn('step-1'), { ...turn('step-2'), seq: 4 }, { ...turn('step-3'), seq: 3 }), 'damaged'],
    ['one frame twice', barrier(turn('step-1'), turn('step-2'), { ...turn('step-2'), seq: 3 }), 'damaged'],
    ['a malformed frame', barrier(turn('step-1'), { ...turn('step-2'), text: '{}' }), 'damaged'],
    [
      'two lineages of different logs',
      barrier(turn('step-1'), { type: 'lineage', payload: { ...lineage, identity: 'f'.repeat(32) }, fence: 2 }),
      'damaged',
    ],
    ['its own lineage', barrier(turn('step-1'), { type: 'lineage', payload: lineage, fence: 2 }), 'torn'],
    ['a fence that falls', barrier(turn('step-1'), { ...turn('step-2'), fence: 2 }, turn('step-3')), 'damaged'],
    [
      'a newer frame and a durable one',
      barrier(turn('step-1'), { ...turn('step-2'), synced: 2 }, { ...turn('step-3'), features: ['scope/v1'] }),
      'newer',
    ],
  ])('%s', (_what, frames, verdict) => {
    const log = readSessionLog(lost(frames, 1));
    expect([log.verdict, log.frames.length]).toEqual([verdict, 1]);
  });

  it('of a first barrier of a log that names itself twice', () => {
    const frames = [
      { type: 'lineage', payload: { ...lineage, identity: 'f'.repeat(32) } },
      { type: 'lineage', payload: lineage },
    ];
    const bytes = Buffer.concat([
      Buffer.alloc(40),
      ...frames.map((frame, at) => frameBytes({ ...frame, seq: at + 2, synced: 0 })),
    ]);
    expect(readSessionLog(bytes).problem).toMatchObject({ is: 'damaged', offset: 0, cause: 'foreign' });
  });
});

describe('a log cut anywhere', () => {
  it('is torn within a frame and whole between two, and never gains a frame', () => {
    const bytes = logBytes(...turns(2));
    const ends = readSessionLog(bytes).frames.map(({ offset, size }) => offset + size);
    for (let length = 0; length <= bytes.length; length += 1) {
      const { frames, tornBytes, verdict } = readSessionLog(Buffer.from(bytes.subarray(0, length)));
      const whole = ends.filter((end) => end <= length);
      expect([frames.length, tornBytes]).toEqual([whole.length, length - (whole.at(-1) ?? 0)]);
      expect(verdict).toBe(tornBytes === 0 ? 'ok' : 'torn');
    }
  });

  it('and damaged in one bit is never read as something else', () => {
    const bytes = logBytes(...turns(3));
    const { frames } = readSessionLog(bytes);
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      const read = readSessionLog(damaged);
      expect(read.frames).toEqual(frames.slice(0, read.frames.length));
      expect(read.verdict).toBe(at < (frames.at(-1)?.offset ?? 0) ? 'damaged' : 'torn');
    }
  });
});

describe('hostile bytes', () => {
  /** Places that look like frames, one behind the other, each of the size that `sizeOf` says by its offset. */
  function candidates(count: number, sizeOf: (offset: number) => number, rest = 0): Buffer {
    const bytes = Buffer.alloc(count * 12 + rest);
    for (let at = 0; at < count * 12; at += 12) {
      bytes.write('f54b50570101', at, 'hex');
      bytes.writeUInt32BE(Math.max(sizeOf(at) - 44, 0), at + 8);
    }
    return bytes;
  }

  const judged = (bytes: Buffer) => {
    const { verdict, problem, frames } = readSessionLog(bytes);
    return { verdict, cause: problem?.is === 'damaged' ? problem.cause : null, frames: frames.length };
  };

  it('with frames inside frames end at the budget', () => {
    const bytes = candidates(10_000, (at) => 120_000 - at);
    expect(judged(bytes)).toEqual({ verdict: 'damaged', cause: 'budget', frames: 0 });
  });

  it('with a few long ones are hashed, four times the rest at most', () => {
    const rest = 1024 * 1024;
    const of = (count: number): Buffer => candidates(count, (at) => count * 12 + rest - at, rest);
    // The first is at the place itself; what counts lies behind it.
    expect(judged(of(5))).toEqual({ verdict: 'torn', cause: null, frames: 0 });
    expect(judged(of(6))).toEqual({ verdict: 'damaged', cause: 'budget', frames: 0 });
  });

  it('may cost four times the rest, and not a byte more', () => {
    const rest = 1024;
    const whole = 6 * 12 + rest;
    // Four long ones come to 120 bytes less than four times the rest.
    const of = (last: number) => candidates(6, (at) => (at === 60 ? last : whole - at), rest);
    expect([judged(of(120)).verdict, judged(of(121)).verdict]).toEqual(['torn', 'damaged']);
  });

  it('with many small places cost no more than their number', () => {
    expect(judged(candidates(5000, () => 44))).toEqual({ verdict: 'torn', cause: null, frames: 0 });
  });

  it('with a payload that is nested deeper than any value are malformed', () => {
    const text = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect(judged(logBytes({ type: 'mused', payload: {}, kind: 2, text }))).toEqual({
      verdict: 'damaged',
      cause: 'malformed',
      frames: 1,
    });
  });
});

describe('what one run keeps', () => {
  it('reads equal frames of two logs once', () => {
    const memory = new Memory();
    const before = readSessionLog(logBytes(...turns(3)), undefined, memory);
    const after = readSessionLog(logBytes(...turns(5)), undefined, memory);
    expect(after.frames[2]?.payload).toBe(before.frames[2]?.payload);
    expect(readSessionLog(after.bytes, undefined, memory)).toBe(after);
    expect(readSessionLog(after.bytes, floorBytes('scope/v1'), memory).verdict).toBe('newer');
  });
});

describe('a feature floor', () => {
  const read = (text: string) => readSessionLog(logBytes(), Buffer.from(text)).floor;

  it('that is not there requires nothing', () => {
    expect(readSessionLog(logBytes()).floor).toEqual({ present: false, features: [], unread: [], problem: null });
  });

  it('names what is read and what is not', () => {
    expect(read('{"features":["scope/v1","steer-queue/v1"],"version":"feature-floor/v1"}\n')).toEqual({
      ...{ present: true, features: ['scope/v1', 'steer-queue/v1'], unread: ['scope/v1'], problem: null },
    });
  });

  it.each([
    ['without a line feed', '{"features":[],"version":"feature-floor/v1"}'],
    ['of another version', '{"features":[],"version":"feature-floor/v2"}\n'],
    ['that is not sorted', '{"features":["tool-times/v1","steer-queue/v1"],"version":"feature-floor/v1"}\n'],
    ['that names one twice', '{"features":["tool-times/v1","tool-times/v1"],"version":"feature-floor/v1"}\n'],
    ['whose features are no list', '{"features":{},"version":"feature-floor/v1"}\n'],
    ['of no features', '{"features":["Steer"],"version":"feature-floor/v1"}\n'],
    ['that is empty', ''],
  ])('%s is a problem', (_what, text) => expect(read(text).problem).not.toBeNull());
});
