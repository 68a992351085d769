/**
 * The public runtime: one state folder, opened, and the operations on it.
 *
 * It holds no logic of its own; each operation is one call into the floor that decides it. Reading needs no lease; the first act
 * takes it and `close` gives it back.
 */
import { resolve } from 'node:path';
import type { WorkState } from '../../contract/types.js';
import type { LedgerEvent } from '../core/events.js';
import type { CarriedOut } from '../core/vocabulary.js';
import { projectWorkState } from '../core/work-state.js';
import type { Settings } from '../ledger/connection.js';
import { openStateFolder } from '../ledger/state-folder.js';
import { call, type CallOutcome } from '../live/call.js';
import { Committer } from '../live/committer.js';
import { configFrom, demandDirectory } from './config.js';
import type { Config } from '../live/config.js';
import { compile, compileFanOut, type CompiledContext, type FanOut } from '../live/context.js';
import type { OfferedContext } from '../live/offered.js';
import type { RuntimeOptions } from './options.js';
import type { WantedCall } from '../live/prepare.js';
import { acceptDuplicate } from '../recovery/accept-duplicate.js';
import { dryRun } from '../recovery/dry-run.js';
import { finalize } from '../recovery/finalize.js';
import { fixCall } from '../recovery/fix-call.js';
import { fixCompilation } from '../recovery/fix-compilation.js';
import { judgeProjected } from '../recovery/check-and-accept.js';
import { reconcile } from '../recovery/reconcile.js';
import { recompile } from '../recovery/recompile.js';
import { recover } from '../recovery/recover.js';
import { redecide } from '../recovery/redecide.js';
import { reinterpret } from '../recovery/reinterpret.js';
import { checkResume, resumeCall, type ResumeOptions } from '../recovery/resume.js';
import { startNextAttempt } from '../recovery/start-next-attempt.js';
import type {
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
  Stopped,
} from '../recovery/options.js';
import {
  createTask,
  demandOpenTask,
  demandTask,
  judge,
  recordClaim,
  recordObjective,
  type Claim,
  type Judgement,
  type Objective,
  type Verdict,
} from '../live/task.js';

export interface TaskSummary {
  taskId: string;
  title: string;
  stage: WorkState['task']['stage'];
  nextOperation: WorkState['task']['next_operation'];
}

/**
 * An open runtime. Every method throws `RuntimeError`; its `code` says what happened, its message what to do. Acting methods throw
 * `OwnerAlive` while another process owns the folder.
 */
export class Runtime {
  private readonly inFlight = new Map<string, Promise<unknown>>();

  /** Use `openRuntime`. */
  constructor(
    private readonly committer: Committer,
    private readonly config: Config,
  ) {}

  /** Durability as read back on the connection in use. */
  get settings(): Settings {
    return this.committer.settings;
  }

  /** Throws `task-exists` for an id that the ledger holds already. */
  createTask(task: { taskId: string; title: string }): void {
    createTask(this.committer, task.taskId, task.title);
  }

  /** Records what a task is for. Throws `task-unknown`, or `task-ended` for one that was judged. */
  recordObjective(taskId: string, objective: Objective): void {
    recordObjective(this.committer, taskId, objective);
  }

  /** Records what is taken for true in a task, and on what basis. Throws as `recordObjective` does. */
  recordClaim(taskId: string, claim: Claim): void {
    recordClaim(this.committer, taskId, claim);
  }

  /** Records the offered inventory and compiles it. Throws `CompilationFailed` after the failure is on record. */
  compile(taskId: string, context: OfferedContext): CompiledContext {
    this.committer.own();
    demandOpenTask(this.committer, taskId);
    return compile(this.committer, this.config, taskId, context);
  }

  /** Records several inventories of one task together, and compiles each: a failure is recorded and told, and ends nothing. */
  compileFanOut(taskId: string, contexts: readonly OfferedContext[]): FanOut {
    this.committer.own();
    demandOpenTask(this.committer, taskId);
    return compileFanOut(this.committer, this.config, taskId, contexts);
  }

