/**
 * Events gathered by what they belong to: tasks, compilations, calls, attempts. It is tolerant on purpose: an event that belongs to
 * nothing is left out here and named by G10, so that one misplaced row does not hide what the others say. Pure.
 */
import type {
  AttemptCompleted,
  AttemptInterpreted,
  AttemptObserved,
  AttemptRetryDecided,
  AttemptStarted,
  CallCompleted,
  CallManifest,
  CallPreparationFailed,
  CallRequested,
  ContextCompilationFailed,
  ContextCompilationRequested,
  ContextCompiled,
  DuplicateAccepted,
  EffectReconciled,
  Event,
  ResultRecorded,
} from '../../contract/types.js';

/** A payload with the seq of its row. */
export type At<T> = T & { readonly seq: number };

/** What was found out about attempts; the row belongs to the last of them, whose observation a response stands for. */
export type Reconciliation = At<EffectReconciled> & { readonly attemptId: string | null };

export interface Attempt {
  readonly id: string;
  readonly number: number;
  readonly seq: number;
  /** The seq of the finding or the decision that makes it lawful, where it is not the policy that does. */
  readonly cites?: number;
  observed?: At<AttemptObserved>;
  /** Earlier readings stay; the last one counts. */
  readonly interpretations: At<AttemptInterpreted>[];
  interpreted?: At<AttemptInterpreted>;
  /** One, and one more where a response was adopted after it; the last one counts. */
  readonly decisions: At<AttemptRetryDecided>[];
  decided?: At<AttemptRetryDecided>;
  completed?: At<AttemptCompleted>;
  /** Those that name it; the last one counts. */
  readonly reconciliations: Reconciliation[];
}

export interface Call {
  readonly id: string;
  readonly taskId: string;
  readonly compilationId: string;
  readonly seq: number;
  readonly key: string;
  readonly instruction: string;
  readonly specSha256?: string;
  /** The call whose inputs this one fixes. */
  readonly replaces?: string;
  preparationFailed?: At<CallPreparationFailed>;
  manifest?: At<CallManifest>;
  readonly attempts: Attempt[];
  readonly reconciliations: Reconciliation[];
  readonly duplicatesAccepted: At<DuplicateAccepted>[];
  readonly results: At<ResultRecorded>[];
  completed?: At<CallCompleted>;
  supersededBy?: string;
}

export interface Compilation {
  readonly id: string;
  readonly taskId: string;
  readonly seq: number;
  /** With the fan-out that it belongs to and the compilation whose inputs it fixes. */
  readonly requested: ContextCompilationRequested;
  compiled?: At<ContextCompiled>;
  failed?: At<ContextCompilationFailed>;
  supersededBy?: string;
}

interface Task {
  readonly id: string;
  readonly seq: number;
  ended?: 'accepted' | 'rejected';
}

export interface History {
  readonly tasks: Map<string, Task>;
  readonly compilations: Map<string, Compilation>;
  readonly calls: Map<string, Call>;
  /** By task and key, in ledger order: the complete deliveries that say that every earlier attempt of the key is over. */
  readonly answers: Map<string, { readonly seq: number; readonly callId: string }[]>;
  readonly lastSeq: number;
}

const known = new WeakMap<readonly Event[], History>();

export function historyOf(events: readonly Event[]): History {
  const before = known.get(events);
  if (before !== undefined) return before;
  const history: History = {
    tasks: new Map(),
    compilations: new Map(),
    calls: new Map(),
    answers: new Map(),
    lastSeq: events.at(-1)?.seq ?? 0,
  };
  const attempts: Attempts = new Map();
  for (const event of events) take(event, history, attempts);
  known.set(events, history);
  return history;
}

type Attempts = Map<string, { readonly attempt: Attempt; readonly call: Call }>;

