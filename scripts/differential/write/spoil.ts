/** What is done to files after they were written: what a crash leaves, and what none does. */
import type { Spoil } from '../history/drafts.js';
import { canonical } from './canonical.js';

type Files = ReadonlyMap<string, Buffer>;

export function spoiled(files: Files, spoils: readonly Spoil[]): Files {
  return spoils.reduce<Files>((before, spoil) => {
    const after = new Map([...before, ...changed(before, spoil)]);
    if (spoil.kind === 'no floor') after.delete('wal-feature-floor');
    return after;
  }, files);
}

/** A place as a share of a size. */
function placeIn(size: number, { at }: Spoil): number {
  return Math.min(size, Math.floor((size * at) / 1000));
}

function changed(files: Files, spoil: Spoil): [string, Buffer][] {
  const log = files.get('session.wal');
  switch (spoil.kind) {
    case 'cut':
      return log === undefined ? [] : [['session.wal', log.subarray(0, placeIn(log.length, spoil))]];
    case 'flip':
      return log === undefined ? [] : [['session.wal', flipped(log, placeIn(log.length, spoil))]];
    case 'zeros':
      return log === undefined ? [] : [['session.wal', Buffer.concat([log, Buffer.alloc(1 + (spoil.at % 97))])]];
    case 'noise':
      return log === undefined ? [] : [['session.wal', Buffer.concat([log, noise(spoil.at)])]];
    case 'again': {
      // Whole frames that were durable once, a second time at the end.
      return log === undefined ? [] : [['session.wal', Buffer.concat([log, log.subarray(placeOfFrame(log, spoil))])]];
    }
    case 'floor':
      return log === undefined ? [] : [['wal-feature-floor', floorOf(['compaction/v1', 'steer-queue/v1'])]];
    case 'log-cut': {
      const wal = files.get('ledger.sqlite-wal');
      return wal === undefined ? [] : [['ledger.sqlite-wal', wal.subarray(0, placeIn(wal.length, spoil))]];
    }
    case 'application':
    case 'table':
      // Done where the database is made.
      return [];
    case 'no floor':
      // Nothing is written for it.
      return [];
  }
}

export function floorOf(features: readonly string[]): Buffer {
  return Buffer.from(`${canonical({ features: [...features].sort(), version: 'feature-floor/v1' })}\n`);
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const place = Math.min(at, copy.length - 1);
  if (place >= 0) copy[place] = (copy[place] ?? 0) ^ 0x55;
  return copy;
}

/** With the beginning of a frame in it that none ends. */
function noise(at: number): Buffer {
  const magic = Buffer.from('f54b505701010020', 'hex');
  return Buffer.concat([Buffer.from([at % 256, 7]), at % 2 === 0 ? magic : Buffer.alloc(0), Buffer.alloc(at % 50, 0x41)]);
}

function placeOfFrame(log: Buffer, spoil: Spoil): number {
  const found = log.indexOf(Buffer.from('f54b5057', 'hex'), placeIn(log.length, spoil));
  return found < 0 ? 0 : found;
}
