/**
 * A ratchet over a sample of the syncs of a producer, told call by call: the run that nobody kills, a kill before the state was finished and one after it,
 * what carried on from each, and the run that was armed behind the last sync.
 */
import { figures, predicted, type Ran, type Refusal, type Story } from './ran.js';
import { Book } from './world.js';

const made = 'fsync(20<<state>/ledger.sqlite>)';
const committed = 'fsync(24<<state>/ledger.sqlite-wal>)';
const calls = [made, committed, committed, committed, committed];

export function ratchetStory(refusal: Refusal): Story {
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
  const partOf = 'syncs';
  const killed = (book: Book, nth: number): Ran => ({
    ...{ book, role: 'produce', kill: { at: 'call', name: 'fsync', nth }, expect: { ended: 'killed' }, partOf },
    trace: { calls: calls.slice(0, nth) },
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
    syncs: {
      ...{ ...done(whole()), kill: null, trace: { calls } },
      crash: {
        ...{ model: 'syscall-kill', family: 'syncs', every: 3, offset: 1, carry_on: 'resume' },
        outcomes: ['completed_once', 'refused'],
      },
    },
    'syncs-fsync-1': { ...killed(new Book(), 1), unfinished: true },
    'syncs-fsync-1-end': { ...done(anew), kill: null, partOf },
    'syncs-fsync-4': killed(first, 4),
    'syncs-fsync-4-end': {
      ...{ book: carried, role: 'resume', kill: null, partOf, refusal },
      expect: { ...figures('refused', 'refused', carried), refusal: predicted(refusal) },
    },
    'syncs-fsync-6': { ...done(whole()), kill: null, partOf, trace: { calls, armed: 'syscall:fsync#6' } },
  };
}
