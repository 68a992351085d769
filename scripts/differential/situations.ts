/**
 * What a lawful history is about, beyond the stages that it reaches: the turns at which accounts of a record part. Each is looked for in
 * the drafts or in the reference's state, and each must come up in a campaign of some size.
 */
import type { Account } from './compare/reference.js';
import type { EventDraft, History, RecordDraft } from './history/drafts.js';

type Looks<T> = Readonly<Record<string, (drafts: readonly T[], state: unknown) => boolean>>;

interface AttemptState {
  readonly delivery: string | null;
  readonly settled: boolean;
  readonly reconciled?: { readonly finding: string; readonly adopted: boolean };
}

interface CallState {
  readonly attempts: readonly AttemptState[];
  readonly accepted_duplicates?: number;
}

const attemptsIn = (state: unknown): readonly (readonly AttemptState[])[] =>
  (state as { calls: CallState[] }[]).flatMap(({ calls }) =>
    calls.flatMap(({ attempts, accepted_duplicates: passed }) => (passed === undefined ? [attempts] : [])),
  );
const isOpenLeft = ({ delivery }: AttemptState): boolean => delivery === null || delivery === 'broken';
const of = <T extends { type: string }>(drafts: readonly T[], type: string): readonly T[] =>
  drafts.filter((draft) => draft.type === type);

const ofCalls: Looks<EventDraft> = {
  'a 409': (drafts) => of(drafts, 'attempt.observed').some(({ payload }) => payload['status'] === 409),
  'a key that is honoured': (drafts) =>
    of(drafts, 'call.manifest').some(({ payload }) => (payload['provider'] as { honours_key: boolean }).honours_key),
  'a 409 that settles nothing': (drafts, state) =>
    of(drafts, 'attempt.observed').some(({ payload }) => payload['status'] === 409) &&
    attemptsIn(state).some((attempts) => attempts.some((one) => isOpenLeft(one) && !one.settled)),
  'settled by a later answer': (_drafts, state) =>
    attemptsIn(state).some((attempts) =>
      attempts.some(
        (one) => isOpenLeft(one) && one.settled && !['served', 'not_served'].includes(one.reconciled?.finding ?? 'unknown'),
      ),
    ),
  'a late response': (_drafts, state) =>
    attemptsIn(state).some((attempts) => attempts.slice(0, -1).some((one) => one.reconciled?.adopted === true)),
  'served, and asked again': (drafts) => isServedBefore(drafts),
  'a duplicate accepted and spent': (drafts) =>
    of(drafts, 'duplicate.accepted').some(({ uid }) => drafts.some(({ payload }) => payload['cites'] === `@seq:${uid}`)),
  'settled by another call': (drafts) =>
    of(drafts, 'call.completed').some(({ payload: { error } }) => String(error).startsWith('settled')),
  'two calls under one key': (drafts) => {
    const keys = of(drafts, 'call.requested').map(({ task, payload }) => `${task} ${String(payload['idempotency_key'])}`);
    return new Set(keys).size < keys.length;
  },
  'a call resumed': (drafts) => of(drafts, 'call.resumed').length > 0,
  'inputs fixed': (drafts) => drafts.some(({ payload }) => payload['replaces'] !== undefined),
  'a fan-out': (drafts) => drafts.some(({ payload }) => payload['fan_out'] !== undefined),
  'read again': (drafts) =>
    of(drafts, 'attempt.interpreted').some(({ payload }) => (payload['interpreter'] as { version: number }).version === 2),
};

function isServedBefore(drafts: readonly EventDraft[]): boolean {
  const findings = of(drafts, 'effect.reconciled');
  const served = findings.findIndex(({ payload }) => payload['finding'] === 'served');
  const first = findings[served];
  return (
    first !== undefined &&
    findings.slice(served + 1).some(({ attempt, payload }) => attempt === first.attempt && payload['finding'] !== 'served')
  );
}

const reasons = (drafts: readonly RecordDraft[]): unknown[] => of(drafts, 'run_finished').map(({ payload }) => payload['reason']);
const results = (drafts: readonly RecordDraft[], batch: unknown): unknown[] =>
  of(drafts, 'tool_result').flatMap(({ payload }) => (payload['batch_id'] === batch ? [payload['outcome']] : []));
const batches = (drafts: readonly RecordDraft[], mode: string): unknown[] =>
  of(drafts, 'tool_batch_started').flatMap(({ payload }) => (payload['mode'] === mode ? [payload['batch_id']] : []));
const cancels = (drafts: readonly RecordDraft[], at: string): readonly RecordDraft[] =>
  of(drafts, 'run_cancel_requested').filter(({ payload }) => payload['at'] === at);
const closing = ['cancelled', 'interrupted', 'max_steps'];

