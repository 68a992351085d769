/**
 * The log of one session, as its owner has it: read whole, appended to in barriers, under the lease.
 *
 * Fault model: process crash at any point, power loss, a failing disk, a second writer. What `append` returned with `sync` is durable, and
 * nobody hears of it before. What could not be made durable ends the log in this process for good; what does not fit below the ceiling,
 * or has not the shape of its type, is refused with nothing written, and the log goes on. The lease is given back when the last byte
 * is durable and the file is closed.
 *
 * Every call is synchronous. `onCommitted` may append: the log is in order again before it is called.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { RecordMisplaced, SessionError } from '../core/refusals.js';
import { makeDirectory } from '../../store/directory-sync.js';
import { demandOwnFileSystem } from '../../store/file-system.js';
import { Lease } from '../../store/lease.js';
import { isKnown, type Draft, type Frame, type KnownFrame } from '../core/records.js';
import { encode, named, prepare, type Prepared } from './barrier.js';
import { Budget } from './budget.js';
import { systemFiles, type Files } from './files.js';
import { raiseFloor, readFloor } from './floor.js';
import { demandMade, finishCreation, isMade, logName, writing } from './folder.js';
import { withoutFrame } from './refusal.js';
import { scanLog, type Scan } from './scan.js';
import { LogWriter } from './writer.js';

export interface LogOptions {
  /** `each`: every record is a synced barrier of its own. `grouped`, the default: a call of `append` is one barrier. */
  commit?: 'each' | 'grouped';
  /** At most 1 GiB, which is the default. */
  ceilingBytes?: number | null;
  /** Where the feature floor is; the folder itself, by default. */
  floorFolder?: string | null;
  /** Every frame once, in order, lineage frames too: those that are read, then those that are appended, as soon as they are in the log. */
  onFrame?: (frame: Frame) => void;
  /** Asked of the first record of each barrier before it is written: why it cannot stand there, or null. */
  problemOf?: (frame: KnownFrame) => string | null;
  /** What became durable, after each synced barrier; frames that were appended without a sync come with the next one. */
  onCommitted?: (frames: readonly Frame[]) => void;
  /** The system calls, and what the system says of its mounts. */
  files?: Files;
  mountTable?: string | null;
}

export interface AppendOptions {
  sync: boolean;
  /** A close-out: it may use what is kept for it. */
  closing?: boolean;
}

export class SessionLog {
  readonly sessionId: string;
  readonly identity: string;
  /** Counts the tenures, the creation being the first: a stamp. */
  readonly fence: number;
  /** Bytes of a last write that was not finished. They are cut off before the first append. */
  readonly tornBytes: number;
  private last: number;
  private synced: number;
  /** The lineage frame of this tenure, until it is appended with what comes first. */
  private opening: readonly Prepared[];
  /** In the log, and not yet told of as durable. */
  private untold: Frame[] = [];
  /** What an append under way has yet to write, so that an append from within it does not take its room. */
  private promised: readonly Prepared[] = [];

  private constructor(
    private readonly folder: string,
    private readonly lease: Lease,
    private readonly writer: LogWriter,
    private readonly budget: Budget,
    private readonly options: LogOptions,
    isNew: boolean,
  ) {
    const { lastSeq, lastFence, tornBytes, identity, sessionId } = writer.scan;
    if (identity === null || sessionId === null) throw withoutFrame(join(folder, logName));
    this.identity = identity;
    this.sessionId = sessionId;
    this.tornBytes = tornBytes;
    this.last = lastSeq;
    this.synced = lastSeq;
    this.fence = isNew ? lastFence : lastFence + 1;
    this.opening = isNew ? [] : [lineageOf(identity, sessionId)];
  }

  /** Makes a session, or opens the one that is there, which may have another id. Throws `OwnerAlive`, and what `open` throws. */
  static create(folder: string, options: LogOptions & { sessionId: string }): SessionLog {
    const { sessionId, files = systemFiles } = options;
    const lineage = lineageOf(randomBytes(16).toString('hex'), sessionId);
    demandOwnFileSystem(folder, options.mountTable);
    if (!isMade(folder)) writing(folder, () => makeDirectory(folder));
    return underLease(folder, (lease) => {
      // Asked again: somebody else may have made it since, and may have ended.
      const isNew = !isMade(folder);
      if (isNew) finishCreation(folder, encode(lineage, { seq: 1, fence: 1, synced: 0, offset: 0 }).bytes, files);
      return SessionLog.under(lease, folder, options, isNew);
    });
  }

  /** Throws `OwnerAlive`, `SessionError` for a log that cannot be read, and `RuntimeError` for a folder that cannot be used. */
  static open(folder: string, options: LogOptions = {}): SessionLog {
    demandOwnFileSystem(folder, options.mountTable);
    demandMade(folder);
    return underLease(folder, (lease) => SessionLog.under(lease, folder, options, false));
  }

