/**
 * killpoint's runtime: model calls on a durable ledger, and sessions of a model and its tools on a durable log.
 *
 * Open a state folder, record a task, compile a context, call a model. Kill the process at any moment, open the folder again:
 * `workState` says what is known and what is safe next, each operation that it names has a method, and `recover` carries them out until a
 * person is needed. Whatever the record does not name is refused, with nothing appended and nothing sent.
 *
 * `openSession` opens or creates a session: send a message, and it asks the model and dispatches the tools. Kill it at any moment, open it
 * again: `resume` takes up what never left, closes what nobody can know, and is refused where nothing is open; `recover` may be said at any time.
 *
 * Fault model: process crash. The intent of every request is durable, names included, before its first byte leaves.
 */
export { openRuntime, type Runtime } from './calls/api/runtime.js';
export type { RuntimeOptions } from './calls/api/options.js';
export { openReader, type Reader, type ReaderOptions } from './calls/api/reader.js';
export type { CallOutcome } from './calls/live/call.js';
export type { CompiledContext, FanOut } from './calls/live/context.js';
export type { OfferedContext } from './calls/live/offered.js';
export type { CommitMode } from './calls/live/committer.js';
export type { ResumeOptions } from './calls/recovery/resume.js';
export type {
  DryRun,
  DryRunOptions,
  FixedCall,
  OperationOptions,
  Reconciled,
  ReconcileOptions,
  RecoverOptions,
  Recovered,
  Redecided,
  Reinterpreted,
  ReinterpretOptions,
  SettingsFrom,
  Statement,
  Stopped,
} from './calls/recovery/options.js';
export type { Claim, Judgement, Objective } from './calls/live/task.js';
export type { OfferedItem } from './calls/core/compile.js';
export type { Artifact, Draft, LedgerEvent } from './calls/core/events.js';
export type { CarriedOut, Drift, Operation, RetryPolicy, Tool } from './calls/core/vocabulary.js';
export {
  CompilationFailed,
  EffectUnknown,
  KeyConflict,
  PreparationFailed,
  RecoveryRefused,
  ResumeRefused,
} from './calls/core/refusals.js';
export { OwnerAlive, RuntimeError, type RuntimeErrorCode, type SessionErrorCode } from './core/errors.js';
export { openSession, type Session } from './sessions/api/session.js';
export type { ApprovalAnswer, SessionConfig, SessionOptions, SessionTool } from './sessions/api/options.js';
export { openSessionReader, type SessionReader } from './sessions/api/reader.js';
export type { PendingApproval, RunEnd } from './sessions/live/run-end.js';
export type { Frame } from './sessions/core/records.js';
export type {
  CancelAt,
  Decision,
  Delivery as SessionDelivery,
  FinishReason,
  SessionDrift,
  SessionOperation,
  SessionRefusal,
} from './sessions/core/vocabulary.js';
export { SessionError, SessionRefused } from './sessions/core/refusals.js';
export type { SessionState, WorkState } from './contract/types.js';
export type { Settings } from './calls/ledger/connection.js';
export type { Delivery, Transport, WireRequest } from './calls/wire/transport.js';
