/**
 * The record types of a session log, each with the shape of its payload. A frame as it is exported has any payload; a record is a frame
 * of a type that is known here, and its payload has been held against that type's shape.
 */
import type * as type from '../contract/types.js';
import * as shape from '../contract/session-validators.js';

export interface RecordPayloads {
  readonly lineage: type.Lineage;
  readonly run_started: type.RunStarted;
  readonly step_started: type.StepStarted;
  readonly model_attempt_started: type.ModelAttemptStarted;
  readonly model_attempt_finished: type.ModelAttemptFinished;
  readonly model_step_finished: type.ModelStepFinished;
  readonly approval_requested: type.ApprovalRequested;
  readonly approval_resolved: type.ApprovalResolved;
  readonly tool_batch_started: type.ToolBatchStarted;
  readonly tool_dispatch_intent: type.ToolDispatchIntent;
  readonly tool_no_dispatch: type.ToolNoDispatch;
  readonly tool_result: type.ToolResult;
  readonly tool_batch_finished: type.ToolBatchFinished;
  readonly turn_finished: type.TurnFinished;
  readonly resume_started: type.ResumeStarted;
  readonly steered: type.Steered;
  readonly queued: type.Queued;
  readonly retracted: type.Retracted;
  readonly run_cancel_requested: type.RunCancelRequested;
  readonly run_paused: type.RunPaused;
  readonly run_finished: type.RunFinished;
}

export type RecordType = keyof RecordPayloads;

/** One frame, as an inspector exports it. */
export type SessionFrame = Readonly<type.Frame>;

export type RecordOf<T extends RecordType> = Omit<SessionFrame, 'type' | 'payload'> & {
  readonly type: T;
  readonly payload: RecordPayloads[T];
};

/** A frame of a known type. */
export type SessionRecord = { [T in RecordType]: RecordOf<T> }[RecordType];

export const payloadShapes: { readonly [T in RecordType]: shape.Validator<RecordPayloads[T]> } = {
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

export function isRecordType(name: string): name is RecordType {
  return Object.hasOwn(payloadShapes, name);
}

/** Whether a frame that was read is of a known type: then its payload was held against its shape. */
export function isRecord(frame: SessionFrame): frame is SessionFrame & SessionRecord {
  return isRecordType(frame.type);
}
