import { describe, expect, it } from 'vitest';
import type { Event } from '../../contract/types.js';
import { stories } from '../../testing/stories.js';
import { orderProblems } from './event-order.js';
import { recoveryProblems } from './recovery.js';

const told = Object.entries(stories()).flatMap(([id, snapshots]) =>
  Object.entries(snapshots).map(([name, { book }]) => [`${id}/${name}`, book.events] as const),
);

describe('the order of events', () => {
  it.each(told)('of %s is lawful, and so is every prefix of it', (_name, events) => {
    for (let length = 0; length <= events.length; length += 1) {
      const cut = events.slice(0, length);
      // A resume and its new call are one commit: no prefix ends between them.
      if (cut.at(-1)?.type !== 'call.resumed') expect(orderProblems(cut)).toEqual([]);
    }
  });

  it.each(told.filter(([, events]) => events.length > 1))(
    'of %s allows no event of work twice, and none to be missing before its successor',
    (_name, events) => {
      // Somebody may ask again, and decide again; which of them an attempt may cite is another guarantee's question.
      const free = new Set(['objective.recorded', 'claim.recorded', 'effect.reconciled', 'duplicate.accepted']);
      const last = events.at(-1)?.seq ?? 0;
      for (const event of events.filter(({ type }) => !free.has(type))) {
        const twice = [...events, { ...event, seq: last + 1 }];
        expect(orderProblems(twice), `${event.type} twice`).not.toEqual([]);
        // What nothing follows may be missing: that is what a crash looks like.
        const without = events.filter(({ seq }) => seq !== event.seq);
        if (event.seq < last && !isLastOfItsKind(event, events))
          expect(orderProblems(without), `${event.type} missing`).not.toEqual([]);
      }
    },
  );

  it('lets a call end where it stands once another was answered under its key, and only by naming that one', () => {
    const [, events] = told.find(([name]) => name === 'control/producer') ?? ['', []];
    const base = events.at(-1) as Event;
    const [seq, call_id] = [events.length + 1, `call-${events.length + 1}`];
    const requested = { ...(events.find(({ type }) => type === 'call.requested') as Event), seq, call_id };
    const mark = { operation: 'finalize', pid: 1, version: '0.1.0' };
    const end = (error: string, recovery?: object): Event[] => {
      const payload = { error, outcome: 'failed', result_id: null, ...(recovery === undefined ? {} : { recovery }) };
      return [...events, requested, { ...base, seq: seq + 1, call_id, payload } as Event];
    };
    const settled = `settled by ${base.call_id}`;
    expect(orderProblems(end(settled, mark))).toEqual([]);
    expect(recoveryProblems(end(settled, mark), seq + 1, true)).toEqual([]);
    expect(orderProblems(end('settled by call-99', mark))).toHaveLength(1);
    expect(orderProblems(end(settled))).toHaveLength(1);
  });

  it('takes an accepted duplicate for a row of its call, and of no attempt', () => {
    const [, events] = told.find(([name]) => name === 'control/producer') ?? ['', []];
    const started = events.findIndex(({ type }) => type === 'attempt.started');
    const attempt = events[started] as Event;
    const before = events.slice(0, started + 1);
    const accepted = (attempt_id: string | null): Event[] => {
      const recovery = { operation: 'accept_duplicate', pid: 1, version: '0.1.0' };
      const payload = { attempt_ids: [attempt.attempt_id], by: 'operator', note: '', recovery };
      return [
        ...before,
        { ...attempt, seq: before.length + 1, type: 'duplicate.accepted', attempt_id, payload } as unknown as Event,
      ];
    };
    expect(orderProblems(accepted(null))).toEqual([]);
    expect(orderProblems(accepted(attempt.attempt_id))).toEqual([
      { seq: before.length + 1, detail: 'duplicate.accepted: it must be that it belongs to no attempt.' },
    ]);
  });

  it('keeps a fan-out within one task', () => {
    const [, events] = told.find(([name]) => name === 'control/producer') ?? ['', []];
    const created = events.find(({ type }) => type === 'task.created') as Event;
    const compilation = events.find(({ type }) => type === 'context.compilation_requested') as Event;
    const member = (index: number, task_id: string): Event => {
      const seq = index + 2;
      const fan_out = { id: 'fan-out-3', index, of: 2 };
      return {
        ...compilation,
        seq,
        task_id,
        compilation_id: `compilation-${seq}`,
        payload: { ...compilation.payload, fan_out },
      } as Event;
    };
    const tasks = [1, 2].map((seq): Event => ({ ...created, seq, task_id: `task-${seq}` }));
    expect(orderProblems([...tasks, member(1, 'task-1'), member(2, 'task-1')])).toEqual([]);
    expect(orderProblems([...tasks, member(1, 'task-1'), member(2, 'task-2')]).map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it('lets the policy try again what was adopted and is no answer, though nobody observed it', () => {
    const [, events] = told.find(([name]) => name === 'control/producer') ?? ['', []];
    const started = events.find(({ type }) => type === 'attempt.started') as Event;
    const before = events.slice(0, started.seq);
    const rest = (response: object | null): Event[] => {
      const finding = { attempt_ids: [started.attempt_id], finding: 'served', reason: 'found', response };
      const interpreted = { interpreter: { name: 'chat-completions', version: 1 }, result: 'provider_error' };
      const payloads: [string, object][] = [
        ['effect.reconciled', finding],
        ...(response === null ? [] : ([['attempt.interpreted', interpreted]] as [string, object][])),
        ...(response === null ? [] : ([['attempt.retry_decided', { decision: 'retry' }]] as [string, object][])),
        ...(response === null ? [] : ([['attempt.completed', { outcome: 'failed' }]] as [string, object][])),
        ['attempt.started', { number: 2 }],
      ];
      return payloads.map(([type, payload], index) => {
        const seq = started.seq + index + 1;
        const attempt_id = type === 'attempt.started' ? `attempt-${seq}` : started.attempt_id;
        return { ...started, seq, type, attempt_id, payload } as Event;
      });
    };
    const adopted = { status: 429, content_type: null, response_sha256: 'a'.repeat(64) };
    expect(orderProblems([...before, ...rest(adopted)])).toEqual([]);
    expect(orderProblems([...before, ...rest(null)])).toHaveLength(1);
  });

  it('records a result only of an attempt that is completed', () => {
    const [, events] = told.find(([name]) => name === 'control/producer') ?? ['', []];
    const at = events.findIndex(({ type }) => type === 'attempt.completed');
    const [ended, result] = events.slice(at, at + 2) as [Event, Event];
    expect(result.type).toBe('result.recorded');
    const swapped = events.toSpliced(at, 2, { ...result, seq: ended.seq }, { ...ended, seq: result.seq });
    expect(orderProblems(swapped).map(({ seq }) => seq)).toEqual([ended.seq]);
  });

  it('calls a compilation not usable only where it is not, and a request too large only where it is', () => {
    const [, events] = told.find(([name]) => name === 'control/producer') ?? ['', []];
    const requested = events.findIndex(({ type }) => type === 'call.requested') + 1;
    const failed = (before: readonly Event[], error: string): Event[] => {
      const call = before.at(-1) as Event;
      return [...before, { ...call, seq: call.seq + 1, type: 'call.preparation_failed', payload: { error, message: 'No.' } }];
    };
    const compiled = events.slice(0, requested);
    expect(orderProblems(failed(compiled, 'RequestTooLarge'))).toEqual([]);
    expect(orderProblems(failed(compiled, 'CompilationNotUsable'))).toHaveLength(1);
    const open = compiled.filter(({ type }) => type !== 'context.compiled');
    expect(orderProblems(failed(open, 'CompilationNotUsable'))).toEqual([]);
    expect(orderProblems(failed(open, 'RequestTooLarge'))).toHaveLength(1);
  });

  it('allows nothing after the end of the task', () => {
    const [, events] = told.find(([name]) => name === 'control/producer') ?? ['', []];
    const seq = events.length + 1;
    const base = { ...(events.at(-1) as Event), attempt_id: null, call_id: null, compilation_id: null };
    const accepted = { ...base, seq, type: 'task.accepted', payload: { by: 'somebody', note: '', result_id: 'result-13' } };
    const after = { ...base, seq: seq + 1, type: 'claim.recorded', payload: { basis: 'b', claim_id: 'c', statement: 's' } };
    expect(orderProblems([...events, accepted])).toEqual([]);
    expect(orderProblems([...events, accepted, after])).toHaveLength(1);
    expect(orderProblems([...events, { ...accepted, payload: { ...accepted.payload, result_id: 'result-99' } }])).toHaveLength(1);
  });
});

/** An attempt that was broken, then decided, needs no end of its own; a result is not named by order but by completion (G14). */
function isLastOfItsKind({ type, seq, attempt_id: attempt, call_id: call }: Event, events: readonly Event[]): boolean {
  const later = events.filter((event) => event.seq > seq);
  if (type === 'attempt.started') return !later.some((event) => event.attempt_id === attempt);
  if (type === 'attempt.completed') return !later.some((event) => event.type === 'call.completed' && event.call_id === call);
  if (type === 'context.compiled') return !later.some((event) => event.type === 'call.manifest');
  const resumedHere = events.some((event) => event.type === 'call.resumed');
  return (
    type === 'result.recorded' ||
    type === 'call.resumed' ||
    type === 'attempt.retry_decided' ||
    (resumedHere && type === 'call.manifest')
  );
}
