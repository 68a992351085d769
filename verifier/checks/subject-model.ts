/**
 * What the guarantees of every subject ask of the record that a subject keeps. Each model (`calls/v1`, …) answers it in a folder of its own;
 * the shared checks know no storage, no event and no state beyond this.
 *
 * Whatever cannot be read is said by throwing an EvidenceError, or as a `Read` with a problem: it leaves the claim unknown, never held.
 */
import type { Answer, Execution, Plan, SharedOutcome } from '../contract/types.js';
import type { KeptAnswers } from '../model/provider.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import type { Read } from '../read/facts.js';
import type { Expectation, PlannedSnapshot } from '../read/plan.js';
import type { Asked } from '../read/power-loss/items.js';
import type { OnItsWay, Received } from '../read/receipts.js';
import type { StateEvidence } from '../read/state.js';
import type { Place } from './parking.js';

export type ModelName = NonNullable<Plan['model']>;
export type Scenario = Plan['scenarios'][string];

/** One thing that was appended to the record. */
interface Entry {
  readonly seq: number;
  readonly type: string;
  /** Covers the entry and everything before it. */
  readonly digest: string;
}

/** What a state folder holds. */
export interface SubjectRecord {
  /** In the order in which they were appended. */
  readonly entries: readonly Entry[];
  /** What is kept beside the entries, by its hash. */
  readonly contents: ReadonlyMap<string, unknown>;
}

/** Where a record is not that of its plan; without a seq it is the record as a whole. */
export interface Departure {
  readonly detail: string;
  readonly seq: number | null;
}

/** The value of a predicted member as the bytes have it; the prediction says which parts of it are wanted. */
export type Derivation = (snapshot: Snapshot, expect: PlannedSnapshot['expect']) => unknown;

/** G25 derives these for every subject; that two snapshots end alike (`same_events_as`) is a guarantee of its own. */
export type SharedMember =
  | ('ended' | 'events' | 'receipts' | 'effects' | 'keys' | 'bodies' | 'processes' | 'questions' | 'delayed' | 'members')
  | ('outcome' | 'refusal' | 'replayed' | 'egress_refused');
export type ModelMember = Exclude<keyof Expectation, SharedMember | 'same_events_as'>;

type Versions = Execution['versions'];

export interface SubjectModel {
  readonly name: ModelName;
  /** What the log is called in a sentence. */
  readonly logName: string;
  /** The path of the log of a state folder, for findings. */
  logFile(state: StateEvidence): string;
  record(state: StateEvidence): Read<SubjectRecord>;
  /** The file below the state folder that a process appends to, and how many entries a state has that was only made. */
  readonly appends: { readonly to: string; readonly made: number };
  /** The entry that must be durable before the request may leave; null where there is none, or none is on record. */
  intentOf(snapshot: Snapshot, request: Sent): number | null;
  outcome(snapshot: Snapshot): SharedOutcome;
  /**
   * Which members an answer of this model may not have, or may not lack; null where nothing is wrong. What ran by the record is null of a
   * subject of one's own.
   */
  answerWrong(answer: Answer, ran: Versions | null): string | null;
  /** The digest of each entry alone, as a role tells that of the last one. */
  digests(state: StateEvidence): Read<readonly string[]>;
  /**
   * Up to which entry the record had to be durable before a request left, which is the nth of its method, path and key that this snapshot
   * sent; 0 where it rests on none.
   */
  restsOn(snapshot: Snapshot, request: Asked, nth: number): number;
  /** Null where the record ends as that of a process does that stood at its place. */
  departureFrom(place: Place, snapshot: Snapshot, bundle: Bundle): Departure | null;
  /** Whether the last thing on record is the intent of a request of which nothing came back. */
  endsWithIntent(snapshot: Snapshot): boolean;
  /** How to derive the predicted members that only this model has. */
  readonly derive: Readonly<Partial<Record<ModelMember, Derivation>>>;
  /** What the snapshot added to the record and its scenario does not ask for. */
  scenarioDepartures(scenario: Scenario, snapshot: Snapshot): readonly Departure[];
  /** What the record kept of the answers to its questions about keys. */
  answersKept(snapshot: Snapshot): KeptAnswers;
  /** What the record kept of a response, by the hash of its bytes. */
  responseKept(snapshot: Snapshot, sha256: string): Uint8Array | undefined;
  /** What the record took from the answer to a request for a completion; undefined where it took nothing. */
  messageKept(snapshot: Snapshot, request: Sent): Message | undefined;
  /** Whether the request may come from a process that a role started, and not from the role itself. */
  isOfChild(snapshot: Snapshot, request: Sent): boolean;
  /** Whether the request may have left with others at once, so that it can arrive while the process stands at a place of theirs. */
  isAmongSeveral(snapshot: Snapshot, request: Sent): boolean;
}

export type Sent = Received | OnItsWay['line'];

/** A scripted answer, as a record tells it. */
export interface Message {
  readonly text: string | null;
  readonly tool_calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}
