/**
 * A producer under power loss that made three commits, its request between the second and the third, and what carried on from each thing that a disk may
 * then hold: nothing that was made, an empty ledger, each commit, and the second one before and after the request.
 */
import { figures, predicted, type Ran, type Refusal, type Story } from './ran.js';
import { Book } from './world.js';

export function powerLossStory(refusal: Refusal): Story {
  const partOf = 'power';
  const refused = (book: Book): Ran => ({
    ...{ book, role: 'resume', kill: null, partOf, refusal },
    expect: { ...figures('refused', 'refused', book), refusal: predicted(refusal) },
  });
  const done = (book: Book): Pick<Ran, 'book' | 'role' | 'kill' | 'expect'> => ({
    ...{ book, role: 'produce', kill: null },
    expect: figures('completed', 'completed_once', book),
  });
  const ran = (book: Book): Book => {
    const call = book.want(book.compile());
    book.manifest(call);
    book.run(call);
    return book;
  };

  const opened = new Book().open();
  const intended = opened.continued(opened.pid);
  intended.provider = opened.provider;
  const call = intended.want(intended.compile());
  intended.manifest(call);
  const attempt = intended.start(call);
  const whole = new Book();
  whole.events.push(...intended.events);
  for (const [hash, artifact] of intended.artifacts) whole.artifacts.set(hash, artifact);
  whole.answered(attempt);
  const served = intended.continued();
  served.provider = whole.provider.continued(2000);
  const anew = new Book();
  anew.provider = anew.provider.continued(2000);
  return {
    producer: done(ran(new Book().open())),
    power: {
      ...done(whole),
      loss: { commits: [opened.events.length, intended.events.length, whole.events.length], before: 2 },
      crash: {
        ...{ model: 'power-loss', persistence: 'strictest', subsets: 2, seed: 'small', every: 1, offset: 0 },
        ...{ carry_on: 'resume', outcomes: ['completed_once', 'refused'] },
      },
    },
    'power-unmade-r0': { ...done(ran(anew.open())), partOf },
    'power-n0-r0': refused(new Book().continued()),
    'power-n3-r0': refused(opened.continued()),
    'power-n8-r0': refused(intended.continued()),
    'power-n8-r2': refused(served),
    'power-n14-r2': refused(whole.continued()),
  };
}