  private static under(lease: Lease, folder: string, options: LogOptions, isNew: boolean): SessionLog {
    readFloor(options.floorFolder ?? folder);
    const budget = new Budget(options.ceilingBytes ?? null);
    const onFrame = (frame: Frame): void => {
      if (isKnown(frame)) budget.observe(frame);
      options.onFrame?.(frame);
    };
    const writer = LogWriter.open(join(folder, logName), onFrame, options.files);
    try {
      return new SessionLog(folder, lease, writer, budget, options, isNew);
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  get lastSeq(): number {
    return this.last;
  }

  /** Whether the drafts fit below the ceiling, as they are or as part of a close-out. */
  admits(drafts: readonly Draft[], closing = false): boolean {
    return this.fits(drafts.map(prepare), closing);
  }

  /**
   * Appends the drafts, and returns their frames. With `sync`, or under `each`, they are durable then.
   *
   * Throws `input-invalid` or `session-too-large` with nothing written; `log-failed`, `foreign-write` and `writer-poisoned` for good.
   */
  append(drafts: readonly Draft[], { sync, closing = false }: AppendOptions): Frame[] {
    this.writer.demandUsable();
    if (drafts.length === 0) return [];
    const items = drafts.map(prepare);
    if (!this.fits(items, closing))
      throw new SessionError(
        'session-too-large',
        `The session in ${this.folder} has reached its size limit: ${counted(drafts)} would not leave room for its end. Nothing was written; end the run, and go on in a new session.`,
      );
    this.raise(items);
    if (this.options.commit !== 'each') return this.barrier(items, sync);
    const earlier = this.promised;
    const frames: Frame[] = [];
    try {
      for (const [index, item] of items.entries()) {
        this.promised = [...earlier, ...items.slice(index + 1)];
        frames.push(...this.barrier([item], true));
      }
    } finally {
      this.promised = earlier;
    }
    return frames;
  }

  /** Makes durable what is not, closes the file, and then gives the lease back. */
  close(): void {
    try {
      this.writer.close();
    } finally {
      this.lease.release();
    }
  }

  private fits(items: readonly Prepared[], closing: boolean): boolean {
    const due = this.promised.length === 0 ? items : [...this.promised, ...items];
    const size = this.writer.length + boundOf(this.opening) + boundOf(due);
    return this.budget.admits(
      size,
      due.map(({ record }) => record),
      closing,
    );
  }

  private raise(items: readonly Prepared[]): void {
    if (items.every(({ features }) => features.length === 0)) return;
    const names = items.flatMap(({ features }) => features);
    raiseFloor(this.options.floorFolder ?? this.folder, names, this.options.files);
  }

  /** One write, at most one sync. What is told of is in the log, and the log is ready for the next append. */
  private barrier(items: readonly Prepared[], sync: boolean): Frame[] {
    const { fence, synced } = this;
    let offset = this.writer.length;
    const encoded = [...this.opening, ...items].map((item, index) => {
      const one = encode(item, { seq: this.last + index + 1, fence, synced, offset });
      offset += one.bytes.length;
      return one;
    });
    const frames = encoded.map(({ frame }) => frame);
    this.demandPlace(frames[this.opening.length]);
    const [only] = encoded;
    const bytes = encoded.length === 1 && only !== undefined ? only.bytes : Buffer.concat(encoded.map((one) => one.bytes));
    this.writer.append(bytes, sync, () => named(frames));
    this.opening = [];
    this.last += frames.length;
    if (sync) this.synced = this.last;
    this.tell(frames, sync);
    return frames.slice(frames.length - items.length);
  }

  /** The rest of a barrier follows from its first record; between two barriers a listener may have acted. */
  private demandPlace(first: Frame | undefined): void {
    const problem = first !== undefined && isKnown(first) ? this.options.problemOf?.(first) : null;
    if (first !== undefined && problem != null) throw new RecordMisplaced(first.type, problem);
  }

  private tell(frames: readonly Frame[], sync: boolean): void {
    for (const frame of frames) {
      if (isKnown(frame)) this.budget.observe(frame);
      this.options.onFrame?.(frame);
    }
    this.untold.push(...frames);
    if (!sync) return;
    const committed = this.untold;
    this.untold = [];
    this.options.onCommitted?.(committed);
  }
}

/** Reads a session that may have an owner: takes no lease, writes nothing. */
export function readSessionLog(
  folder: string,
  onFrame: (frame: Frame) => void,
  options: Pick<LogOptions, 'floorFolder' | 'files'> = {},
): Scan {
  demandMade(folder);
  readFloor(options.floorFolder ?? folder);
  return scanLog(join(folder, logName), onFrame, options.files);
}

function boundOf(items: readonly Prepared[]): number {
  let bytes = 0;
  for (const { bound } of items) bytes += bound;
  return bytes;
}

function counted({ length }: readonly Draft[]): string {
  return length === 1 ? 'one more record' : `${length} more records`;
}

function lineageOf(identity: string, sessionId: string): Prepared {
  return prepare({ type: 'lineage', payload: { identity, session_id: sessionId } });
}

function underLease<T>(folder: string, work: (lease: Lease) => T): T {
  const lease = Lease.take(folder);
  try {
    return work(lease);
  } catch (error) {
    lease.release();
    throw error;
  }
}
