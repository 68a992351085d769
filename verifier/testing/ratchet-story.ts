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
  /** What becomes of a process at a call. */
  readonly struck: (name: string, nth: number) => Pick<Ran, 'kill' | 'expect'>;
  readonly failed?: true;
}

const named = 'fsync(20<<state>/format.json.new>)';
const formatBytes = 72;
const sample = { every: 3, offset: 1, carry_on: 'resume', outcomes: ['completed_once', 'refused'] } as const;

export function ratchetStory(refusal: Refusal): Story {
  const committed = 'fdatasync(24<<state>/ledger.sqlite-wal>)';
  return story(refusal, {
    arm: 'syncs',
    crash: { model: 'syscall-kill', family: 'syncs', ...sample, outcomes: [...sample.outcomes] },
    calls: ['fsync(20<<state>/ledger.sqlite>)', named, committed, committed, committed],
    struck: (name, nth) => ({ kill: { at: 'call', name, nth }, expect: { ended: 'killed' } }),
  });
}

/** Under two arms: a write fails, or a sync does. */
export function faultStory(refusal: Refusal): Story {
  const struck = (): Pick<Ran, 'kill' | 'expect'> => ({ kill: null, expect: {} });
  const fault = { model: 'io-fault', error: 'EIO', lasting: false, ...sample } as const;
  const outcomes = [...sample.outcomes];
  const wrote = (name: string, bytes: number, at = 0): string => `pwrite64(20<<state>/${name}>, ""..., ${bytes}, ${at})`;
  const [finished = '', synced = ''] = ['ledger.sqlite.new', 'ledger.sqlite-wal'].map((name) => `fsync(20<<state>/${name}>)`);
  const [{ db, wal }, begun] = [wholeBook().ledgerBytes(), firstBook().ledgerBytes().wal.length];
  const half = Math.floor((begun + wal.length) / 2);
  return {
    ...story(refusal, {
      ...{ arm: 'disk', struck, failed: true, crash: { ...fault, family: 'writes', outcomes } },
      calls: [
        `write(20<<state>/format.json.new>, ""..., ${formatBytes})`,
        wrote('ledger.sqlite.new', db.length),
        ...[wrote('ledger.sqlite-wal', begun), wrote('ledger.sqlite-wal', half - begun, begun)],
        wrote('ledger.sqlite-wal', wal.length - half, half),
      ],
    }),
    ...story(refusal, {
      ...{ arm: 'flush', struck, failed: true, crash: { ...fault, family: 'syncs', outcomes } },
      calls: [finished, named, synced, synced, synced],
    }),
  };
}

function wholeBook(): Book {
  const book = new Book().open();
  const call = book.want(book.compile());
  book.manifest(call);
  book.run(call);
  return book;
}

/** What its producer had recorded when it came to the fourth call. */
function firstBook(): Book {
  const book = new Book();
  book.add('task.created', { title: 'Review a paragraph' });
  return book;
}

function story(refusal: Refusal, { arm: partOf, crash, calls, struck, failed }: Ratchet): Story {
  const done = (book: Book): Pick<Ran, 'book' | 'role' | 'expect'> => ({
    ...{ book, role: 'produce' },
    expect: figures('completed', 'completed_once', book),
  });
  const first = firstBook();
  const names = calls.map((text) => /^\w+/.exec(text)?.[0] ?? '');
  const countOf = (name: string, upTo: number): number => names.slice(0, upTo).filter((one) => one === name).length;
  /** The call at a place among all, from 1, by its name and its number among those of its name. */
  const callAt = (place: number): [name: string, nth: number] => {
    const name = names[place - 1] ?? '';
    return [name, countOf(name, place)];
  };
  const point = (book: Book, place: number): Ran => ({
    ...{ book, role: 'produce', ...struck(...callAt(place)), partOf },
    trace: { calls: calls.slice(0, place), ...(failed && { failed, armed: `syscall:${callAt(place).join('#')}` }) },
  });
  const [begins, later] = [callAt(1).join('-'), callAt(4).join('-')];
  const beyond = [...new Set(names)].map((name) => [name, countOf(name, names.length) + 1] as const);
  const carried = first.continued();
  const again = wholeBook();
  const anew = new Book();
  anew.provider = anew.provider.continued(2000);
  anew.open();
  const call = anew.want(anew.compile());
  anew.manifest(call);
  anew.run(call);
  return {
    producer: { ...done(again), kill: null },
    [partOf]: { ...done(wholeBook()), kill: null, trace: { calls }, crash },
    [`${partOf}-${begins}`]: { ...point(new Book(), 1), unfinished: true },
    [`${partOf}-${begins}-end`]: { ...done(anew), kill: null, partOf },
    [`${partOf}-${later}`]: point(first, 4),
    [`${partOf}-${later}-end`]: {
      ...{ book: carried, role: 'resume', kill: null, partOf, refusal },
      expect: { ...figures('refused', 'refused', carried), refusal: predicted(refusal) },
    },
    ...Object.fromEntries(
      beyond.map(([name, nth]): [string, Ran] => [
        `${partOf}-${name}-${nth}`,
        { ...done(wholeBook()), kill: null, partOf, trace: { calls, armed: `syscall:${name}#${nth}` } },
      ]),
    ),
  };
}
