/**
 * What one run of the verifier keeps of what it has read: equal bytes are read once, and a row or a line that was found sound is not
 * judged again where an arm's copy begins with it. One object for each `verify` or `corrupt`, passed down: no verdict can lean on
 * what another one saw, and nothing outlives its run.
 */
import type { Event, Plan, Receipt } from '../contract/types.js';
import type { Ledger } from './events.js';
import type { Files, Read } from './facts.js';
import type { EventRow, LedgerRows } from './ledger.js';
import type { Derivation } from './power-loss/derive.js';
import type { ReceiptLog } from './receipts.js';
import type { Meaning } from './session-frame.js';
import type { SessionLog } from './session-log.js';
import type { Engine } from './sqlite/engine.js';
import { engineHere } from './sqlite/here.js';

/** A row without a problem, the digest before it, and what it was read as. */
export interface SoundRow {
  readonly row: EventRow;
  readonly previous: string;
  readonly event: Event;
}

export class Memory {
  constructor(readonly engine: () => Engine = engineHere) {}

  /** By buffer and shape: mutants share nearly all of their buffers. */
  readonly facts = new WeakMap<Buffer, Map<unknown, Read<unknown>>>();
  /** By the plan's buffer. */
  readonly plans = new WeakMap<Buffer, Read<Plan>>();
  /** By the hashes of database and log: a refused arm ends with the ledger that it began with. */
  readonly rows = new Map<string, LedgerRows>();
  /** By the hash of what both merge into. */
  readonly images = new Map<string, LedgerRows>();
  readonly ledgers = new WeakMap<LedgerRows, Ledger>();
  /** Bytes that were found under their hash: ledgers of one plan hold mostly the same artifacts. */
  readonly artifacts = new Map<string, Buffer>();
  /** By digest. */
  readonly sound = new Map<string, SoundRow>();
  /** By the log's buffer, then by the hash of the feature floor. */
  readonly sessionLogs = new WeakMap<Buffer, Map<string, SessionLog>>();
  /** What intact frames say, by their digest. */
  readonly frames = new Map<string, Meaning>();
  readonly logs = new WeakMap<Buffer, ReceiptLog>();
  /** By the trace's buffer, then by all that a derivation depends on. */
  readonly derivations = new WeakMap<Buffer, Map<string, Derivation>>();
  /** States that a power loss may leave, by their number, where somebody carries on from them. */
  readonly lostStates = new WeakMap<Derivation, Map<number, Files>>();
  /** The first lines of a log of receipts, by how many they are. */
  readonly beginnings = new WeakMap<Buffer, Map<number, Buffer>>();
  /** Lines that were found whole, by their text. */
  readonly receipts = new Map<string, Receipt>();
}
