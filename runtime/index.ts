/**
 * killpoint's runtime: model calls on a durable ledger.
 *
 * Open a state folder, record a task, compile a context, call a model. Kill the process at any moment, open the folder again:
 * `workState` says what is known and what is safe next, each operation that it names has a method, and `recover` carries them out until a
 * person is needed. Whatever the record does not name is refused, with nothing appended and nothing sent.
 *
 * Fault model: process crash. The intent of every request is durable, names included, before its first byte leaves.
 */
export { openRuntime, type Runtime } from './api/runtime.js';
export type { RuntimeOptions } from './api/options.js';
export { openReader, type Reader, type ReaderOptions } from './api/reader.js';
export type { CallOutcome } from './calls/call.js';
export type { CompiledContext, FanOut } from './calls/context.js';
export type { OfferedContext } from './calls/offered.js';
export type { CommitMode } from './calls/committer.js';
export type { ResumeOptions } from './recovery/resume.js';
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
} from './recovery/options.js';
export type { Claim, Judgement, Objective } from './calls/task.js';
export type { OfferedItem } from './core/compile.js';
export type { Artifact, Draft, LedgerEvent } from './core/events.js';
export type { CarriedOut, Drift, Operation, RetryPolicy, Tool } from './core/vocabulary.js';
export {
  CompilationFailed,
  EffectUnknown,
  KeyConflict,
  OwnerAlive,
  PreparationFailed,
  RecoveryRefused,
  ResumeRefused,
  RuntimeError,
  type RuntimeErrorCode,
} from './core/errors.js';
export type { WorkState } from './contract/types.js';
export type { Settings } from './store/connection.js';
export type { Delivery, Transport, WireRequest } from './wire/transport.js';
