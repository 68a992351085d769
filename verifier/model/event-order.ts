/**
 * The order that the runtime's rules allow, as one table: each event type names what must already be so, and what it makes so.
 * Conditions speak only of the entity that the event belongs to, so calls and tasks may interleave. An event that breaks its rule
 * is reported and then taken anyway, so that one misplaced row is one finding and not an avalanche.
 */
import type { Event } from '../contract/types.js';
import { historyOf, type Attempt, type Call, type Compilation, type History } from './history.js';

interface OrderProblem {
  readonly seq: number;
  readonly detail: string;
}

interface Place {
  readonly event: Event;
  readonly previous: Event | undefined;
  readonly next: Event | undefined;
  readonly history: History;
  readonly call: Call | undefined;
  readonly attempt: Attempt | undefined;
  readonly compilation: Compilation | undefined;
}

type Rule = readonly [holds: (place: Place) => boolean, sentence: string];

const before = (place: Place, seq: number | undefined): boolean => seq !== undefined && seq < place.event.seq;
const first = (place: Place, seq: number | undefined): boolean => seq === place.event.seq;
const ofTask: Rule = [
  (p) => p.event.call_id === null && p.event.attempt_id === null && p.event.compilation_id === null,
  'it belongs to a task only',
];
const ofCompilation: Rule = [
  (p) => p.compilation?.taskId === p.event.task_id && p.event.call_id === null && p.event.attempt_id === null,
  'it belongs to a compilation of its task',
];
const ofCall: Rule = [
  (p) => p.call?.taskId === p.event.task_id && p.call.compilationId === p.event.compilation_id && before(p, p.call.seq),
  'it belongs to a call of its task and compilation',
];
const ofNoAttempt: Rule = [(p) => p.event.attempt_id === null, 'it belongs to no attempt'];
const openCall: Rule = [
  (p) => !before(p, p.call?.completed?.seq) && !before(p, p.call?.preparationFailed?.seq),
  'the call has not ended before',
];
const compilationOpen: Rule = [
  (p) => !before(p, p.compilation?.compiled?.seq) && !before(p, p.compilation?.failed?.seq),
  'the compilation has not ended before',
];
const ofAttempt: Rule = [
  (p) => before(p, p.attempt?.seq) && p.call?.attempts.includes(p.attempt as Attempt) === true,
  'its attempt was started',
];
const lastAttempt: Rule = [
  (p) => p.call?.attempts.filter(({ seq }) => seq <= p.event.seq).at(-1) === p.attempt,
  'no later attempt was started before it',
];

