/**
 * One session in one object: everything that its owner can do, on the log that it holds the lease of.
 *
 * The object is the owner from `openSession` until `close`; another process that opens the session meanwhile gets `OwnerAlive`. What a method
 * returned is durable. When the promise of `send` or `resume` settles, nothing is under way any more: the run and the queued ones that
 * followed it have ended, or wait for a person. A log that failed ends all of it: everything rejects, and nothing is sent.
 */
import { resolve } from 'node:path';
import type { SessionState } from '../../contract/types.js';
import { demand, demandMembers } from '../../core/demands.js';
import { SessionHistory } from '../core/history.js';
import { SessionRefused } from '../core/refusals.js';
import { sessionStateOf } from '../core/session-state.js';
import type { CancelAt, Delivery } from '../core/vocabulary.js';
import { Activity } from '../live/activity.js';
import { approve } from '../live/approvals.js';
import { cancel } from '../live/cancel.js';
import { queue, retract, steer } from '../live/queue.js';
import { recover, resume } from '../live/resume.js';
import type { RunEnd } from '../live/run-end.js';
import { send } from '../live/send.js';
import { Tenure } from '../live/tenure.js';
import { SessionLog, type LogOptions } from '../log/session-log.js';
import { toolPlane } from '../tools/plane.js';
import { demandOptions, runConfigOf } from './config.js';
import { demandId, demandOneOf, demandText } from './demands.js';
import type { ApprovalAnswer, SessionOptions } from './options.js';

export class Session {
  private readonly activity: Activity;

  /** @internal */
  constructor(private readonly tenure: Tenure) {
    this.activity = new Activity(tenure);
  }

  get sessionId(): string {
    return this.tenure.sessionId;
  }

  /**
   * Starts a run with a message and carries it to its end, or until a person must answer; then the queued ones that may follow. `runId` is
   * the idempotency key: the same text under it is the same message, whichever way it was sent, and is answered with what became of it; another
   * text is refused. A run that nobody carries on is closed out first. While a run goes on here, the message is queued (default), steers
   * the run, or is queued in front and ends the run at its boundary.
   */
  async send(message: { runId: string; text: string; delivery?: 'steer' | 'queue' | 'interrupt' }): Promise<RunEnd> {
    demandMembers('message', message, ['runId', 'text', 'delivery'], '');
    const { runId, text, delivery = 'queue' } = message;
    demandId('runId', runId);
    demandText('text', text);
    demandOneOf('delivery', delivery, ['steer', 'queue', 'interrupt']);
    return send(this.tenure, this.activity, { runId, text, delivery });
  }

  /** Carries out what the record leaves open. Refuses where nothing is (`nothing_open`), or a person must answer first (`approval_needed`). */
  async resume(): Promise<RunEnd> {
    return resume(this.tenure, this.activity);
  }

  /**
   * As `resume`, and may be said at any time: `idle` where nothing is left, `paused` where a person must answer first. It also runs the
   * messages that wait for their owner.
   */
  async recover(): Promise<RunEnd> {
    return recover(this.tenure, this.activity);
  }

  /** Adds a message to the open run: at its next step, or at its end. The same `sendId` with the same text is the same message. */
  steer(message: { text: string; sendId?: string | null }): void {
    demandMembers('message', message, ['text', 'sendId'], '');
    const { text, sendId = null } = message;
    demandText('text', text);
    if (sendId !== null) demandId('sendId', sendId);
    steer(this.tenure, { text, sendId });
  }

  /** Leaves a message that waits for a run of its own. `interrupt` goes first, and ends the open run at its boundary. */
  queue(message: { submissionId: string; text: string; delivery?: Delivery }): void {
    demandMembers('message', message, ['submissionId', 'text', 'delivery'], '');
    const { submissionId, text, delivery = 'plain' } = message;
    demandId('submissionId', submissionId);
    demandText('text', text);
    demandOneOf('delivery', delivery, ['plain', 'interrupt']);
    queue(this.tenure, { submissionId, text, delivery });
  }

  /** Takes back a message that no run has drained. */
  retract(submissionId: string): void {
    demandId('submissionId', submissionId);
    retract(this.tenure, submissionId);
  }

  /** Answers a question about a call, once. `resume` then goes on. */
  approve(answer: ApprovalAnswer): void {
    demandMembers('answer', answer, ['key', 'toolCallId', 'decision', 'by'], '');
    const { key, toolCallId, decision, by } = answer;
    demand(
      (key === undefined) !== (toolCallId === undefined),
      'An answer names its call by key or by toolCallId, and by one of them.',
    );
    if (key !== undefined) demandText('key', key);
    else demandText('toolCallId', toolCallId);
    demandOneOf('decision', decision, ['approved', 'denied']);
    demandText('by', by);
    const on = key === undefined ? { toolCallId: toolCallId as string } : { key };
    approve(this.tenure, { on, decision, by });
  }

  /** Asks the open run to end: when its step and its batch are done, or now. Where nobody carries it on, the next resume or send seals it. */
  cancel(wanted: { at: CancelAt }): void {
    demandMembers('wanted', wanted, ['at'], '');
    const { at } = wanted;
    demandOneOf('at', at, ['step_boundary', 'now']);
    cancel(this.tenure, at);
  }

  state(): SessionState {
    return sessionStateOf(this.tenure.history);
  }

  /** Ends what is under way as a crash would, makes the log durable and gives the lease back. */
  close(): void {
    this.tenure.close();
  }
}

/**
 * Opens a session, or creates it where the caller asks for that.
 *
 * Throws `OwnerAlive`, `SessionError` (`log-damaged`, `newer-writer`, `log-missing`), `SessionRefused` where the folder is another
 * session's, and `RuntimeError` for a folder or options that cannot be used.
 */
export function openSession(folder: string, options: SessionOptions = {}): Session {
  demandText('folder', folder);
  demandOptions(options);
  const { sessionId, create = false, providerUrl = null, toolEnvironment: environment = {} } = options;
  const config = options.config == null ? null : runConfigOf(options.config);
  const history = new SessionHistory();
  const logOptions: LogOptions = {
    commit: options.commit ?? 'grouped',
    ceilingBytes: options.ceilingBytes ?? null,
    ...(options.floorFolder != null && { floorFolder: resolve(options.floorFolder) }),
    onFrame: (frame) => history.apply(frame),
    problemOf: (frame) => history.problemOf(frame),
    ...(options.onCommitted !== undefined && { onCommitted: options.onCommitted }),
  };
  const log = opened(resolve(folder), sessionId, create, logOptions);
  return new Session(
    new Tenure({
      history,
      log,
      plane: toolPlane(providerUrl, { environment: { ...environment } }),
      providerUrl,
      config,
      now: Date.now,
    }),
  );
}

function opened(folder: string, sessionId: string | undefined, create: boolean, options: LogOptions): SessionLog {
  demand(!create || sessionId !== undefined, 'A session is created under an id. Give it one as sessionId.');
  const log =
    create && sessionId !== undefined ? SessionLog.create(folder, { ...options, sessionId }) : SessionLog.open(folder, options);
  if (sessionId === undefined || log.sessionId === sessionId) return log;
  log.close();
  throw new SessionRefused(
    { reason: 'config_conflict', operation: null, on: null, drift: ['session_id'] },
    `${folder} holds the session ${log.sessionId}, not ${sessionId}. Open it under its own id, or name another folder.`,
  );
}
