import { describe, expect, it } from 'vitest';
import type { Event } from '../../contract/types.js';
import * as recover from '../../testing/recoveries.js';
import { Book, type Ids } from '../../testing/world.js';
import { firstDifference } from './same-events.js';

function intended(): { book: Book; call: Ids } {
  const book = new Book().open();
  const call = book.want(book.compile());
  book.manifest(call);
  return { book, call };
}

/** The call of the last resume, which is open. */
function resumed(times: number): Book {
  const { book, call } = intended();
  let current = call;
  for (let time = 1; time < times; time += 1) {
    const renewed = `call-${book.next + 1}`;
    const link = { idempotency_key: 'key-1', new_call_id: renewed, old_call_id: current.call_id, verified: book.hashes };
    book.add('call.resumed', { ...link, ...recover.markOf(book, 'start_call') }, current);
    current = book.want(current.compilation_id ?? '', { call: renewed, ...recover.markOf(book, 'start_call') });
    book.manifest(current);
  }
  book.resume(current, recover.markOf(book, 'start_call'));
  return book;
}

describe('two records are the same events', () => {
  it('whoever wrote them, and when', () => {
    const [one, other] = [resumed(1), resumed(1)];
    const events = other.events.map((event): Event => {
      const { recovery } = event.payload as { recovery?: object };
      const payload =
        recovery === undefined ? event.payload : { ...event.payload, recovery: { ...recovery, pid: 7, version: '9' } };
      return { ...event, payload, recorded_at: '2030-01-01T00:00:00.000Z', digest: '0'.repeat(64) };
    });
    expect(firstDifference(one.events, events)).toBeNull();
  });

  it('however often the call was begun anew', () => {
    for (const times of [2, 3]) expect(firstDifference(resumed(1).events, resumed(times).events)).toBeNull();
  });

  it('and a mark alone makes no difference', () => {
    const { book, call } = intended();
    const marked = book.continued();
    book.start(call);
    marked.start(call, 1, recover.markOf(marked, 'start_next_attempt'));
    expect(firstDifference(book.events, marked.events)).toBeNull();
  });
});

describe('two records are not', () => {
  it('where one goes on', () => {
    const { events } = resumed(1);
    expect(firstDifference(events, events.slice(0, -1))).toEqual({ left: events.length, right: null });
    expect(firstDifference(events.slice(0, -1), events)).toEqual({ left: null, right: events.length });
  });

  const { events } = resumed(1);
  it.each(events.filter(({ type }) => type !== 'call.resumed').map(({ seq, type }) => [type, seq] as const))(
    'where %s of row %d says something else, if its call was not begun anew',
    (_type, seq) => {
      const changed = events.map((event) => (event.seq === seq ? { ...event, payload: { ...event.payload, more: 'x' } } : event));
      const isSuperseded = events.some(
        ({ type, payload }) => type === 'call.resumed' && payload.old_call_id === changed[seq - 1]?.call_id,
      );
      expect(firstDifference(events, changed)).toEqual(isSuperseded ? null : { left: seq, right: seq });
    },
  );

  it('where an attempt cites another row', () => {
    const { book, call } = intended();
    const first = book.start(call);
    recover.lookUp(book, first, recover.notFound, { finding: 'unknown', reason: 'not_found' });
    const [one, other] = [book.continued(), book.continued()];
    one.start(call, 2, { cites: one.next - 1 });
    other.start(call, 2, { cites: other.next - 2 });
    expect(firstDifference(one.events, other.events)).toEqual({ left: one.events.length, right: one.events.length });
  });
});
