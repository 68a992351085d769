/**
 * The records of a session log as types: what each carries, what it requires of a reader, and how large it may be.
 *
 * Shapes, kinds, caps and gates come from the data contract. A draft is a record before it has a place in the log; the log alone writes
 * lineage frames.
 */
import { features as featureTable, sessionLogV1 } from '../../contract/data.js';
import * as shape from '../../contract/session-validators.js';
import type * as contract from '../../contract/types.js';

/** One frame as it stands in the log. Its type may be one that this version does not know: `isKnown` narrows it. */
export type Frame = contract.Frame;

export interface Payloads {
  lineage: contract.Lineage;
  run_started: contract.RunStarted;
  step_started: contract.StepStarted;
  model_attempt_started: contract.ModelAttemptStarted;
  model_attempt_finished: contract.ModelAttemptFinished;
  model_step_finished: contract.ModelStepFinished;
  approval_requested: contract.ApprovalRequested;
  approval_resolved: contract.ApprovalResolved;
  tool_batch_started: contract.ToolBatchStarted;
  tool_dispatch_intent: contract.ToolDispatchIntent;
  tool_no_dispatch: contract.ToolNoDispatch;
  tool_result: contract.ToolResult;
  tool_batch_finished: contract.ToolBatchFinished;
  turn_finished: contract.TurnFinished;
  resume_started: contract.ResumeStarted;
  steered: contract.Steered;
  queued: contract.Queued;
  retracted: contract.Retracted;
  run_cancel_requested: contract.RunCancelRequested;
  run_paused: contract.RunPaused;
  run_finished: contract.RunFinished;
}

export type FrameType = keyof Payloads;
export type RecordType = Exclude<FrameType, 'lineage'>;
export type Kind = Frame['kind'];

/** A frame of a type that this version knows: a union by `type`. */
export type KnownFrame = { [T in FrameType]: Frame & { type: T; payload: Payloads[T] } }[FrameType];
export type FrameOf<T extends FrameType> = Extract<KnownFrame, { type: T }>;

/** A record without its place, of any type. */
export type Told = { [T in FrameType]: { type: T; payload: Payloads[T] } }[FrameType];
/** What a caller may append. */
export type Draft = { [T in RecordType]: { type: T; payload: Payloads[T] } }[RecordType];
export type DraftOf<T extends RecordType> = Extract<Draft, { type: T }>;

const shapes: { [T in FrameType]: shape.Validator<Payloads[T]> } = {
  lineage: shape.validateLineage,
  run_started: shape.validateRunStarted,
  step_started: shape.validateStepStarted,
  model_attempt_started: shape.validateModelAttemptStarted,
  model_attempt_finished: shape.validateModelAttemptFinished,
  model_step_finished: shape.validateModelStepFinished,
  approval_requested: shape.validateApprovalRequested,
  approval_resolved: shape.validateApprovalResolved,
  tool_batch_started: shape.validateToolBatchStarted,
  tool_dispatch_intent: shape.validateToolDispatchIntent,
  tool_no_dispatch: shape.validateToolNoDispatch,
  tool_result: shape.validateToolResult,
  tool_batch_finished: shape.validateToolBatchFinished,
  turn_finished: shape.validateTurnFinished,
  resume_started: shape.validateResumeStarted,
  steered: shape.validateSteered,
  queued: shape.validateQueued,
  retracted: shape.validateRetracted,
  run_cancel_requested: shape.validateRunCancelRequested,
  run_paused: shape.validateRunPaused,
  run_finished: shape.validateRunFinished,
};

export const recordTypes = Object.keys(shapes).filter((type) => type !== 'lineage') as RecordType[];

/** The optional member of a type that holds a time of day, where it has one. */
export const times: Readonly<Partial<Record<FrameType, string>>> = sessionLogV1.times;
const timesFeature = 'tool-times/v1';
const modelIntentFeature = 'model-intent/v1';
const gates: Readonly<Partial<Record<FrameType, string>>> = sessionLogV1.features;

/** The features that this version reads; a frame that requires another one is a newer writer's. */
export const readFeatures: ReadonlySet<string> = new Set(
  featureTable.features.filter(({ status }) => status !== 'refused').map(({ name }) => name),
);

/** A frame of a type that is not known is informational: any other was refused when it was read. */
export function isKnown(frame: Frame): frame is KnownFrame {
  return isFrameType(frame.type);
}

export function isFrameType(type: string): type is FrameType {
  return Object.hasOwn(shapes, type);
}

export function kindOf(type: FrameType): Kind {
  return sessionLogV1.records[type].kind;
}

/** The most bytes that the payload of a type may have. */
export function payloadCap(type: FrameType): number {
  return sessionLogV1.records[type].payload_cap;
}

/** What a reader must understand to read this record, sorted. A record that needs nothing has the bytes that it always had. */
export function featuresOf(draft: Draft): string[] {
  const needed: string[] = [];
  const gate = gates[draft.type];
  if (gate !== undefined) needed.push(gate);
  if (draft.type === 'run_started' && draft.payload.config.model_leg === 'intent') needed.push(modelIntentFeature);
  const time = times[draft.type];
  if (time !== undefined && Object.hasOwn(draft.payload, time)) needed.push(timesFeature);
  return needed.length < 2 ? needed : needed.sort();
}

/** What is wrong with the shape of a payload, in words; null when nothing is. */
export function shapeProblem(type: FrameType, payload: unknown): string | null {
  const validate = shapes[type] as shape.Validator<unknown>;
  if (validate(payload)) return null;
  const first = validate.errors?.[0];
  return `${first?.instancePath ? first.instancePath : 'it'} ${first?.message ?? 'has another shape'}`;
}
