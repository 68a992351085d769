/**
 * A lawful history of a session: a walk over what the contract's stages allow next, chosen by a tape of numbers, with a process that dies
 * anywhere and comes back as a new tenure.
 *
 * In which stage the run is, and in which state a call, is asked of the reference; what may then be appended is written here from "Records
 * and barriers". Half of the walks write every record as a barrier of its own, so that a process dies in the middle of what is else one.
 */
import type { Frame } from '../reference/log.js';
import {
  answerOf,
  awaiting,
  callsOf,
  hasTerminal,
  lastStage,
  ofRun,
  ofStep,
  queueOf,
  reasonOf,
  resumeReport,
  runsIn,
  stepsOf,
} from '../reference/sessions.js';
import { type Payload, type RecordDraft } from './drafts.js';
import type { Tape } from './tape.js';

import { SessionBatch, type Move } from './session-batch.js';
import { body, usage, type Item } from './session-writer.js';

export function sessionWalk(tape: Tape): RecordDraft[] {
  return new Walk(tape).walk();
}

class Walk extends SessionBatch {
  walk(): RecordDraft[] {
    while (!this.tape.isOver && !this.isOver && this.drafts.length < 90) this.step();
    return this.drafts;
  }

  private step(): void {
    if (!this.isAnew && this.tape.isOnce(14)) this.isAnew = true;
    const run = runsIn(this.frames).at(-1);
    if (run === undefined || reasonOf(this.frames, run) !== null) return this.tape.one(this.idle(run))();
    if (this.tape.isOnce(9)) return this.aside(run);
    // Whoever comes back says so first, and not always: a send that closes a run out is no resume.
    const stage = lastStage(this.frames, run);
    if (this.isAnew && stage !== 'paused' && !this.tape.isOnce(3)) {
      const report = resumeReport(this.frames);
      if (report !== null) this.resume(report);
      if (this.isAnew) return;
    }
    this.tape.one(this.inRun(run, stage))();
  }

  /** Its lineage frame is written with it, after everything was read. */
  private resume(report: Record<string, unknown>): void {
    this.write([['resume_started', report as Payload]]);
  }

  private idle(run: Frame | undefined): Move[] {
    const queue = queueOf(this.frames);
    const [first] = queue;
    const reason = reasonOf(this.frames, run);
    const mayDrain =
      run === undefined || reason === 'completed' || reason === 'cancelled' || reason === 'max_steps' || this.isAnew;
    const begin: Move = () => void this.write([['run_started', this.run(this.name('run'), 'A question.')]]);
    const moves: Move[] = [this.queue(false), this.queue(true)];
    if (first === undefined) moves.push(begin, begin, begin, begin);
    else if (mayDrain) {
      const { submission_id: id = '', input } = first.payload;
      const drain: Move = () => void this.write([['run_started', { ...this.run(id, input?.text ?? ''), submission_id: id }]]);
      moves.push(drain, drain, drain);
    } else moves.push(() => (this.isAnew = true));
    if (queue.length > 0) moves.push(this.retract(queue));
    return moves;
  }

  private queue(isInterrupt: boolean): Move {
    return () => {
      const id = this.name('message');
      const run = runsIn(this.frames).at(-1);
      const isOpen = run !== undefined && reasonOf(this.frames, run) === null;
      const cancels = isInterrupt && isOpen && ofRun(this.frames, run, 'run_cancel_requested').length === 0;
      const queued = { submission_id: id, input: { text: `Text of ${id}.` }, ...(isInterrupt ? { delivery: 'interrupt' } : {}) };
      const cancel: Item[] = cancels ? [['run_cancel_requested', { run_id: run.payload.run_id, at: 'step_boundary' }]] : [];
      this.write([['queued', queued], ...cancel]);
    };
  }

  private retract(queue: readonly Frame[]): Move {
    return () => void this.write([['retracted', { submission_id: this.tape.one(queue).payload.submission_id }]]);
  }

  /** What may happen in any stage of a run. */
  private aside(run: Frame): void {
    const id = run.payload.run_id;
    const cancels = ofRun(this.frames, run, 'run_cancel_requested').map(({ payload }) => payload.at);
    const queue = queueOf(this.frames);
    const cancel =
      (at: string): Move =>
      () =>
        void this.write([['run_cancel_requested', { run_id: id, at }]]);
    const steer: Move = () => {
      const sent = this.tape.number(2) === 0 ? {} : { send_id: this.name('steer') };
      this.write([['steered', { run_id: id, input: { text: 'Another thought.' }, ...sent }]]);
    };
    const moves: Move[] = [steer, steer, this.queue(false), this.queue(true)];
    if (cancels.length === 0) moves.push(cancel('step_boundary'));
    if (!cancels.includes('now')) moves.push(cancel('now'));
    if (queue.length > 0) moves.push(this.retract(queue));
    this.tape.one(moves)();
  }

