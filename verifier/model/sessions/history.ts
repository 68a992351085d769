/**
 * What the records of a session log say, gathered by what they belong to: runs, steps, calls, submissions. It is tolerant on purpose: a
 * record that belongs to nothing is a stray, named by G34 or G40, so that one misplaced frame does not hide what the others say. Where a
 * record may stand once and stands twice, both are kept, in the order of the log.
 */
import type { ModelStepFinished, RunStarted } from '../../contract/types.js';
import type { RecordPayloads, RecordType, SessionRecord } from '../../read/session-records.js';

/** A payload with the seq of its frame. */
export type At<T extends RecordType> = RecordPayloads[T] & { readonly seq: number };

/** The records of these types. */
export type RecordsOf<T extends RecordType> = Extract<SessionRecord, { type: T }>;

export type RunConfig = RunStarted['config'];
export type Tool = RunConfig['tools'][number];
export type Assistant = ModelStepFinished['assistant'];
export type AssistantCall = Assistant['tool_calls'][number];

/** A call that the model asked for; its records name it by run, batch and id. */
export interface Call extends AssistantCall {
  readonly key: string;
  readonly step: Step;
  readonly approvals: At<'approval_requested'>[];
  readonly answers: At<'approval_resolved'>[];
  readonly intents: At<'tool_dispatch_intent'>[];
  readonly results: At<'tool_result'>[];
  readonly noDispatches: At<'tool_no_dispatch'>[];
}

export interface Batch {
  readonly started: At<'tool_batch_started'>;
  /** Where each planned call stands in the plan, by its id. */
  readonly places: ReadonlyMap<string, number>;
  finished?: At<'tool_batch_finished'>;
}

/** One model step; one that was interrupted and run again is two. */
export interface Step {
  readonly id: string;
  readonly batchId: string;
  readonly seq: number;
  readonly run: Run;
  readonly watermark: number;
  /** Under `intent`. */
  readonly attempts: At<'model_attempt_started'>[];
  /** Informational: nothing is decided from them. */
  readonly attemptsFinished: At<'model_attempt_finished'>[];
  finished?: At<'model_step_finished'>;
  /** Among the finished steps of its run, from 1. */
  number?: number;
  /** In the order of the model's answer. */
  readonly calls: Call[];
  batch?: Batch;
  turnFinished?: At<'turn_finished'>;
}

export interface Steer {
  readonly steered: At<'steered'>;
  /** The first step whose watermark is at or past it; without one it joins at the end of the run. */
  before?: Step;
}

export interface Run {
  readonly id: string;
  /** Number of the run in the session, from 1. */
  readonly episode: number;
  readonly seq: number;
  readonly started: At<'run_started'>;
  readonly config: RunConfig;
  readonly steps: Step[];
  /** In the order of the log, of which the first `placed` have their place. */
  readonly steers: Steer[];
  placed: number;
  readonly cancels: At<'run_cancel_requested'>[];
  readonly pauses: At<'run_paused'>[];
  readonly resumes: At<'resume_started'>[];
  finished?: At<'run_finished'>;
  /** The last step with an answer. */
  lastFinished?: Step;
  /** The last step whose calls have a plan. */
  lastBatch?: Step;
  /** Calls whose approval was asked for and not answered, in the order of the log. */
  readonly awaiting: Set<Call>;
}

export interface Submission {
  readonly queued: At<'queued'>;
  readonly retracted: At<'retracted'>[];
  /** Those that drained it. */
  readonly runs: Run[];
}

export interface History {
  /** As the first lineage frame names them; null before it. */
  sessionId: string | null;
  identity: string | null;
  readonly runs: Run[];
  readonly runsById: Map<string, Run>;
  readonly stepsById: Map<string, Step>;
  readonly callsByKey: Map<string, Call>;
  /** In the order of the log. */
  readonly submissions: Map<string, Submission>;
  lastSubmission: Submission | null;
  /** What belongs to nothing, or starts what was started before. */
  readonly strays: SessionRecord[];
  /** Inputs and placed steers, model answers, terminals of calls. */
  readonly replayed: { messages: number; model_steps: number; tool_results: number };
  /** Seq of the last lineage frame; zero before the first. */
  lastLineage: number;
  lastSeq: number;
}

export function emptyHistory(): History {
  return {
    ...{ sessionId: null, identity: null, lastSubmission: null, lastLineage: 0, lastSeq: 0, runs: [], strays: [] },
    ...{ runsById: new Map(), stepsById: new Map(), callsByKey: new Map(), submissions: new Map() },
    replayed: { messages: 0, model_steps: 0, tool_results: 0 },
  };
}

export function isInterrupt({ queued }: Submission): boolean {
  return queued.delivery === 'interrupt';
}

/** What waits for a run, in the order in which it will run: interrupting messages first, each class in log order. */
export function waitingIn({ submissions }: History): Submission[] {
  const open = [...submissions.values()].filter(({ retracted, runs }) => retracted.length === 0 && runs.length === 0);
  return [...open.filter(isInterrupt), ...open.filter((submission) => !isInterrupt(submission))];
}
