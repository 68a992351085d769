/** What a snapshot of the small sessions did, and what the plan says of it. */
import type { Answer, Plan } from '../../contract/types.js';
import type { Expectation, Kill, PlannedSnapshot } from '../../read/plan.js';
import type { SessionBook } from './book.js';
import type { ScenarioName, ScriptName } from './scenario.js';

export type SessionRefusal = NonNullable<Answer['session_refusal']>;

/** One of several processes that acted on one session. */
export interface MemberRan {
  readonly id: string;
  readonly pid: number;
  readonly refusal?: SessionRefusal | 'OwnerAlive';
  readonly failed?: boolean;
  /** What it had recorded in the folder that was moved away from it. */
  readonly movedAway?: SessionBook;
}

export interface Ran {
  readonly book: SessionBook;
  readonly role: 'produce' | 'resume' | 'restart';
  readonly kill: Kill;
  readonly expect: PlannedSnapshot['expect'];
  readonly provider?: ScriptName;
  /** Without one it is that of the book. */
  readonly scenario?: ScenarioName;
  readonly refusal?: SessionRefusal;
  /** The snapshot that it continues; without one the producer. */
  readonly from?: string;
  readonly operation?: NonNullable<PlannedSnapshot['operation']>;
  readonly input?: Record<string, unknown>;
  readonly crash?: NonNullable<Plan['cases'][number]['arms'][number]['crash']>;
  readonly members?: readonly MemberRan[];
}

export type Story = Record<string, Ran>;

/** The figures that a plan of sessions predicts. */
export function figures(ended: Expectation['ended'], outcome: Expectation['outcome'], { frames, provider }: SessionBook) {
  const received = provider.lines.filter((line) => line.kind === 'received');
  const model = received.filter(({ path }) => path === '/v1/chat/completions').length;
  const effects = provider.lines.filter((line) => line.kind === 'settled' && line.effect !== null).length;
  const requests = { receipts: received.length, model_requests: model, tool_requests: received.length - model };
  return { ended, events: frames.length, ...requests, effects, outcome };
}

type Session = NonNullable<Plan['cases'][number]['expect']['session']>;

/** What the log says of its only run. */
export function run(
  stage: Session['runs'][number]['stage'],
  next_operation: Session['next_operation'],
  reason: Session['runs'][number]['reason'] = null,
): { session: Session } {
  return { session: { next_operation, runs: [{ run_id: 'run-a', stage, next_operation, reason }] } };
}
