/**
 * What a snapshot of the small bundle did, and what the plan says of it.
 */
import type { Answer, Plan } from '../contract/types.js';
import type { Expectation, PlannedSnapshot, Kill } from '../read/plan.js';
import type { scenarios } from './scenario.js';
import type { Book } from './world.js';

export type Refusal = NonNullable<Answer['refusal']>;

/** What a plan predicts of a refusal. */
export function predicted({ call_id: _call, ...rest }: Refusal): Omit<Refusal, 'call_id'> {
  return rest;
}

/** One of several processes that acted on one state. */
export interface MemberRan {
  readonly id: string;
  readonly pid: number;
  readonly operations?: readonly string[];
  readonly refusal?: Refusal;
  readonly failed?: boolean;
  /** What it had recorded in the folder that was moved away from it. */
  readonly movedAway?: Book;
}

export interface Ran {
  readonly book: Book;
  readonly role: 'produce' | 'resume' | 'restart';
  readonly kill: PlannedSnapshot['kill'];
  /** What a tracer told of it, without the pid: the calls, of which the last one never came back after a kill, or failed by the tracer. */
  readonly trace?: { readonly calls: readonly string[]; readonly armed?: string; readonly failed?: true };
  /** Under power loss: the last event of each commit, and how many commits come before its request. */
  readonly loss?: { readonly commits: readonly number[]; readonly before: number };
  /** Its state was never finished. */
  readonly unfinished?: true;
  /** Of a snapshot that a crash model stands for only what the contract says of it. */
  readonly expect: PlannedSnapshot['expect'];
  /** The script that the provider follows; without one it answers. */
  readonly provider?: keyof typeof scripts;
  /** Without one it is that of a review. */
  readonly scenario?: keyof typeof scenarios;
  readonly refusal?: Refusal;
  readonly egress?: number;
  /** The snapshot that it continues; without one the producer. */
  readonly from?: string;
  readonly operation?: NonNullable<PlannedSnapshot['operation']>;
  readonly input?: Record<string, unknown>;
  readonly operations?: readonly string[];
  readonly crash?: NonNullable<Plan['cases'][number]['arms'][number]['crash']>;
  readonly members?: readonly MemberRan[];
  /** The arm that stands for it in the plan. */
  readonly partOf?: string;
}

export type Story = Record<string, Ran>;

const answers = { do: 'answer' } as const;
const ignores = { key: 'ignore', otherwise: answers, requests: [] } as const;
export const scripts = {
  answers: { ...ignores, requests: [] },
  holds: { ...ignores, requests: [{ do: 'hold', effect: 'committed' }] },
  honours: { key: 'honour', otherwise: answers, requests: [{ do: 'drop', when: 'after_commit' }] },
  tells: { ...ignores, requests: [], lookup: { otherwise: { do: 'tell' }, requests: [] } },
  lags: { ...ignores, requests: [], lookup: { otherwise: { do: 'not_found' }, requests: [] } },
  delays: { ...ignores, requests: [{ do: 'delay_arrival' }] },
  fences: { ...ignores, requests: [], fence: true, arrivals: { after_questions: 1 } },
} satisfies Plan['providers'];

export const at = (checkpoint: string, occurrence = 1): Kill => ({ at: 'checkpoint', checkpoint, occurrence });

/** The figures that a plan always predicts. */
export function figures(ended: Expectation['ended'], outcome: Expectation['outcome'], { events, provider }: Book) {
  const received = provider.lines.filter((line) => line.kind === 'received' && !line.path.startsWith('/keys/')).length;
  const effects = provider.lines.filter((line) => line.kind === 'settled' && line.effect?.replayed === false).length;
  return { ended, events: events.length, receipts: received, effects, outcome };
}
