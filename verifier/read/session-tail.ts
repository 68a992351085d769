/**
 * What lies behind a place of a session log where no frame can be read: a torn tail of the last, un-synced barrier, or proof that the
 * place was durable once. The rows of the contract's table, in its order; the first that fits decides.
 *
 * Fault model: a process crash, and a power loss that kept any part of what was never synced. Work and memory are bounded by the rest
 * of the file whatever its bytes are: every place where a frame might begin costs at most its own length in hashing, and in sum at most four times the
 * rest; nothing is kept of a frame but what the next one is held against.
 */
import { identityOf, intactAt, magic, meaningOf, spanAt, type Said } from './session-frame.js';

const budgetTimes = 4;

/** What was read before the place. */
export interface Before {
  /** Zero at the start of the file. */
  readonly seq: number;
  readonly fence: number;
  readonly synced: number;
  /** Of the log, where a lineage frame has named it. */
  readonly identity: string | null;
}

export type Tail =
  | { readonly is: 'torn' }
  | { readonly is: 'newer'; readonly offset: number; readonly names: readonly string[] }
  | { readonly is: 'damaged'; readonly cause: 'budget' | 'unreadable' | 'foreign'; readonly detail: string };

export function judgeTail(bytes: Buffer, place: number, before: Before): Tail {
  const behind = new Behind(before);
  let budget = budgetTimes * (bytes.length - place);
  let at = bytes.indexOf(magic, place + 1);
  while (at >= 0) {
    const span = spanAt(bytes, at);
    budget -= span?.size ?? 0;
    if (budget < 0) {
      const detail = 'Too many places behind it look like frames to tell a torn tail from damage.';
      return { is: 'damaged', cause: 'budget', detail };
    }
    const frame = span === null ? null : intactAt(bytes, at, span);
    if (frame !== null) {
      const meaning = meaningOf(frame);
      if (meaning.is === 'newer') behind.newer(at, meaning.names);
      else if (meaning.is === 'malformed') behind.durable('An intact frame behind it is malformed.');
      else behind.intact(meaning.said);
    }
    at = bytes.indexOf(magic, frame === null ? at + 1 : at + frame.size);
  }
  return behind.judgement();
}

class Behind {
  private firstNewer: Tail | undefined;
  private damage: string | undefined;
  private isForeign = false;
  private last: Pick<Said, 'seq' | 'fence' | 'synced'> | undefined;
  private identity: string | null;

  constructor(private readonly before: Before) {
    this.identity = before.identity;
  }

  newer(offset: number, names: readonly string[]): void {
    this.firstNewer ??= { is: 'newer', offset, names };
  }

  durable(detail: string): void {
    this.damage ??= detail;
  }

  intact(said: Said): void {
    const { seq, fence, synced } = said;
    const missing = this.before.seq + 1;
    const { before, last } = this;
    if (synced >= missing) this.durable(`Frame ${seq} was written when frame ${missing} was durable.`);
    else if (seq <= missing || seq <= (last?.seq ?? 0)) this.durable(`Frame ${seq} lies behind it and is out of order.`);
    else if (synced !== (last?.synced ?? synced) || synced < before.synced)
      this.durable(`Frame ${seq} lies behind it and is of another barrier.`);
    else if (fence < (last?.fence ?? before.fence)) this.durable(`Frame ${seq} lies behind it and has a fence that falls.`);
    const identity = identityOf(said);
    this.isForeign ||= identity !== null && this.identity !== null && this.identity !== identity;
    this.identity ??= identity;
    this.last = { seq, fence, synced };
  }

  judgement(): Tail {
    if (this.firstNewer !== undefined) return this.firstNewer;
    if (this.damage !== undefined) return { is: 'damaged', cause: 'unreadable', detail: this.damage };
    if (this.isForeign) return { is: 'damaged', cause: 'foreign', detail: 'A lineage frame behind it names another log.' };
    return { is: 'torn' };
  }
}
