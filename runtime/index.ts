/**
 * killpoint's runtime: model calls on a durable ledger.
 *
 * Open a state folder, record a task, compile a context, call a model. Kill the process at any moment, open the folder again:
 * `workState` says what is known and what is safe next, `resumeCall` acts only where no effect was possible.
 *
 * Fault model: process crash. The intent of every request is durable, names included, before its first byte leaves.
 */
export { openRuntime, type Runtime } from './calls/runtime.js';
export type { RuntimeOptions } from './calls/options.js';
export { openReader, type Reader, type ReaderOptions } from './calls/reader.js';
export type { CallOutcome } from './calls/call.js';
export type { CompiledContext } from './calls/context.js';
export type { CommitMode } from './calls/committer.js';
export type { ResumeOptions } from './calls/resume.js';
export type { Judgement } from './calls/task.js';
export type { OfferedItem } from './core/compile.js';
export type { Artifact, Draft, LedgerEvent } from './core/events.js';
export type { Drift, Operation, RetryPolicy } from './core/vocabulary.js';
export {
  CompilationFailed,
  EffectUnknown,
  KeyConflict,
  OwnerAlive,
  PreparationFailed,
  ResumeRefused,
  RuntimeError,
  type RuntimeErrorCode,
} from './core/errors.js';
export type { WorkState } from './contract/types.js';
export type { Settings } from './store/connection.js';
export type { Delivery, Transport, WireRequest } from './wire/transport.js';