  /**
   * Calls the model. A completed call with the same key and the same request is answered from the ledger.
   * Resolves also when the provider's last answer was an error (`outcome: 'failed'`). Rejects with `KeyConflict` (the key names
   * another request), `PreparationFailed` (recorded; nothing was sent) or `EffectUnknown` (the request may have been served).
   */
  call(wanted: WantedCall): Promise<CallOutcome> {
    return this.oneAtATime(wanted.idempotencyKey, () => call(this.committer, this.config, wanted));
  }

  /** The seven answers about a task: a pure function of the events. */
  workState(taskId: string): WorkState {
    demandTask(this.committer, taskId);
    return projectWorkState(this.committer.history, taskId) as WorkState;
  }

  /** Every task of the ledger, in the order of their creation, with what it asks for. */
  tasks(): TaskSummary[] {
    return [...this.committer.history.tasks.values()].map(({ id, title, stage }) => {
      return { taskId: id, title, stage, nextOperation: this.workState(id).task.next_operation };
    });
  }

  /** Every event of the ledger, as this runtime knows it. */
  events(): readonly LedgerEvent[] {
    return this.committer.history.events;
  }

  /** The bytes of an artifact, or null. */
  artifact(sha256: string): Buffer | null {
    return this.committer.artifact(sha256);
  }

  /**
   * Runs a call whose record proves that no effect was possible, as a new call linked to the old one, under the same key.
   * Rejects with `ResumeRefused` otherwise, with nothing appended and nothing sent; with code `overtaken` when the ledger has
   * grown since `workState` was read.
   */
  resumeCall(callId: string, options: ResumeOptions = {}): Promise<CallOutcome> {
    return this.withKeyOf(callId, () => resumeCall(this.committer, this.config, callId, options));
  }

  /** Throws what `resumeCall` would refuse with, and does nothing else. */
  checkResume(callId: string, options: ResumeOptions = {}): void {
    checkResume(this.committer, this.config, callId, options);
  }

  /** Compiles a context that was asked for and never ended, from its record. Throws `CompilationFailed` after recording it. */
  recompile(compilationId: string, options: OperationOptions = {}): CompiledContext {
    return recompile(this.committer, compilationId, options);
  }

  /** Takes the place of a compilation that failed, with other inputs. Throws `CompilationFailed` after recording it. */
  fixCompilation(compilationId: string, context: OfferedContext, options: OperationOptions = {}): CompiledContext {
    return fixCompilation(this.committer, this.config, compilationId, context, options);
  }

  /** Takes the place of a call that could not be prepared, under the same key and with other inputs. Ends as `call` does. */
  fixCall(callId: string, inputs: FixedCall, options: OperationOptions = {}): Promise<CallOutcome> {
    return this.withKeyOf(callId, () => fixCall(this.committer, this.config, callId, inputs, options));
  }

  /** Reads the stored response again, by the recorded version of the interpreter or the one named. Earlier readings stay. */
  reinterpret(callId: string, options: ReinterpretOptions = {}): Reinterpreted {
    return reinterpret(this.committer, callId, options);
  }

  /** Applies the recorded retry policy to the interpreted response. */
  redecide(callId: string, options: OperationOptions = {}): Redecided {
    return redecide(this.committer, callId, options);
  }

  /**
   * Starts the attempt that the record makes lawful: by the recorded policy, a finding, an honoured key or an accepted duplicate.
   * Rejects with `EffectUnknown` as `call` does.
   */
  startNextAttempt(callId: string, options: OperationOptions = {}): Promise<CallOutcome | Stopped> {
    return this.withKeyOf(callId, () => startNextAttempt(this.committer, this.config, callId, options));
  }

  /** Closes a call about whose last attempt everything is known, or one for which nothing is to be sent since another was answered under its key. */
  finalize(callId: string, options: OperationOptions = {}): CallOutcome {
    return finalize(this.committer, callId, options);
  }

  /** Records what became of an effect that is unknown: as the provider tells it, or as an operator states it. */
  reconcile(callId: string, options: ReconcileOptions = {}): Promise<Reconciled> {
    return this.withKeyOf(callId, () => reconcile(this.committer, this.config, callId, options));
  }

