/**
 * The one fold: from the frames of a session log to what they say.
 *
 * Incremental, so a living session and one that was just opened have gone through the same code. A prefix of a log is a log, so the state
 * after a crash is never a special case. Informational frames only move `lastSeq`: with or without them everything else is the same. A
 * record that cannot stand where it stands is refused before anything is taken over.
 */
import { invariant } from '../../core/errors.js';
import { SessionError } from './refusals.js';
import { isOfRun, startRun, takeOfRun, type OpenRun } from './fold.js';
import type { HistoryView } from './order-view.js';
import { orderProblem } from './order.js';
import { isKnown, type Frame, type KnownFrame } from './records.js';
import type { Message, Run, Waiting } from './run.js';

export class SessionHistory implements HistoryView {
  #sessionId = '';
  #identity = '';
  #lastSeq = 0;
  readonly #runs: OpenRun[] = [];
  /** By the id that it was sent under, whichever way: an id names one message for good. */
  readonly #messages = new Map<string, Message>();

  /** Empty before the first lineage frame. */
  get sessionId(): string {
    return this.#sessionId;
  }
  get identity(): string {
    return this.#identity;
  }
  /** Of the last frame, informational ones too; 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq;
  }
  get runs(): readonly Run[] {
    return this.#runs;
  }
  get last(): Run | undefined {
    return this.#runs.at(-1);
  }
  /** The run that has no end. */
  get current(): Run | undefined {
    return this.#open;
  }
  get #open(): OpenRun | undefined {
    const last = this.#runs.at(-1);
    return last?.finished === null ? last : undefined;
  }
  /** What waits, in the order in which it will run: interrupting ones first, each class in log order. */
  get queue(): readonly Waiting[] {
    const waiting = [...this.#messages.values()].filter((message) => message.became === 'waiting');
    const isInterrupt = ({ delivery }: Waiting): boolean => delivery === 'interrupt';
    return [...waiting.filter(isInterrupt), ...waiting.filter((entry) => !isInterrupt(entry))];
  }

  messageOf(id: string): Message | undefined {
    return this.#messages.get(id);
  }

  /** Why a record cannot be the next one; null where it can. Asked before it is written: in the log it would be damage. */
  problemOf(frame: KnownFrame): string | null {
    return frame.kind === 'informational' ? null : orderProblem(this, frame);
  }

  /** Takes the next frame over, or throws `log-damaged` with one sentence and stays as it was. */
  apply(frame: Frame): void {
    if (frame.seq <= this.#lastSeq) throw outOfOrder(frame, `frame ${this.#lastSeq} was read before`);
    if (frame.kind !== 'informational') {
      if (!isKnown(frame)) throw outOfOrder(frame, 'its type is not known here');
      const problem = orderProblem(this, frame);
      if (problem !== null) throw outOfOrder(frame, problem);
      this.#take(frame);
    }
    this.#lastSeq = frame.seq;
  }

  #take(frame: KnownFrame): void {
    const { seq, type, payload } = frame;
    if (type === 'lineage') {
      this.#identity = payload.identity;
      this.#sessionId = payload.session_id;
    } else if (type === 'run_started') {
      const run = startRun(frame, this.#runs.length + 1);
      this.#runs.push(run);
      const message: Message = { became: 'run', text: run.input, run };
      this.#messages.set(run.runId, message);
      if (run.submissionId !== null) this.#messages.set(run.submissionId, message);
    } else if (type === 'queued') {
      const { submission_id: submissionId, input, delivery = 'plain' } = payload;
      this.#messages.set(submissionId, { became: 'waiting', submissionId, seq, text: input.text, delivery });
    } else if (type === 'retracted') {
      const { submission_id: id } = payload;
      this.#messages.set(id, { became: 'retracted', text: this.#messages.get(id)?.text ?? '' });
    } else if (isOfRun(frame)) {
      const run = this.#open;
      invariant(run !== undefined, 'the rules of order found the run that a record names');
      takeOfRun(run, frame);
      if (type === 'steered' && payload.send_id !== undefined)
        this.#messages.set(payload.send_id, { became: 'steer', text: payload.input.text, run });
    }
  }
}

function outOfOrder({ seq, type, offset }: Frame, why: string): SessionError {
  return new SessionError(
    'log-damaged',
    `Frame ${seq} (${type}) cannot stand where it stands: ${why}. No writer makes such a log; restore it from a copy.`,
    { offset },
  );
}