const rules: Record<string, readonly Rule[]> = {
  'task.created': [ofTask, [(p) => first(p, p.history.tasks.get(p.event.task_id)?.seq), 'a task is created once']],
  'objective.recorded': [ofTask],
  'claim.recorded': [ofTask],
  'task.accepted': [
    ofTask,
    [(p) => resultBefore(p, (p.event.payload as { result_id: string }).result_id), 'the result was recorded'],
  ],
  'task.rejected': [
    ofTask,
    [
      (p) => p.event.payload.result_id === null || resultBefore(p, p.event.payload.result_id as string),
      'the result was recorded',
    ],
  ],
  'context.compilation_requested': [ofCompilation, [(p) => first(p, p.compilation?.seq), 'a compilation is requested once']],
  'context.compiled': [ofCompilation, compilationOpen, [(p) => before(p, p.compilation?.seq), 'the compilation was requested']],
  'context.compilation_failed': [
    ofCompilation,
    compilationOpen,
    [(p) => before(p, p.compilation?.seq), 'the compilation was requested'],
  ],
  'call.requested': [
    ofNoAttempt,
    [(p) => p.compilation?.taskId === p.event.task_id && before(p, p.compilation.seq), 'its compilation was requested'],
    [(p) => first(p, p.call?.seq), 'a call is requested once'],
    [
      (p) => p.previous?.type !== 'call.resumed' || p.previous.payload.new_call_id === p.event.call_id,
      'a call that follows a resume is the one that it names',
    ],
  ],
  'call.preparation_failed': [
    ofCall,
    ofNoAttempt,
    openCall,
    [(p) => !before(p, p.call?.manifest?.seq), 'no manifest was recorded'],
  ],
  'call.manifest': [
    ofCall,
    ofNoAttempt,
    openCall,
    [(p) => first(p, p.call?.manifest?.seq), 'a call has one manifest'],
    [(p) => before(p, p.compilation?.compiled?.seq), 'the context was compiled'],
  ],
  'call.resumed': [
    ofCall,
    ofNoAttempt,
    openCall,
    [(p) => p.event.call_id === p.event.payload.old_call_id, 'the row carries the old call'],
    [(p) => p.next?.type === 'call.requested' && p.next.call_id === p.event.payload.new_call_id, 'the new call follows at once'],
  ],
  'attempt.started': [
    ofCall,
    openCall,
    [(p) => before(p, p.call?.manifest?.seq), 'the intent was recorded in a manifest'],
    [(p) => first(p, p.attempt?.seq), 'an attempt is started once'],
    [
      (p) => p.event.payload.number === (p.call?.attempts.findIndex(({ id }) => id === p.event.attempt_id) ?? -1) + 1,
      'attempts are numbered from 1',
    ],
    [
      (p) => previousAttempt(p) === undefined || before(p, previousAttempt(p)?.observed?.seq),
      'the attempt before it was observed',
    ],
  ],
  'attempt.observed': [
    ofCall,
    openCall,
    ofAttempt,
    lastAttempt,
    [(p) => first(p, p.attempt?.observed?.seq), 'an attempt is observed once'],
  ],
  'attempt.interpreted': [
    ofCall,
    openCall,
    ofAttempt,
    lastAttempt,
    [(p) => before(p, p.attempt?.observed?.seq), 'the attempt was observed'],
    [(p) => p.attempt?.observed?.delivery === 'complete', 'only a complete delivery is interpreted'],
    [(p) => first(p, p.attempt?.interpreted?.seq), 'an attempt is interpreted once'],
  ],
  'attempt.retry_decided': [
    ofCall,
    openCall,
    ofAttempt,
    lastAttempt,
    [(p) => before(p, p.attempt?.observed?.seq), 'the attempt was observed'],
    [
      (p) => p.attempt?.observed?.delivery !== 'complete' || before(p, p.attempt.interpreted?.seq),
      'the complete delivery was interpreted',
    ],
    [(p) => first(p, p.attempt?.decided?.seq), 'an attempt is decided once'],
  ],
  'attempt.completed': [
    ofCall,
    openCall,
    ofAttempt,
    [(p) => before(p, p.attempt?.decided?.seq), 'the attempt was decided'],
    [(p) => first(p, p.attempt?.completed?.seq), 'an attempt is completed once'],
  ],
  'result.recorded': [
    ofCall,
    ofNoAttempt,
    openCall,
    [
      (p) => p.call?.attempts.some(({ interpreted }) => before(p, interpreted?.seq) && interpreted?.result === 'answer') === true,
      'an answer was interpreted',
    ],
    [(p) => first(p, p.call?.results[0]?.seq), 'a call has one result'],
  ],
  'call.completed': [
    ofCall,
    ofNoAttempt,
    openCall,
    // A broken attempt never ends by itself; a later one under an honoured key settles it.
    [
      (p) =>
        p.call?.attempts.every(({ observed, completed }) => observed?.delivery === 'broken' || before(p, completed?.seq)) ===
        true,
      'its attempts were completed',
    ],
    [(p) => (p.call?.attempts.length ?? 0) > 0, 'it was attempted'],
  ],
};

function previousAttempt({ call, event }: Place): Attempt | undefined {
  const index = call?.attempts.findIndex(({ id }) => id === event.attempt_id) ?? -1;
  return index > 0 ? call?.attempts[index - 1] : undefined;
}

function resultBefore(place: Place, resultId: string): boolean {
  const calls = [...place.history.calls.values()].filter((call) => call.taskId === place.event.task_id);
  return calls.some(({ results }) => results.some((result) => result.result_id === resultId && result.seq < place.event.seq));
}

export function orderProblems(events: readonly Event[]): OrderProblem[] {
  const history = historyOf(events);
  const attempts = new Map(
    [...history.calls.values()].flatMap((call) => call.attempts.map((attempt) => [attempt.id, attempt] as const)),
  );
  const superseded = new Map<string, number>();
  const endedTasks = new Set<string>();
  const problems: OrderProblem[] = [];
  for (const [index, event] of events.entries()) {
    const place: Place = {
      event,
      previous: events[index - 1],
      next: events[index + 1],
      history,
      call: event.call_id === null ? undefined : history.calls.get(event.call_id),
      attempt: event.attempt_id === null ? undefined : attempts.get(event.attempt_id),
      compilation: event.compilation_id === null ? undefined : history.compilations.get(event.compilation_id),
    };
    const say = (sentence: string): void =>
      void problems.push({ seq: event.seq, detail: `${event.type}: it must be that ${sentence}.` });
    const task = history.tasks.get(event.task_id);
    if (task === undefined || task.seq > event.seq) say('its task was created');
    if (endedTasks.has(event.task_id)) say('its task has not ended before');
    if (event.call_id !== null && superseded.has(event.call_id)) say('its call was not superseded before');
    const broken = (rules[event.type] ?? []).find(([holds]) => !holds(place));
    if (broken !== undefined) say(broken[1]);
    if (event.type === 'call.resumed') superseded.set(String(event.payload.old_call_id), event.seq);
    if (event.type === 'task.accepted' || event.type === 'task.rejected') endedTasks.add(event.task_id);
  }
  return problems;
}
