/**
 * A history before it has a place: drafts in order, each of an event or a record, that name one another by number and not by seq.
 *
 * What is left out, doubled or moved changes the seq of everything behind it, and ids are made of seqs. So a name is written as
 * `@call:3` ("the call that draft 3 introduces") and becomes an id only when the history is written: then a breach is the breach that
 * was meant, and not a hundred broken names.
 */

export type Payload = { readonly [name: string]: unknown };

interface Placed {
  /** Of this draft, as others name it. */
  readonly uid: number;
  readonly type: string;
  readonly payload: Payload;
}

/** One event of a ledger. */
export interface EventDraft extends Placed {
  readonly task: string;
  readonly call: string | null;
  readonly attempt: string | null;
  readonly compilation: string | null;
}

/** One record of a session log. */
export interface RecordDraft extends Placed {
  /** Which opening of the log wrote it, from 1. */
  readonly fence: number;
  /** Drafts with one number were written by one call. */
  readonly barrier: number;
  /** That barrier was synced. */
  readonly isSynced: boolean;
  /** Where a breach says something else than what follows from the place. */
  readonly forged?: Partial<Header>;
}

/** What stands in the header of a frame, and before it. */
export interface Header {
  readonly seq: number;
  readonly synced: number;
  readonly fence: number;
  readonly features: readonly string[];
  readonly kind: number;
  readonly version: number;
}

/** What is done to the bytes, once they are written. Places are shares of the whole, from 0 to 999. */
export interface Spoil {
  readonly kind: 'cut' | 'flip' | 'zeros' | 'noise' | 'again' | 'floor' | 'no floor' | 'application' | 'table' | 'log-cut';
  readonly at: number;
}

/** How the text of a payload, its digest or its seq departs from what follows. */
export interface Forgery {
  /** Index of the draft. */
  readonly at: number;
  readonly what: 'spaced' | 'repeated' | 'digest' | 'gap' | 'own-id';
}

interface Written {
  readonly forgeries: readonly Forgery[];
  readonly spoils: readonly Spoil[];
  /** What was broken, in words; empty for a lawful history. */
  readonly breaches: readonly string[];
}

export interface CallsHistory extends Written {
  readonly subject: 'calls';
  readonly drafts: readonly EventDraft[];
  /** Part of it still lies in the write-ahead log. */
  readonly hasLog: boolean;
}

export interface SessionsHistory extends Written {
  readonly subject: 'sessions';
  readonly drafts: readonly RecordDraft[];
}

export type History = CallsHistory | SessionsHistory;
export type Subject = History['subject'];

const name = /@(call|attempt|compilation|result|fan-out|step|batch):(\d+)/g;
const place = /^@seq:(\d+)$/;

/** The value with every name in it made an id; `seqOf` tells at which seq a draft stands. */
export function resolved(value: unknown, seqOf: (uid: number) => number): unknown {
  if (typeof value === 'string') {
    if (!value.includes('@')) return value;
    const seq = place.exec(value);
    if (seq !== null) return seqOf(Number(seq[1]));
    return value.replace(name, (_whole, kind: string, uid: string) => `${kind}-${seqOf(Number(uid))}`);
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => resolved(item, seqOf));
  const made: Record<string, unknown> = {};
  for (const key in value) made[key] = resolved((value as Payload)[key], seqOf);
  return made;
}

/** The first draft of a number has its name; of one that is gone the name leads nowhere. */
export function placesOf(drafts: readonly { readonly uid: number }[]): (uid: number) => number {
  return (uid) => {
    const index = drafts.findIndex((draft) => draft.uid === uid);
    return index < 0 ? 900_000 + uid : index + 1;
  };
}
