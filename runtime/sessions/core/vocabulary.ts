/** The words of the session contract that code names most: types alone. */
import type {
  ApprovalResolved,
  SessionState,
  SharedAssistant,
  SharedCallState,
  SharedFinishReason,
  SharedRunConfig,
  SharedRunStage,
  SharedSessionDrift,
  SharedSessionOperation,
  SharedSessionRefusal,
  SharedTokenUsage,
  SharedTool,
  ToolBatchStarted,
  ToolResult,
} from '../../contract/types.js';

export type RunConfig = SharedRunConfig;
export type Tool = SharedTool;
export type BatchMode = RunConfig['batch'];
export type Assistant = SharedAssistant;
/** A call as the model asked for it. */
export type ModelCall = Assistant['tool_calls'][number];
export type Usage = SharedTokenUsage;
/** A call as its batch plans it. */
export type Planned = ToolBatchStarted['planned'][number];
export type NoDispatchReason = NonNullable<Planned['reason']>;
export type ResultOutcome = ToolResult['outcome'];
export type Decision = ApprovalResolved['decision'];
export type CallState = SharedCallState;
export type RunStage = SharedRunStage;
export type SessionOperation = SharedSessionOperation;
export type FinishReason = SharedFinishReason;
export type Delivery = SessionState['queue'][number]['delivery'];
export type CancelAt = 'step_boundary' | 'now';
export type SessionDrift = SharedSessionDrift;
export type SessionRefusal = SharedSessionRefusal;
