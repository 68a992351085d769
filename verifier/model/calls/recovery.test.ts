import { describe, expect, it } from 'vitest';
import type { Event } from '../../contract/types.js';
import { stories } from '../../testing/stories.js';
import * as recover from '../../testing/recoveries.js';
import { Book } from '../../testing/world.js';
import { carriedOut, mayCarryOut, recoveryOf, recoveryProblems, type Operation } from './recovery.js';

const told = Object.entries(stories()).flatMap(([id, snapshots]) =>
  Object.entries(snapshots).map(([name, ran]) => [`${id}/${name}`, ran, snapshots[ran.from ?? 'producer']] as const),
);
const recoveries = told.flatMap(([name, { book, operation }, base]) => {
  const from = (base?.book.events.length ?? 0) + 1;
  return operation === undefined ? [] : [[name, book.events, from] as const];
});
const operations: Operation[] = [
  ...(['start_call', 'recompile', 'fix_inputs', 'reconcile_effect', 'reinterpret', 'redecide'] as const),
  ...(['start_next_attempt', 'finalize', 'check_and_accept', 'accept_duplicate'] as const),
];

describe('what a recovery appends', () => {
  it.each(recoveries)('is lawful in %s', (_name, events, from) => expect(recoveryProblems(events, from, true)).toEqual([]));

  const marked = recoveries.flatMap(([name, events, from]) =>
    events
      .filter((event) => event.seq >= from && recoveryOf(event) !== undefined)
      .map(({ seq, type }) => [name, type, seq, events] as const),
  );

  // A link is lawful only with the new call, which follows it in its commit.
  const alone = marked.filter(([, type]) => type !== 'call.resumed');

  it.each(alone)('in %s: %s of row %d is not lawful as another operation', (_name, _type, seq, events) => {
    const own = recoveryOf(events[seq - 1] as Event)?.operation;
    const lawful = operations.filter((operation) => {
      const others = events.map((event) => (event.seq === seq ? as(event, operation) : event));
      return recoveryProblems(others.slice(0, seq), seq, true).length === 0;
    });
    expect(lawful).toEqual([own]);
  });

  it.each(marked)('in %s: %s of row %d is not lawful without its mark', (_name, type, seq, events) => {
    const { recovery: _recovery, ...payload } = (events[seq - 1] as Event).payload;
    const bare = events.map((event) => (event.seq === seq ? { ...event, payload } : event));
    expect(recoveryProblems(bare.slice(0, seq), seq, true)).toEqual([
      { seq, detail: `${type}: a recovery appended this and does not say so.` },
    ]);
  });

  it.each(marked.filter(([, type]) => !['result.recorded', 'attempt.completed'].includes(type)))(
    'in %s: %s of row %d is not lawful twice',
    (_name, _type, seq, events) => {
      const event = events[seq - 1] as Event;
      const twice = [...events.slice(0, seq), { ...event, seq: seq + 1 }];
      // Somebody may ask again where nothing was found.
      if (event.payload.reason !== 'not_found') expect(recoveryProblems(twice, seq + 1, true)).toHaveLength(1);
    },
  );
});

function as(event: Event, operation: Operation): Event {
  return { ...event, payload: { ...event.payload, recovery: { ...recoveryOf(event), operation } } };
}

describe('a compilation', () => {
  const requested = (): Book => {
    const book = new Book().open();
    book.request();
    return book;
  };
  const compiled = (book: Book, operation: string, id = 'compilation-4'): void =>
    void book.add('context.compiled', { ...recover.markOf(book, operation) }, { compilation_id: id });

  it('that was only requested is compiled again, once', () => {
    const book = requested();
    const from = book.next;
    compiled(book, 'recompile');
    expect(recoveryProblems(book.events, from, true)).toEqual([]);
    compiled(book, 'recompile');
    expect(recoveryProblems(book.events, from, true)).toHaveLength(1);
  });

  it('that failed is fixed by one that replaces it', () => {
    const book = requested();
    book.add('context.compilation_failed', { error: 'RequiredContextMissing' }, { compilation_id: 'compilation-4' });
    const from = book.next;
    const fix = { required_ids: [], offered: [], replaces: 'compilation-4', ...recover.markOf(book, 'fix_inputs') };
    book.add('context.compilation_requested', fix, { compilation_id: `compilation-${from}` });
    compiled(book, 'fix_inputs', `compilation-${from}`);
    expect(recoveryProblems(book.events, from, true)).toEqual([]);
    expect(carriedOut(book.events.slice(from - 1))).toMatchObject([{ operation: 'fix_inputs', isWhole: true }]);
    expect(carriedOut(book.events.slice(from - 1, -1))).toMatchObject([{ operation: 'fix_inputs', isWhole: false }]);
  });

  it('that did not fail is not replaced', () => {
    const book = requested();
    const from = book.next;
    const fix = { required_ids: [], offered: [], replaces: 'compilation-4', ...recover.markOf(book, 'fix_inputs') };
    book.add('context.compilation_requested', fix, { compilation_id: `compilation-${from}` });
    expect(recoveryProblems(book.events, from, true)).toHaveLength(1);
  });

  it('of its own is an operation of its own', () => {
    const book = requested();
    const second = book.request();
    const from = book.next;
    compiled(book, 'recompile');
    compiled(book, 'recompile', second);
    expect(carriedOut(book.events.slice(from - 1)).map(({ operation }) => operation)).toEqual(['recompile', 'recompile']);
  });
});

describe('an operation', () => {
  it.each(operations)('%s is carried out by who was told to', (operation) => {
    expect(mayCarryOut(operation, operation)).toBe(true);
    const isPersons = ['accept_duplicate', 'check_and_accept', 'fix_inputs'].includes(operation);
    expect(mayCarryOut('recover', operation)).toBe(!isPersons);
    expect(mayCarryOut(null, operation)).toBe(operation === 'start_call');
  });

  it('that another process goes on with is another one', () => {
    const book = new Book().open();
    const call = book.want(book.compile());
    book.record(call, recover.markOf(book, 'finalize'));
    book.provider.pid = 3000;
    book.end(call, recover.markOf(book, 'finalize'));
    const parts = carriedOut(book.events.slice(-2));
    expect(parts.map(({ pid, isWhole }) => [pid, isWhole])).toEqual([
      [1000, false],
      [3000, true],
    ]);
  });
});
