/**
 * What the bundle holds of one state folder: its files, its format record, and its log as each storage has it (of calls a ledger). A
 * snapshot has one, and a second where a folder was moved away from its owner. Everything is read on first use and kept.
 */
import type { Format } from '../contract/types.js';
import * as shape from '../contract/validators.js';
import { EvidenceError } from '../errors.js';
import { parseEvents, type Ledger } from './events.js';
import { attempt, bytesOf, readFact, type Read, type Source } from './facts.js';
import { fileSha256 } from './hash.js';
import { readLedger } from './ledger.js';
import { readSessionLog, type SessionLog } from './session-log.js';

export interface StateFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** Whether a state may have been left before its creation came to its end, and by what it is then known. */
export type Unfinished = 'never' | 'where-it-holds-nothing' | 'where-it-has-no-format';

export interface StateTrouble {
  readonly unfinished: Unfinished;
  /** The power was lost under it, so that a database and its log are torn in ways that no crash of a process leaves. */
  readonly lostPower: boolean;
}

/** What a creation that died may leave: each file under its own name or the one that it is made under, a database with what lies beside it. */
const ofCreation =
  /^(?:ledger\.sqlite(?:\.new)?(?:-wal|-shm|-journal)?|(?:session\.wal|wal-feature-floor)(?:\.new)?|format\.json\.new)$/;
const noEvent: Ledger = { events: [], artifacts: new Map(), problems: [] };
const noFrame = Buffer.alloc(0);

interface Kept {
  live?: Read<StateFile[]>;
  format?: Read<Format>;
  ledger?: Read<Ledger>;
  log?: Read<SessionLog>;
  files?: StateFile[];
  unfinished?: boolean;
}

export class StateEvidence {
  private readonly kept: Kept = {};

  constructor(
    private readonly source: Source,
    /** Ends with a slash. */
    readonly folder: string,
    /** Where to look for its files. */
    private readonly paths: readonly string[],
    private readonly listed: () => Read<StateFile[]>,
    private readonly trouble: StateTrouble = { unfinished: 'never', lostPower: false },
  ) {}

  file(name: string): string {
    return this.folder + name;
  }

  get ledgerFile(): string {
    return this.file('ledger.sqlite');
  }

  get logFile(): string {
    return this.file('session.wal');
  }

  get floorFile(): string {
    return this.file('wal-feature-floor');
  }

  /**
   * Its creation never came to its end: only files of a creation, and no event. Nobody was told that it is there, so it is read as the record
   * of no event. What holds an event and no format record is no such state, and is read as it is.
   */
  get unfinished(): boolean {
    return (this.kept.unfinished ??= this.isUnfinished());
  }

  /** The folder itself, as the harness found it when everybody had ended. */
  get live(): Read<StateFile[]> {
    return (this.kept.live ??= this.listed());
  }

  get format(): Read<Format> {
    return (this.kept.format ??= readFact(this.source, this.file('format.json'), shape.validateFormat, 'a format record'));
  }

  get ledger(): Read<Ledger> {
    return (this.kept.ledger ??= this.unfinished ? { value: noEvent } : this.readLedger());
  }

  /** Of a session; a log with a problem still has the frames before it. */
  get log(): Read<SessionLog> {
    return (this.kept.log ??= this.unfinished ? { value: readSessionLog(noFrame) } : this.readLog());
  }

  /** The files with their bytes. */
  get contents(): [path: string, bytes: Buffer][] {
    return this.files.map(({ path }) => [path, bytesOf(this.source.files, this.file(path))]);
  }

  /** In the order of paths, which are below the folder. */
  get files(): StateFile[] {
    return (this.kept.files ??= this.readFiles());
  }

  private isUnfinished(): boolean {
    const { unfinished } = this.trouble;
    if (unfinished === 'never') return false;
    return unfinished === 'where-it-holds-nothing' ? this.holdsNothing() : !this.source.files.has(this.file('format.json'));
  }

  private holdsNothing(): boolean {
    const names = this.files.map(({ path }) => path);
    if (!names.every((name) => ofCreation.test(name))) return false;
    if (names.includes('ledger.sqlite') && this.readLedger().value?.events.length !== 0) return false;
    if (!names.includes('session.wal')) return true;
    const log = this.readLog().value;
    // The log is made with its name in it.
    return log !== undefined && log.problem === null && log.frames.length <= 1;
  }

  private readLedger(): Read<Ledger> {
    const file = this.ledgerFile;
    const { files, memory } = this.source;
    const { lostPower } = this.trouble;
    const read = attempt(file, () =>
      parseEvents(readLedger(bytesOf(files, file), files.get(`${file}-wal`), memory, lostPower), memory),
    );
    // That nothing here can read it is no trouble of the ledger, so nobody may judge by it.
    if (read.problem?.code === 'no-engine') throw new EvidenceError('no-engine', `${file}: ${read.problem.detail}`);
    return read;
  }

  private readLog(): Read<SessionLog> {
    const { files, memory } = this.source;
    return attempt(this.logFile, () => readSessionLog(bytesOf(files, this.logFile), files.get(this.floorFile), memory));
  }

  private readFiles(): StateFile[] {
    const below = this.paths.filter((path) => path.startsWith(this.folder)).sort();
    return below.map((path) => {
      const bytes = bytesOf(this.source.files, path);
      return { path: path.slice(this.folder.length), sha256: fileSha256(bytes), size: bytes.length };
    });
  }
}
