import { describe, expect, it } from 'vitest';
import * as recover from '../../testing/recoveries.js';
import { Book, type Ids } from '../../testing/world.js';
import { decisionProblems } from './decisions.js';

const operator = { by: 'operator', note: '' };

/** An attempt whose effect nobody knows. */
function started(honours = false): { book: Book; call: Ids; attempt: Ids } {
  const book = new Book().open();
  book.specs = true;
  const call = book.want(book.compile());
  book.manifest(call, honours);
  return { book, call, attempt: book.start(call) };
}

function asked(honours = false) {
  const told = started(honours);
  recover.lookUp(told.book, told.attempt, recover.notFound, { finding: 'unknown', reason: 'not_found' });
  return told;
}

/** A book grows; what was derived of its events is kept by their list. */
const problems = ({ events }: Book): string[] => decisionProblems([...events], 1).map(({ detail }) => detail);
const decide = (book: Book, attempt: Ids, decision: string, reason: string): void =>
  void book.add('attempt.retry_decided', { decision, reason }, attempt);

describe('an attempt after another', () => {
  it('is unlawful where nobody knows what became of that', () => {
    const { book, call } = started();
    book.start(call, 2);
    expect(problems(book)).toEqual(['An attempt was started in the stage effect_unknown.']);
  });

  it('is unlawful where somebody asked and was told nothing, unless the key is honoured', () => {
    const plain = asked();
    recover.startAgain(plain.book, plain.attempt);
    expect(problems(plain.book)).toEqual(['An attempt was started in the stage operator_needed.']);
    const honoured = asked(true);
    recover.startAgain(honoured.book, honoured.attempt);
    expect(problems(honoured.book)).toEqual([]);
  });

  it('cites what makes it lawful, and nothing else', () => {
    for (const cites of [undefined, 3, 8]) {
      const { book, call } = asked(true);
      book.start(call, 2, cites === undefined ? {} : { cites });
      expect(problems(book)).toEqual(['The attempt does not cite the finding that allows it.']);
    }
  });

  it('is lawful after a fence, once: the finding says nothing of what came after it', () => {
    const { book, attempt } = started();
    recover.fence(book, attempt);
    const finding = book.next - 1;
    const second = recover.startAgain(book, attempt);
    expect(problems(book)).toEqual([]);
    const { attempt_id: _attempt, ...call } = second;
    book.start(call, 3, { cites: finding });
    expect(problems(book)).toEqual(['An attempt was started in the stage effect_unknown.']);
  });

  it('spends a decision, which is then gone', () => {
    const { book, call, attempt } = asked();
    recover.accept(book, attempt, operator);
    const decision = book.next - 1;
    recover.startAgain(book, attempt);
    expect(problems(book)).toEqual([]);
    book.start(call, 3, { cites: decision });
    expect(problems(book)).toEqual(['The decision that the attempt cites had been spent before.']);
  });

  it('does not go past a decision that waits', () => {
    const { book, call, attempt } = asked();
    recover.accept(book, attempt, operator);
    book.start(call, 2, { cites: book.next - 2 });
    expect(problems(book)).toEqual(['The attempt does not cite the accepted duplicate that allows it.']);
  });

  it('is the policy’s after a delivery that did not leave, or one that broke under an honoured key', () => {
    for (const [delivery, reason, honours] of [
      ['not_sent', 'not_sent', false],
      ['broken', 'broken_key_honoured', true],
    ] as const) {
      const { book, call, attempt } = started(honours);
      const nothing = { content_type: null, detail: 'x', response_sha256: null, status: null };
      book.add('attempt.observed', { ...nothing, delivery }, attempt);
      decide(book, attempt, 'retry', reason);
      book.start(call, 2);
      expect(problems(book), delivery).toEqual([]);
      const cited = structuredClone(book.events);
      Object.assign(cited.at(-1)?.payload ?? {}, { cites: 8 });
      expect(decisionProblems(cited, 1)).toHaveLength(1);
    }
  });

  it('is not lawful after a broken delivery whatever was decided, where the key is not honoured', () => {
    const { book, call, attempt } = started();
    book.broken(attempt);
    decide(book, attempt, 'retry', 'broken_key_honoured');
    book.start(call, 2);
    expect(problems(book)).toEqual(['An attempt was started in the stage effect_unknown.']);
  });
});

describe('an accepted duplicate', () => {
  it('is a person’s decision where one is needed', () => {
    const { book, attempt } = asked();
    recover.accept(book, attempt, operator);
    expect(problems(book)).toEqual([]);
  });

  it('is none before anybody asked, and none about other attempts', () => {
    const early = started();
    recover.accept(early.book, early.attempt, operator);
    expect(problems(early.book)).toEqual(['A duplicate was accepted in the stage effect_unknown.']);
    const { book, attempt } = asked();
    recover.accept(book, { ...attempt, attempt_id: 'attempt-999' }, operator);
    expect(problems(book)).toEqual(['The accepted duplicate names other attempts than those in doubt.']);
  });
});

it('what was there before is not judged again', () => {
  const { book, call } = started();
  book.start(call, 2);
  expect(decisionProblems(book.events, book.next)).toEqual([]);
});