  /** Records the decision that one later attempt may pay again for what may have been paid for. That attempt spends it. */
  acceptDuplicate(callId: string, decision: { by: string; note: string }, options: OperationOptions = {}): { seq: number } {
    return acceptDuplicate(this.committer, callId, decision, options);
  }

  /** With options it is a recovery's: refused unless the record asks for it. */
  accept(taskId: string, judgement: Judgement, options?: OperationOptions): void {
    this.judge(taskId, 'accepted', judgement, options);
  }

  /** With options it is a recovery's: refused unless the record asks for it. */
  reject(taskId: string, judgement: Judgement, options?: OperationOptions): void {
    this.judge(taskId, 'rejected', judgement, options);
  }

  /**
   * Carries out what the task asks for, again and again, until it asks for nothing or for a person. Without an id it is the first task
   * that needs no person, else the first that asks for something. Where nothing is left it does nothing. Rejects with `RecoveryRefused` where only a person can go on, and with `EffectUnknown`.
   */
  async recover(taskId?: string, options: RecoverOptions = {}): Promise<Recovered> {
    this.committer.look();
    return recover(this, taskId, options);
  }

  /** What an operation would append and send. Throws what it would refuse with, and does nothing else. */
  dryRun(operation: CarriedOut | 'recover', id: string | null, options: DryRunOptions = {}): DryRun {
    return dryRun(this.committer, this.config, operation, id, options);
  }

  /** Closes the ledger and gives up the lease. What is under way is given up too, and rejects with `EffectUnknown`. */
  close(): void {
    this.committer.close();
  }

  private judge(taskId: string, verdict: Verdict, judgement: Judgement, options: OperationOptions | undefined): void {
    if (options === undefined) judge(this.committer, taskId, verdict, judgement);
    else judgeProjected(this.committer, taskId, verdict, judgement, options);
  }

  private withKeyOf<T>(callId: string, run: () => Promise<T>): Promise<T> {
    return this.oneAtATime(this.committer.history.calls.get(callId)?.request.idempotency_key ?? '', run);
  }

  /** A second act under a key waits for the first and is then answered by it, or judged by what it left. */
  private async oneAtATime<T>(key: string, run: () => Promise<T>): Promise<T> {
    for (let earlier = this.inFlight.get(key); earlier !== undefined; earlier = this.inFlight.get(key))
      await earlier.catch(() => undefined);
    const running = run();
    this.inFlight.set(key, running);
    try {
      return await running;
    } finally {
      this.inFlight.delete(key);
    }
  }
}

/**
 * Opens a state folder.
 *
 * Throws `RuntimeError`: `state-absent`, `directory-foreign`, `ledger-missing`, `ledger-damaged`, `version-newer`,
 * `state-unreadable`, `state-wrong-kind`, `files-exhausted`, `state-unfinished`, `state-unwritable`, `file-system-unsafe`, `owner-alive`,
 * `lease-unreadable`, `ledger-busy`, `settings-weak`, `sqlite-defective` or `input-invalid`.
 *
 * A folder that could not be read is never taken for an absent one, and nothing is changed in it. Each reason has its own code: it is locked
 * (`ledger-busy`; by its owner, when acting, `owner-alive`), may not be read (`state-unreadable`; its lease alone, when acting,
 * `lease-unreadable`), may be read and not written (`state-unwritable`), is missing (`state-absent`; its ledger alone `ledger-missing`, its format record `state-unfinished`), is of
 * another kind, say a pipe (`state-wrong-kind`), or too many files are open (`files-exhausted`).
 */
export function openRuntime(options: RuntimeOptions): Runtime {
  const config = configFrom(options);
  demandDirectory(options.directory);
  const directory = resolve(options.directory);
  const { ledger, lease } = openStateFolder(directory, options.create ?? false);
  const committer = new Committer(directory, ledger, lease, options.commit ?? 'grouped', options.onCommitted ?? null);
  return new Runtime(committer, config);
}