function take(event: Event, { tasks, compilations, calls, answers }: History, attempts: Attempts): void {
  const { seq, task_id: taskId } = event;
  // Shapes were checked where the row was read (G8); the type decides the shape.
  const payload = event.payload as never;
  const at = <T>(): At<T> => ({ ...(payload as T & object), seq }) as At<T>;
  const call = event.call_id === null ? undefined : calls.get(event.call_id);
  const { attempt, call: caller } = (event.attempt_id === null ? undefined : attempts.get(event.attempt_id)) ?? {};
  const compilation = event.compilation_id === null ? undefined : compilations.get(event.compilation_id);
  switch (event.type) {
    case 'task.created':
      if (!tasks.has(taskId)) tasks.set(taskId, { id: taskId, seq });
      return;
    case 'task.accepted':
    case 'task.rejected': {
      const task = tasks.get(taskId);
      if (task !== undefined) task.ended ??= event.type === 'task.accepted' ? 'accepted' : 'rejected';
      return;
    }
    case 'context.compilation_requested':
      if (event.compilation_id !== null && compilation === undefined) {
        const requested: ContextCompilationRequested = payload;
        compilations.set(event.compilation_id, { id: event.compilation_id, taskId, seq, requested });
        supersede(compilations, requested.replaces, event.compilation_id);
      }
      return;
    case 'context.compiled':
      if (compilation !== undefined) compilation.compiled ??= at();
      return;
    case 'context.compilation_failed':
      if (compilation !== undefined) compilation.failed ??= at();
      return;
    case 'call.requested':
      if (event.call_id !== null && call === undefined) {
        calls.set(event.call_id, callOf(event.call_id, event, payload));
        supersede(calls, (payload as CallRequested).replaces, event.call_id);
      }
      return;
    case 'call.preparation_failed':
      if (call !== undefined) call.preparationFailed ??= at();
      return;
    case 'call.manifest':
      if (call !== undefined) call.manifest ??= at();
      return;
    case 'call.resumed': {
      const { old_call_id: oldId, new_call_id: newId } = event.payload as { old_call_id: string; new_call_id: string };
      supersede(calls, oldId, newId);
      return;
    }
    case 'call.completed':
      if (call !== undefined) call.completed ??= at();
      return;
    case 'result.recorded':
      call?.results.push(at());
      return;
    case 'attempt.started':
      if (call !== undefined && event.attempt_id !== null && attempt === undefined) {
        const started = attemptOf(event.attempt_id, seq, payload);
        attempts.set(started.id, { attempt: started, call });
        call.attempts.push(started);
      }
      return;
    case 'attempt.observed':
      if (attempt === undefined || caller === undefined || attempt.observed !== undefined) return;
      attempt.observed = at();
      if (isLastWord(attempt.observed)) pushTo(answers, keyOf(caller), { seq, callId: caller.id });
      return;
    case 'attempt.interpreted':
      if (attempt === undefined) return;
      attempt.interpreted = at();
      attempt.interpretations.push(attempt.interpreted);
      return;
    case 'attempt.retry_decided':
      if (attempt === undefined) return;
      attempt.decided = at();
      attempt.decisions.push(attempt.decided);
      return;
    case 'effect.reconciled': {
      const reconciliation: Reconciliation = { ...at<EffectReconciled>(), attemptId: event.attempt_id };
      call?.reconciliations.push(reconciliation);
      for (const id of reconciliation.attempt_ids) attempts.get(id)?.attempt.reconciliations.push(reconciliation);
      return;
    }
    case 'duplicate.accepted':
      call?.duplicatesAccepted.push(at());
      return;
    case 'attempt.completed':
      if (attempt !== undefined) attempt.completed ??= at();
      return;
  }
}

function callOf(id: string, { task_id: taskId, compilation_id: compilationId, seq }: Event, payload: CallRequested): Call {
  const { idempotency_key: key, instruction, spec_sha256: specSha256, replaces } = payload;
  return {
    ...{ id, taskId, compilationId: compilationId ?? '', seq, key, instruction },
    ...(specSha256 === undefined ? {} : { specSha256 }),
    ...(replaces === undefined ? {} : { replaces }),
    ...{ attempts: [], reconciliations: [], duplicatesAccepted: [], results: [] },
  };
}

function attemptOf(id: string, seq: number, { number, cites }: AttemptStarted): Attempt {
  const lists = { interpretations: [], decisions: [], reconciliations: [] };
  return { id, number, seq, ...lists, ...(cites === undefined ? {} : { cites }) };
}

/** What is superseded came before, and has one successor: the first that says so. */
function supersede(all: Map<string, { supersededBy?: string }>, old: string | undefined, by: string): void {
  const one = old === undefined || old === by ? undefined : all.get(old);
  if (one !== undefined) one.supersededBy ??= by;
}

const stillOpen = 409;

/** A conflict says that an earlier request of the key is still in progress; any other whole answer that none is. */
function isLastWord({ delivery, status }: AttemptObserved): boolean {
  return delivery === 'complete' && status !== stillOpen;
}

/** Task ids hold no space, so the two parts cannot run together. */
export function keyOf({ taskId, key }: Call): string {
  return `${taskId} ${key}`;
}

function pushTo<T>(lists: Map<string, T[]>, name: string, item: T): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [item]);
  else list.push(item);
}
