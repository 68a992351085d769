/**
 * Ratchets over a sample of the calls of a producer, told call by call: the run in which nothing is done, what was done before the state was
 * finished and after it, what carried on from each, and the run that was armed behind the last call. In one the producer is killed before a
 * sync, in the other a write fails.
 */
import { figures, predicted, type Ran, type Refusal, type Story } from './ran.js';
import { Book } from './world.js';

interface Ratchet {
  readonly arm: string;
  readonly crash: NonNullable<Ran['crash']>;
  /** Those of the first and the fourth call are in the sample. */
  readonly calls: readonly string[];
  readonly call: string;
  /** What becomes of a process at the nth call. */
  readonly struck: (nth: number) => Pick<Ran, 'kill' | 'expect'>;
  readonly failed?: true;
}

const sample = { every: 3, offset: 1, carry_on: 'resume', outcomes: ['completed_once', 'refused'] } as const;

export function ratchetStory(refusal: Refusal): Story {
  const [made, committed] = ['fsync(20<<state>/ledger.sqlite>)', 'fsync(24<<state>/ledger.sqlite-wal>)'];
  return story(refusal, {
    arm: 'syncs',
    crash: { model: 'syscall-kill', family: 'syncs', ...sample, outcomes: [...sample.outcomes] },
    calls: [made, committed, committed, committed, committed],
    call: 'fsync',
    struck: (nth) => ({ kill: { at: 'call', name: 'fsync', nth }, expect: { ended: 'killed' } }),
  });
}

/** Under two arms: a write fails, or a sync does. */
export function faultStory(refusal: Refusal): Story {
  const struck = (): Pick<Ran, 'kill' | 'expect'> => ({ kill: null, expect: {} });
  const fault = { model: 'io-fault', error: 'EIO', lasting: false, ...sample } as const;
  const outcomes = [...sample.outcomes];
  const [made, wrote] = ['ledger.sqlite.new', 'ledger.sqlite-wal'].map((name) => `pwrite64(20<<state>/${name}>, ""..., 24, 32)`);
  const [finished, synced] = ['ledger.sqlite.new', 'ledger.sqlite-wal'].map((name) => `fsync(20<<state>/${name}>)`);
  return {
    ...story(refusal, {
      ...{ arm: 'disk', call: 'pwrite64', struck, failed: true, crash: { ...fault, family: 'writes', outcomes } },
      calls: [made ?? '', wrote ?? '', wrote ?? '', wrote ?? '', wrote ?? ''],
    }),
    ...story(refusal, {
      ...{ arm: 'flush', call: 'fsync', struck, failed: true, crash: { ...fault, family: 'syncs', outcomes } },
      calls: [finished ?? '', synced ?? '', synced ?? '', synced ?? '', synced ?? ''],
    }),
  };
}

function story(refusal: Refusal, { arm: partOf, crash, calls, call: name, struck, failed }: Ratchet): Story {
  const whole = (): Book => {
    const book = new Book().open();
    const call = book.want(book.compile());
    book.manifest(call);
    book.run(call);
    return book;
  };
  const done = (book: Book): Pick<Ran, 'book' | 'role' | 'expect'> => ({
    ...{ book, role: 'produce' },
    expect: figures('completed', 'completed_once', book),
  });
  const first = new Book();
  first.add('task.created', { title: 'Review a paragraph' });
  const point = (book: Book, nth: number): Ran => ({
    ...{ book, role: 'produce', ...struck(nth), partOf },
    trace: { calls: calls.slice(0, nth), ...(failed && { failed, armed: `syscall:${name}#${nth}` }) },
  });
  const carried = first.continued();
  const again = whole();
  const anew = new Book();
  anew.provider = anew.provider.continued(2000);
  anew.open();
  const call = anew.want(anew.compile());
  anew.manifest(call);
  anew.run(call);
  return {
    producer: { ...done(again), kill: null },
    [partOf]: { ...done(whole()), kill: null, trace: { calls }, crash },
    [`${partOf}-${name}-1`]: { ...point(new Book(), 1), unfinished: true },
    [`${partOf}-${name}-1-end`]: { ...done(anew), kill: null, partOf },
    [`${partOf}-${name}-4`]: point(first, 4),
    [`${partOf}-${name}-4-end`]: {
      ...{ book: carried, role: 'resume', kill: null, partOf, refusal },
      expect: { ...figures('refused', 'refused', carried), refusal: predicted(refusal) },
    },
    [`${partOf}-${name}-6`]: { ...done(whole()), kill: null, partOf, trace: { calls, armed: `syscall:${name}#6` } },
  };
}
