/**
 * The order that the runtime's rules allow, as one table: each event type names what must already be so, and what it makes so.
 * Conditions speak only of the entity that the event belongs to, so calls and tasks may interleave. An event that breaks its rule
 * is reported and then taken anyway, so that one misplaced row is one finding and not an avalanche.
 */
import type { Event } from '../../contract/types.js';
import {
  attemptsToEnd,
  before,
  fanOutWhole,
  first,
  hasInterpretation,
  hasResponse,
  isAnswered,
  isCompletedAttempt,
  isDoneElsewhere,
  isEndedElsewhere,
  isFirstOfItsVersion,
  namesAttempts,
  previousAttempt,
  replaced,
  resultBefore,
  type Place,
} from './event-place.js';
import { historyOf, type Attempt } from './history.js';
import { decidingAttempt, decisionOf, lastWord, responseOf } from './settlement.js';

interface OrderProblem {
  readonly seq: number;
  readonly detail: string;
}

type Rule = readonly [holds: (place: Place) => boolean, sentence: string];

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

/** What the call goes on from: the last attempt, unless the response of an earlier one was adopted since. */
const ofDecidingAttempt: Rule = [
  (p) => p.call !== undefined && decidingAttempt(p.call, p.event.seq) === p.attempt,
  'it is the attempt that the call goes on from',
];
const notDecided: Rule = [
  (p) => p.attempt !== undefined && decisionOf(p.attempt, p.event.seq) === undefined,
  'nothing was decided on it before',
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
  'context.compilation_requested': [
    ofCompilation,
    [(p) => first(p, p.compilation?.seq), 'a compilation is requested once'],
    [fanOutWhole, 'the members of its fan-out stand together, in the order of their numbers'],
    [
      (p) => replaced(p) === null || before(p, replaced(p)?.compilation?.failed?.seq),
      'the compilation that it replaces had failed',
    ],
  ],
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
    [
      (p) => replaced(p) === null || before(p, replaced(p)?.call?.preparationFailed?.seq),
      'the call that it replaces could not be prepared',
    ],
  ],
  'call.preparation_failed': [
    ofCall,
    ofNoAttempt,
    openCall,
    [(p) => !before(p, p.call?.manifest?.seq), 'no manifest was recorded'],
    [
      (p) => (p.event.payload.error === 'CompilationNotUsable') !== before(p, p.compilation?.compiled?.seq),
      'there was a package exactly where the request was too large',
    ],
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
    // What it cites must make it lawful, which is another guarantee's question (G28).
    [
      (p) =>
        previousAttempt(p) === undefined ||
        before(p, previousAttempt(p)?.observed?.seq) ||
        isAdopted(p, previousAttempt(p)) ||
        p.event.payload.cites !== undefined,
      'the attempt before it was observed or its response adopted, or that a finding or a decision is cited',
    ],
  ],
  'attempt.observed': [
    ofCall,
    openCall,
    ofAttempt,
    lastAttempt,
    [(p) => first(p, p.attempt?.observed?.seq), 'an attempt is observed once'],
    [(p) => p.attempt !== undefined && lastWord(p.attempt, p.event.seq) === undefined, 'nobody had to find out about it before'],
  ],
  'effect.reconciled': [ofCall, openCall, ofAttempt, [namesAttempts, 'its attempts were started, and it belongs to the last']],
  'duplicate.accepted': [ofCall, ofNoAttempt, openCall, [namesAttempts, 'its attempts were started']],
  'attempt.interpreted': [
    ofCall,
    openCall,
    ofAttempt,
    ofDecidingAttempt,
    [hasResponse, 'a complete response was observed or adopted'],
    [isFirstOfItsVersion, 'this interpreter has not read the response before'],
    notDecided,
  ],
  'attempt.retry_decided': [
    ofCall,
    openCall,
    ofAttempt,
    ofDecidingAttempt,
    [(p) => before(p, p.attempt?.observed?.seq) || hasResponse(p), 'the attempt was observed, or a response adopted'],
    [(p) => !hasResponse(p) || hasInterpretation(p), 'the response was interpreted'],
    notDecided,
  ],
  'attempt.completed': [
    ofCall,
    openCall,
    ofAttempt,
    [
      (p) => p.attempt !== undefined && (decisionOf(p.attempt, p.event.seq) !== undefined || isEndedElsewhere(p)),
      'the attempt was decided',
    ],
    [(p) => first(p, p.attempt?.completed?.seq), 'an attempt is completed once'],
  ],
  'result.recorded': [
    ofCall,
    ofNoAttempt,
    openCall,
    [isAnswered, 'an answer was interpreted'],
    [isCompletedAttempt, 'the attempt that was answered is completed'],
    [(p) => first(p, p.call?.results[0]?.seq), 'a call has one result'],
  ],
  'call.completed': [
    ofCall,
    ofNoAttempt,
    [(p) => first(p, p.call?.completed?.seq), 'a call is completed once'],
    [(p) => !before(p, p.call?.preparationFailed?.seq) || isDoneElsewhere(p), 'it was prepared'],
    [
      (p) => attemptsToEnd(p).every(({ completed }) => before(p, completed?.seq)) || isDoneElsewhere(p),
      'its attempts were completed',
    ],
    [(p) => (p.call?.attempts.length ?? 0) > 0 || isDoneElsewhere(p), 'it was attempted'],
  ],
};

/** Nobody observed it, and what a reconciliation brought was read and decided on in the place of that. */
function isAdopted({ event }: Place, attempt: Attempt | undefined): boolean {
  return attempt !== undefined && responseOf(attempt, event.seq)?.adopted === true;
}

export function orderProblems(events: readonly Event[]): OrderProblem[] {
  const history = historyOf(events);
  const attempts = new Map(
    [...history.calls.values()].flatMap((call) => call.attempts.map((attempt) => [attempt.id, attempt] as const)),
  );
  const superseded = new Set<string>();
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
    if (event.call_id === null && superseded.has(event.compilation_id ?? '')) say('its compilation was not superseded before');
    const broken = (rules[event.type] ?? []).find(([holds]) => !holds(place));
    if (broken !== undefined) say(broken[1]);
    if (event.type === 'call.resumed') superseded.add(String(event.payload.old_call_id));
    if (typeof event.payload.replaces === 'string') superseded.add(event.payload.replaces);
    if (event.type === 'task.accepted' || event.type === 'task.rejected') endedTasks.add(event.task_id);
  }
  return problems;
}
