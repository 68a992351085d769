/**
 * The session log against the bare thing.
 *
 * An append against a loop that writes the same bytes to the same places and syncs them: the loop has the frames ready and checks nothing; the log
 * makes canonical JSON, checks the shape, hashes, and compares identity and size of its file. A replay against a loop that hashes, decodes and parses
 * each frame: the loop trusts lengths and order; the reader checks headers, shapes, places and features.
 */
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type * as ScanModule from '../../runtime/sessions/log/scan.js';
import type * as SessionLogModule from '../../runtime/sessions/log/session-log.js';
import { atLeast, inFolder, median, milliseconds, pairs, ratio, shortPairs, type Measured } from './measure.js';

const appends = 1500;
const replayed = 256 * 2 ** 20;
const frameSize = 4096;
const pieceSize = 2 ** 20;
const [prefix, digest] = [12, 32];
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const draftOf = (index: number, size: number) => ({
  type: 'queued' as const,
  payload: {
    input: { text: 'Say what the paragraph claims. '.repeat(size / 31 + 1).slice(0, size) },
    submission_id: `m-${index}`,
  },
});

export async function measureSessionLog(build: string): Promise<Measured[]> {
  const { SessionLog } = (await import(join(build, 'runtime/sessions/log/session-log.js'))) as typeof SessionLogModule;
  const { scanLog } = (await import(join(build, 'runtime/sessions/log/scan.js'))) as typeof ScanModule;
  return inFolder(async (folder) => {
    let name = 0;
    const create = () => {
      const state = join(folder, `session-${name++}`);
      return { path: join(state, 'session.wal'), log: SessionLog.create(state, { sessionId: 's-1' }) };
    };
    return [await measureAppends(folder, create), await measureReplay(create, (path) => scanLog(path, () => {}).lastSeq)];
  });
}

type Create = () => { path: string; log: SessionLogModule.SessionLog };

async function measureAppends(folder: string, create: Create): Promise<Measured> {
  /** What a log begins with before the time is taken, and what it then appends. */
  let [head, frames]: [Buffer, Buffer[]] = [Buffer.alloc(0), []];
  let name = 0;
  const logSide = async (): Promise<number> => {
    const { path, log } = create();
    log.append([draftOf(0, 240)], { sync: true });
    const time = await milliseconds(() => {
      for (let index = 1; index <= appends; index++) log.append([draftOf(index, 240)], { sync: true });
    });
    log.close();
    const all = framesIn(fs.readFileSync(path));
    [head, frames] = [Buffer.concat(all.slice(0, 2)), all.slice(2)];
    return time;
  };
  const bareSide = async (): Promise<number> => {
    const descriptor = fs.openSync(join(folder, `bare-${name++}`), 'w');
    let end = fs.writeSync(descriptor, head);
    fs.fdatasyncSync(descriptor);
    const time = await milliseconds(() => {
      for (const frame of frames) {
        end += fs.writeSync(descriptor, frame, 0, frame.length, end);
        fs.fdatasyncSync(descriptor);
      }
    });
    fs.closeSync(descriptor);
    return time;
  };
  // One unmeasured turn each: the frames for the bare side, and warm code on both.
  await logSide();
  await bareSide();
  const measured = await pairs(shortPairs, bareSide, logSide);
  const perSecond = (side: 0 | 1): number => Math.round(appends / (median(measured.map((pair) => pair[side])) / 1000));
  return atLeast('append ÷ bare write and sync', ratio(measured), 0.9, `${perSecond(1)} and ${perSecond(0)} a second`);
}

async function measureReplay(create: Create, replay: (path: string) => number): Promise<Measured> {
  const { path, log } = create();
  const count = replayed / frameSize;
  const together = 64;
  for (let index = 0; index < count; index += together)
    log.append(
      Array.from({ length: together }, (_, at) => draftOf(index + at, frameSize - 180)),
      { sync: false },
    );
  log.close();
  const side = (read: (path: string) => number) => (): Promise<number> =>
    milliseconds(() => {
      if (read(path) !== count + 1) throw new Error('Not every frame was read.');
    });
  const [bareSide, logSide] = [side(bareReplay), side(replay)];
  await bareSide();
  await logSide();
  const measured = await pairs(shortPairs, bareSide, logSide);
  const perSecond = (at: 0 | 1): number =>
    Math.round(fs.statSync(path).size / 1e6 / (median(measured.map((pair) => pair[at])) / 1000));
  return atLeast('replay ÷ bare hash and parse', ratio(measured), 0.8, `${perSecond(1)} and ${perSecond(0)} MB a second`);
}

function sizeAt(bytes: Buffer, at: number): number {
  return prefix + bytes.readUInt16BE(at + 6) + bytes.readUInt32BE(at + 8) + digest;
}

function framesIn(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += sizeAt(bytes, at)) frames.push(bytes.subarray(at, at + sizeAt(bytes, at)));
  return frames;
}

/** Hashes, decodes and parses each frame, and does nothing else. */
function bareReplay(path: string): number {
  const descriptor = fs.openSync(path, 'r');
  const { size } = fs.fstatSync(descriptor);
  const piece = Buffer.allocUnsafe(pieceSize);
  let [count, start, end] = [0, 0, 0];
  for (let at = 0; at < size; count += 1) {
    if (at + prefix > end || at + sizeAt(piece, at - start) > end) {
      start = at;
      end = start + fs.readSync(descriptor, piece, 0, pieceSize, start);
    }
    const from = at - start;
    const frame = sizeAt(piece, from);
    const digestAt = from + frame - digest;
    if (hash('sha256', piece.subarray(from, digestAt), 'hex') !== piece.toString('hex', digestAt, digestAt + digest))
      throw new Error('A digest is wrong.');
    JSON.parse(utf8.decode(piece.subarray(from + prefix + piece.readUInt16BE(from + 6), digestAt)));
    at += frame;
  }
  fs.closeSync(descriptor);
  return count;
}
