/**
 * The public runtime: one state folder, opened, and the operations on it.
 *
 * It holds no logic of its own; each operation is one call into the floor that decides it. Reading needs no lease; the first act
 * takes it and `close` gives it back.
 */
import { resolve } from 'node:path';
import type { WorkState } from '../contract/types.js';
import type { OfferedItem } from '../core/compile.js';
import type { LedgerEvent } from '../core/events.js';
import { projectWorkState } from '../core/work-state.js';
import type { Settings } from '../store/connection.js';
import { openStateFolder } from '../store/state-folder.js';
import { call, type CallOutcome } from './call.js';
import { Committer } from './committer.js';
import { configFrom, demandDirectory } from './config.js';
import { compile, type CompiledContext, type Config } from './context.js';
import type { RuntimeOptions } from './options.js';
import type { WantedCall } from './prepare.js';
import { checkResume, resumeCall, type ResumeOptions } from './resume.js';
import { createTask, demandOpenTask, demandTask, judge, type Judgement } from './task.js';

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
  private readonly inFlight = new Map<string, Promise<CallOutcome>>();

  /** Use `openRuntime`. */
  constructor(
    private readonly committer: Committer,
    private readonly config: Config,
    /** Durability as read back on the connection in use. */
    readonly settings: Settings,
  ) {}

  createTask(task: { taskId: string; title: string }): void {
    createTask(this.committer, task.taskId, task.title);
  }

  recordObjective(taskId: string, objective: { objectiveId: string; statement: string }): void {
    this.committer.own();
    demandOpenTask(this.committer, taskId);
    const payload = { objective_id: objective.objectiveId, statement: objective.statement };
    this.committer.commit([{ type: 'objective.recorded', task_id: taskId, payload }]);
  }

  recordClaim(taskId: string, claim: { claimId: string; statement: string; basis: string }): void {
    this.committer.own();
    demandOpenTask(this.committer, taskId);
    const payload = { claim_id: claim.claimId, statement: claim.statement, basis: claim.basis };
    this.committer.commit([{ type: 'claim.recorded', task_id: taskId, payload }]);
  }

  /** Records the offered inventory and compiles it. Throws `CompilationFailed` after the failure is on record. */
  compile(taskId: string, context: { items: readonly OfferedItem[]; requiredIds: readonly string[] }): CompiledContext {
    this.committer.own();
    demandOpenTask(this.committer, taskId);
    return compile(this.committer, this.config, taskId, context.items, context.requiredIds);
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
    const key = this.committer.history.calls.get(callId)?.request.idempotency_key ?? '';
    return this.oneAtATime(key, () => resumeCall(this.committer, this.config, callId, options));
  }

  /** Throws what `resumeCall` would refuse with, and does nothing else. */
  checkResume(callId: string, options: ResumeOptions = {}): void {
    checkResume(this.committer, this.config, callId, options);
  }

  accept(taskId: string, judgement: Judgement): void {
    judge(this.committer, taskId, 'accepted', judgement);
  }

  reject(taskId: string, judgement: Judgement): void {
    judge(this.committer, taskId, 'rejected', judgement);
  }

  /** Closes the ledger and gives up the lease. What is under way is given up too, and rejects with `EffectUnknown`. */
  close(): void {
    this.committer.close();
  }

  /** A second call under a key waits for the first and is then answered by it, or judged by what it left. */
  private async oneAtATime(key: string, run: () => Promise<CallOutcome>): Promise<CallOutcome> {
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
 * `state-unreadable`, `state-unfinished`, `state-unwritable`, `owner-alive`, `lease-unreadable`, `ledger-busy`, `settings-weak`,
 * `sqlite-defective` or `input-invalid`.
 */
export function openRuntime(options: RuntimeOptions): Runtime {
  const config = configFrom(options);
  demandDirectory(options.directory);
  const directory = resolve(options.directory);
  const { ledger, lease } = openStateFolder(directory, options.create ?? false);
  const committer = new Committer(directory, ledger, lease, options.commit ?? 'grouped', options.onCommitted ?? null);
  return new Runtime(committer, config, ledger.settings);
}