const ofSessions: Looks<RecordDraft> = {
  'a held successor': (_drafts, state) => JSON.stringify(state).includes('"held_successor"'),
  'a close-out': (drafts) => drafts.some((_draft, at) => isClosedAt(drafts, at)),
  'killed between the barriers of a close-out': (drafts) =>
    drafts.some((_draft, at) => isClosedAt(drafts, at) && drafts[at + 1]?.type === 'lineage'),
  'ended between the barriers of a close-out': (drafts, state) => {
    const stage = (state as { runs: { stage: string }[] }).runs.at(-1)?.stage ?? '';
    return drafts.at(-1)?.type === 'turn_finished' && ['cancelling', 'interrupted', 'stopped'].includes(stage);
  },
  'cancelled now': (drafts) => cancels(drafts, 'now').length > 0,
  'cancelled at the boundary': (drafts) => cancels(drafts, 'step_boundary').length > 0,
  'a cancel escalated': (drafts) =>
    cancels(drafts, 'now').some(({ payload }) =>
      cancels(drafts, 'step_boundary').some((first) => first.payload['run_id'] === payload['run_id']),
    ),
  'a result after a cancel': (drafts) => isAfter(drafts, 'run_cancel_requested', 'tool_result', 'run_id'),
  approved: (drafts) => of(drafts, 'approval_resolved').some(({ payload }) => payload['decision'] === 'approved'),
  denied: (drafts) => of(drafts, 'approval_resolved').some(({ payload }) => payload['decision'] === 'denied'),
  'an approval spent': (drafts) => of(drafts, 'tool_dispatch_intent').some(({ payload }) => payload['approval_seq'] !== null),
  'an approval that is never spent': (drafts) =>
    reasons(drafts).some((one) => closing.includes(String(one))) && isUnspent(drafts),
  'a steer that has its place': (drafts) => isAfter(drafts, 'steered', 'step_started', 'run_id'),
  'a steer that waits': (drafts) =>
    of(drafts, 'steered').some((steer) => !isAfter([steer, ...after(drafts, steer)], 'steered', 'step_started', 'run_id')),
  'a parallel batch with unknowns': (drafts) =>
    batches(drafts, 'parallel').some((batch) => results(drafts, batch).includes('unknown') && results(drafts, batch).length > 1),
  'a sequential batch with unknowns': (drafts) =>
    batches(drafts, 'sequential').some((batch) => results(drafts, batch).includes('unknown')),
  'a late result': (drafts) =>
    of(drafts, 'tool_batch_started').some(({ payload: { batch_id: batch } }) => {
      const own = results(drafts, batch);
      return (
        own.includes('unknown') && own.slice(own.indexOf('unknown')).some((one) => one === 'completed' || one === 'not_sent')
      );
    }),
  'indeterminate at a resume': (drafts) =>
    of(drafts, 'resume_started').some(({ payload }) => (payload['indeterminate'] as unknown[]).length > 0),
  'a step run again': (drafts) =>
    of(drafts, 'resume_started').some(({ payload }) =>
      (payload['redone'] as string[]).some((one) => one.startsWith('@step') || one.startsWith('step')),
    ),
  'calls dispatched by a resume': (drafts) =>
    of(drafts, 'resume_started').some(({ payload }) => (payload['redone'] as string[]).some((one) => one.includes('/'))),
  'an interrupting message': (drafts) => of(drafts, 'queued').some(({ payload }) => payload['delivery'] === 'interrupt'),
  'a message that was drained': (drafts) =>
    of(drafts, 'run_started').some(({ payload }) => payload['submission_id'] !== undefined),
  'a message taken back': (drafts) => of(drafts, 'retracted').length > 0,
  'a limit of steps': (drafts) => reasons(drafts).includes('max_steps'),
};

/** The first barrier of a close-out ends here: the batch and its turn are finished, and the run ends as closed or is not ended. */
function isClosedAt(drafts: readonly RecordDraft[], at: number): boolean {
  const turn = drafts[at];
  if (turn?.type !== 'turn_finished' || drafts[at - 1]?.type !== 'tool_batch_finished') return false;
  const next = after(drafts, turn).find(({ type }) => type === 'step_started' || type === 'run_finished');
  return next?.type === 'run_finished' && closing.includes(String(next.payload['reason']));
}

function after(drafts: readonly RecordDraft[], draft: RecordDraft): readonly RecordDraft[] {
  return drafts.slice(drafts.indexOf(draft) + 1);
}

function isAfter(drafts: readonly RecordDraft[], first: string, then: string, member: string): boolean {
  return of(drafts, first).some((draft) =>
    after(drafts, draft).some(({ type, payload }) => type === then && payload[member] === draft.payload[member]),
  );
}

function isUnspent(drafts: readonly RecordDraft[]): boolean {
  return of(drafts, 'approval_resolved').some(
    ({ uid, payload }) =>
      payload['decision'] === 'approved' &&
      !of(drafts, 'tool_dispatch_intent').some((intent) => intent.payload['approval_seq'] === `@seq:${uid}`),
  );
}

export const situations = { calls: Object.keys(ofCalls), sessions: Object.keys(ofSessions) } as const;

export function situationsIn({ subject, drafts }: History, { state }: Account): string[] {
  if (state === undefined) return [];
  const found = <T>(looks: Looks<T>, own: readonly T[]): string[] =>
    Object.keys(looks).filter((name) => looks[name]?.(own, state));
  return subject === 'calls' ? found(ofCalls, drafts) : found(ofSessions, drafts);
}
