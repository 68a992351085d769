/** The known answers of the contract, written by hand: neither the runtime nor this model made them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../contract/types.js';
import { workStates } from './work-state.js';

type Brief = Partial<Event> & Pick<Event, 'type'>;
interface Vectors {
  payloads: Record<string, object>;
  vectors: { name: string; events: Brief[]; expected: Record<string, object> }[];
}
const { payloads, vectors } = JSON.parse(
  readFileSync(new URL('../../../evidence/schema/vectors/work-state.json', import.meta.url), 'utf8'),
) as Vectors;

function expanded({ payload, ...brief }: Brief, index: number): Event {
  const none = { attempt_id: null, call_id: null, compilation_id: null, task_id: 'task-1' };
  const filling = { digest: '0'.repeat(64), recorded_at: '2026-01-01T00:00:00.000Z', seq: index + 1 };
  return { ...none, ...filling, ...brief, payload: { ...payloads[brief.type], ...payload } } as Event;
}

describe('the work state', () => {
  it.each(vectors)('$name', ({ events, expected }) => {
    const states = workStates(events.map(expanded));
    expect(states.map(({ task_id }) => task_id)).toEqual(Object.keys(expected));
    for (const state of states) expect(state).toMatchObject(expected[state.task_id] as object);
  });
});