  private inRun(run: Frame, stage: string): Move[] {
    const step = stepsOf(this.frames, run).at(-1);
    switch (stage) {
      case 'step_due':
        return step !== undefined && answerOf(this.frames, step) === undefined && this.isOwn(step)
          ? this.answering(run, step)
          : [() => this.startStep(run)];
      case 'model_unknown':
        return step !== undefined && this.isOwn(step) ? this.answering(run, step) : [() => this.closeOut(run, stage)];
      case 'natural_end':
        return [() => this.end(run, step, 'completed')];
      case 'paused': {
        const waiting = awaiting(this.frames, run);
        return waiting.map(
          (call): Move =>
            () =>
              this.resolve(run, call),
        );
      }
      case 'tools_due':
        if (step !== undefined && this.isLive(step) && this.tape.isOnce(this.isHolding(run, step) ? 2 : 6))
          return [() => this.cancelWhileOut(run)];
        return step === undefined ? [] : this.tools(run, step);
      case 'cancelling':
        return this.cancelling(run, step);
      default:
        // In life a batch goes on being written down until everything that had left came back.
        return stage === 'interrupted' && step !== undefined && this.isLive(step)
          ? [...this.results(run, step), ...this.results(run, step), () => this.closeOut(run, stage)]
          : [() => this.closeOut(run, stage)];
    }
  }

  /** Calls of a sequential batch wait for the one that is out: how it is closed then is the hardest part of a close-out. */
  private isHolding(run: Frame, step: Frame): boolean {
    const open = callsOf(this.frames, run, step).filter((call) => !hasTerminal(this.frames, call));
    return run.payload.config?.batch === 'sequential' && !this.isGrouped && open.length > 2;
  }

  private cancelWhileOut(run: Frame): void {
    this.write([['run_cancel_requested', { run_id: run.payload.run_id, at: this.tape.one(['now', 'step_boundary']) }]]);
  }

  private startStep(run: Frame): void {
    const uid = this.next;
    const started: Item = [
      'step_started',
      { run_id: run.payload.run_id, step_id: `@step:${uid}`, watermark_seq: `@seq:${this.last}` },
    ];
    if (run.payload.config?.model_leg === 'rerun') this.write([started], false);
    else
      this.write([
        started,
        ['model_attempt_started', { run_id: run.payload.run_id, step_id: `@step:${uid}`, attempt: 1, request: body }],
      ]);
  }

  private answering(run: Frame, step: Frame): Move[] {
    const ids = { run_id: run.payload.run_id, step_id: `@step:${step.seq}` };
    const isIntent = run.payload.config?.model_leg === 'intent';
    const started = ofStep(this.frames, step, 'model_attempt_started').length;
    const ended = ofStep(this.frames, step, 'model_attempt_finished').length;
    const attempt = ended + 1;
    const finished = (outcome: string): Item => [
      'model_attempt_finished',
      {
        ...{ ...ids, attempt, request: body, response: outcome === 'answer' ? body : null, response_body_cap: null },
        ...{ http_status: outcome === 'answer' ? 200 : null, content_type: null, outcome, ts_ms: 1 },
      },
    ];
    if (isIntent && started === ended) {
      // The last attempt failed whole.
      const again: Move = () => void this.write([['model_attempt_started', { ...ids, attempt, request: body }]]);
      const fail: Move = () => this.fail(run);
      return ended < 3 ? [again, again, fail] : [fail];
    }
    const answer: Move = () => {
      const answered: Item = ['model_step_finished', { ...ids, assistant: this.assistant(), usage }];
      this.write([finished('answer'), answered]);
    };
    const failed: Move = () => void this.write([finished('provider_error')], false);
    const fail: Move = () => this.fail(run);
    return [answer, answer, answer, answer, ...(ended < 2 ? [failed] : []), ...(!isIntent && ended > 0 ? [fail] : [])];
  }

  private fail(run: Frame): void {
    const error = { code: 'model_failed', detail: 'provider_error' };
    this.write([this.finished(run, 'error', error)]);
  }

  /** A cancel at the boundary lets the step and its batch be done; a cancel now does not, nor does whoever comes later. */
  private cancelling(run: Frame, step: Frame | undefined): Move[] {
    const isNow = ofRun(this.frames, run, 'run_cancel_requested').some(({ payload }) => payload.at === 'now');
    const close: Move = () => this.closeOut(run, 'cancelling');
    if (isNow) return [close];
    if (this.tape.isOnce(5))
      return [() => void this.write([['run_cancel_requested', { run_id: run.payload.run_id, at: 'now' }]])];
    if (step === undefined || !this.isOwn(step)) return [close];
    const isBatchOpen = this.isLive(step) && callsOf(this.frames, run, step).some((call) => !hasTerminal(this.frames, call));
    if (isBatchOpen) return [...this.results(run, step), close];
    if (answerOf(this.frames, step) !== undefined) return [close];
    const ended = ofStep(this.frames, step, 'model_attempt_finished').length;
    const isAsked =
      run.payload.config?.model_leg === 'rerun' || ofStep(this.frames, step, 'model_attempt_started').length > ended;
    return isAsked ? [this.answering(run, step)[0] as Move, close] : [close];
  }
}
