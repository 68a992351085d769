/**
 * What the bundle holds of one state folder: its files, its format record, and its log as each storage has it (of calls a ledger). A
 * snapshot has one, and a second where a folder was moved away from its owner. Everything is read on first use and kept.
 */
import type { Format } from '../contract/types.js';
import * as shape from '../contract/validators.js';
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

interface Kept {
  live?: Read<StateFile[]>;
  format?: Read<Format>;
  ledger?: Read<Ledger>;
  log?: Read<SessionLog>;
  files?: StateFile[];
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

  /** The folder itself, as the harness found it when everybody had ended. */
  get live(): Read<StateFile[]> {
    return (this.kept.live ??= this.listed());
  }

  get format(): Read<Format> {
    return (this.kept.format ??= readFact(this.source, this.file('format.json'), shape.validateFormat, 'a format record'));
  }

  get ledger(): Read<Ledger> {
    return (this.kept.ledger ??= this.readLedger());
  }

  /** Of a session; a log with a problem still has the frames before it. */
  get log(): Read<SessionLog> {
    return (this.kept.log ??= this.readLog());
  }

  /** In the order of paths, which are below the folder. */
  get files(): StateFile[] {
    return (this.kept.files ??= this.readFiles());
  }

  private readLedger(): Read<Ledger> {
    const file = this.ledgerFile;
    const { files, memory } = this.source;
    return attempt(file, () => parseEvents(readLedger(bytesOf(files, file), files.get(`${file}-wal`), memory), memory));
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
