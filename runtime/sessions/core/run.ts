/**
 * What the log says of one run, as values: steps, their batches, the calls in them, steers, approvals.
 *
 * Only the fold writes these; whoever decides reads them. Every member that a request depends on carries the seq of its record, so that a
 * prefix of the log can be rendered without folding it again.
 */
import type {
  Assistant,
  BatchMode,
  CancelAt,
  Decision,
  Delivery,
  FinishReason,
  ModelCall,
  NoDispatchReason,
  Planned,
  ResultOutcome,
  RunConfig,
  Tool,
  Usage,
} from './vocabulary.js';

export interface Run {
  readonly sessionId: string;
  readonly runId: string;
  /** Number of the run in the session, from 1. */
  readonly episode: number;
  readonly startedSeq: number;
  readonly config: RunConfig;
  readonly input: string;
  /** The queued message that this run drains. */
  readonly submissionId: string | null;
  readonly steps: readonly Step[];
  readonly steers: readonly Steer[];
  /** What was asked for last and strongest. */
  readonly cancel: CancelAt | null;
  readonly finished: Finished | null;
}

export interface Finished {
  readonly seq: number;
  readonly reason: FinishReason;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly usage: Usage;
}

export interface Steer {
  readonly seq: number;
  readonly text: string;
}

/** One `step_started`. A step that was cut off before its answer stays here; its repetition is a step of its own. */
export interface Step {
  readonly stepId: string;
  readonly batchId: string;
  readonly seq: number;
  readonly watermark: number;
  /** How many `model_attempt_started` it has; always 0 under `rerun`. */
  readonly attempts: number;
  readonly answer: Answer | null;
  /** One for each call of the answer, in its order. */
  readonly calls: readonly ToolCall[];
  readonly batch: Batch | null;
  readonly turnFinishedSeq: number | null;
}

export interface Answer {
  readonly seq: number;
  readonly assistant: Assistant;
  readonly usage: Usage | null;
}

export interface Batch {
  readonly mode: BatchMode;
  readonly finishedSeq: number | null;
}

export interface ToolCall {
  /** Idempotency key. */
  readonly key: string;
  /** Place in the model's answer. */
  readonly index: number;
  readonly call: ModelCall;
  /** The tool of that name; null where there is none. */
  readonly tool: Tool | null;
  readonly approval: Approval | null;
  /** Null before there is a batch. */
  readonly planned: Planned | null;
  readonly intent: { readonly seq: number } | null;
  readonly terminal: Terminal | null;
}

export interface Approval {
  readonly requestSeq: number;
  readonly answer: { readonly seq: number; readonly decision: Decision; readonly by: string } | null;
}

export type Terminal =
  | {
      readonly kind: 'result';
      readonly seq: number;
      readonly outcome: ResultOutcome;
      readonly output: string;
    }
  | { readonly kind: 'no_dispatch'; readonly seq: number; readonly reason: NoDispatchReason };

export interface Waiting {
  readonly submissionId: string;
  readonly seq: number;
  readonly text: string;
  readonly delivery: Delivery;
}

/** What an id names, and what became of it. Each names one message of the session: an input, one that was queued, or a steer. */
export type Message =
  /** It started a run, whether it was queued before or not. */
  | { readonly became: 'run'; readonly text: string; readonly run: Run }
  /** It joined a run. */
  | { readonly became: 'steer'; readonly text: string; readonly run: Run }
  | ({ readonly became: 'waiting' } & Waiting)
  | { readonly became: 'retracted'; readonly text: string };

/** The last step that was started. */
export function lastStep(run: Run): Step | undefined {
  return run.steps.at(-1);
}

/** Steps that have an answer: what `max_steps` counts. */
export function answeredSteps(run: Run): number {
  return run.steps.filter(({ answer }) => answer !== null).length;
}

/** Nobody can know whether such a call happened, and its tool declares that this does not matter. */
export function mayGoOn({ tool }: ToolCall): boolean {
  return tool?.on_unknown === 'continue' && (tool.safety === 'idempotent' || tool.safety === 'pure');
}

/** Usage of the whole run so far; a step without figures counts as nothing. */
export function usageOf(run: Run): Usage {
  const sum = (member: keyof Usage): number =>
    // A sum beyond the safe integers could not be recorded.
    Math.min(
      Number.MAX_SAFE_INTEGER,
      run.steps.reduce((total, { answer }) => total + (answer?.usage?.[member] ?? 0), 0),
    );
  return { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') };
}
