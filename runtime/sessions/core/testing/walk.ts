/**
 * Random histories that a writer may leave behind: it follows the words of the contract, dies anywhere and comes back.
 *
 * Every record is a barrier of its own, so a prefix of a walk is what a crash may leave. The writer asks nothing of the code under test; what
 * it knows of its runs is what it did itself.
 */
import fc from 'fast-check';
import type { FinishReason, RunConfig } from '../vocabulary.js';
import { identity, runConfig, sessionId, TestLog } from './log.js';
import { Calls, tools } from './walk-calls.js';

export interface Walk {
  log: TestLog;
  /** How many frames there were whenever the writer was about to start a model step. */
  ready: number[];
}

type Phase = 'idle' | 'step_due' | 'asked' | 'final' | 'called' | 'batch' | 'closing' | 'batch_done' | 'turn_done' | 'sealing';

/** A walk for each tape of numbers; the tape decides everything, so a failing one shrinks. */
export const walks: fc.Arbitrary<Walk> = fc
  .array(fc.nat(999_999), { minLength: 1, maxLength: 240, size: 'max' })
  .map((tape) => new Writer(tape).walk());

class Writer {
  readonly log = new TestLog();
  readonly ready: number[] = [];
  readonly #tape: number[];
  #at = 0;
  #count = 0;
  #phase: Phase = 'idle';
  #config: RunConfig = runConfig();
  #calls: Calls;
  #answered = 0;
  #attempts = 0;
  #cancelled: 'step_boundary' | 'now' | null = null;
  /** How the run will end that is being closed. */
  #why: 'interrupted' | 'max_steps' | 'completed' = 'interrupted';
  #lastReason: FinishReason = 'completed';
  #waiting: { id: string; interrupt: boolean }[] = [];
  readonly #dice = (sides: number): number => {
    const number = this.#tape[this.#at] ?? 0;
    this.#at += 1;
    return number % sides;
  };

  constructor(tape: number[]) {
    this.#tape = tape;
    this.#calls = this.#ask(0);
  }

  walk(): Walk {
    while (this.#at < this.#tape.length) {
      const kind = this.#dice(12);
      if (kind === 11) this.#aside();
      else if (kind === 10) this.#crash();
      else this.#go();
    }
    return { log: this.log, ready: this.ready };
  }

  #ask(count: number): Calls {
    return new Calls(this.log, this.#config, this.#dice, count);
  }
  #fresh(prefix: string): string {
    this.#count += 1;
    return `${prefix}-${this.#count}`;
  }

  /** What may happen at any time. */
  #aside(): void {
    const isOpen = this.#phase !== 'idle';
    switch (this.#dice(6)) {
      case 0:
        return void (isOpen && this.log.steer(this.#fresh('steer')));
      case 1:
        return this.#noise();
      case 2: {
        const [id, interrupt] = [this.#fresh('sub'), this.#dice(2) === 1];
        this.#waiting.push({ id, interrupt });
        return void this.log.queue(id, `text of ${id}`, interrupt);
      }
      case 3: {
        const [gone] = this.#waiting.splice(this.#dice(Math.max(1, this.#waiting.length)), 1);
        return void (gone !== undefined && this.log.add('retracted', { submission_id: gone.id }));
      }
      default: {
        if (!isOpen || this.#dice(2) > 0) return;
        const at = this.#dice(3) === 0 ? 'step_boundary' : 'now';
        this.log.cancel(at);
        if (this.#cancelled !== 'now') this.#cancelled = at;
        if (at === 'now') this.#leave('interrupted');
      }
    }
  }

  /** Informational: nothing may depend on it. */
  #noise(): void {
    if (this.log.run === '') return;
    if (this.#dice(2) === 0) this.log.note();
    else
      this.log.add('resume_started', {
        run_id: this.log.run,
        episode: 1,
        resumed_from_seq: this.log.lastSeq,
        replayed: { messages: 9, model_steps: 9, tool_results: 9 },
        redone: [],
        indeterminate: ['step-1'],
      });
  }

  /** The process dies; the next one knows what is in the log and no more. It goes on, or its owner leaves the run. */
  #crash(): void {
    this.log.add('lineage', { identity, session_id: sessionId });
    if (this.#phase === 'idle') return;
    if (this.#dice(2) === 0) this.#noise();
    this.#calls.forget();
    if (this.#cancelled !== null || this.#dice(5) === 0) return this.#leave('interrupted');
    if (this.#phase === 'asked') {
      if (this.#attempts > 0) this.#leave('interrupted');
      else this.#phase = 'step_due';
    } else if (this.#phase === 'batch' && this.#calls.inDoubt) this.#leave('interrupted');
  }

  /** The run will not go on; what it lacks is written first. */
  #leave(why: 'interrupted' | 'max_steps'): void {
    if (this.#phase === 'called') this.#calls.plan(false);
    if (this.#phase !== 'closing' && this.#phase !== 'sealing') this.#why = this.#phase === 'final' ? 'completed' : why;
    if (this.#phase === 'called' || this.#phase === 'batch') this.#phase = 'closing';
    if (this.#phase === 'step_due' || this.#phase === 'asked') this.#phase = 'sealing';
  }

  #go(): void {
    switch (this.#phase) {
      case 'idle':
        return this.#start();
      case 'step_due':
        return this.#startStep();
      case 'asked':
        return this.#askModel();
      case 'final':
        if (this.#dice(2) === 0) this.log.finishTurn();
        return this.#end(this.#cancelled === null ? 'completed' : 'cancelled');
      case 'called':
        return this.#approveOrPlan();
      case 'batch':
        if (!this.#calls.dispatchOne()) return this.#finishBatch();
        return this.#calls.inDoubt ? this.#leave('interrupted') : undefined;
      case 'closing':
        return this.#calls.closeOne(this.#why === 'max_steps' ? 'max_steps' : 'interrupted') ? undefined : this.#finishBatch();
      case 'batch_done':
        this.log.finishTurn();
        this.#phase = 'turn_done';
        return;
      case 'turn_done':
        return this.#afterTurn();
      case 'sealing':
        return this.#end(this.#cancelled === null ? this.#why : 'cancelled');
    }
  }

  #start(): void {
    const drains = ['completed', 'cancelled', 'max_steps'].includes(this.#lastReason);
    const head = this.#waiting.find(({ interrupt }) => interrupt) ?? this.#waiting[0];
    this.#config = runConfig(
      {
        tools: this.#dice(8) === 7 ? [] : tools,
        batch: this.#dice(2) === 0 ? 'sequential' : 'parallel',
        max_steps: [1, 2, 6, 6][this.#dice(4)] ?? 6,
        model_leg: this.#dice(2) === 0 ? 'rerun' : 'intent',
        system: `System ${this.#dice(2)}.`,
      },
      this.#dice(2) === 0 ? 2 : 1,
    );
    if (head !== undefined && drains) {
      this.#waiting = this.#waiting.filter((entry) => entry !== head);
      this.log.start(head.id, `text of ${head.id}`, this.#config, head.id);
    } else this.log.start(this.#fresh('run'), this.#fresh('input'), this.#config);
    [this.#answered, this.#cancelled, this.#calls, this.#phase] = [0, null, this.#ask(0), 'step_due'];
  }

  #startStep(): void {
    if (this.#cancelled !== null) return this.#leave('interrupted');
    this.ready.push(this.log.lastSeq);
    this.log.startStep();
    [this.#attempts, this.#calls, this.#phase] = [0, this.#ask(0), 'asked'];
  }

  #askModel(): void {
    const isIntent = this.#config.model_leg === 'intent';
    if (isIntent && (this.#attempts === 0 || this.#dice(4) === 0)) {
      this.#attempts += 1;
      return void this.log.attempt(this.#attempts);
    }
    if (this.#dice(12) === 11) return this.#end('error');
    this.#calls = this.#ask([0, 1, 3, 4][this.#dice(4)] ?? 0);
    const { asked } = this.#calls;
    this.log.answer(asked.length === 0 || this.#dice(2) === 0 ? `answer ${this.log.lastSeq}` : null, ...asked);
    this.#answered += 1;
    this.#phase = asked.length === 0 ? 'final' : 'called';
  }

  #approveOrPlan(): void {
    if (this.#answered >= this.#config.max_steps) return this.#leave('max_steps');
    // A cancel at the boundary of the step lets a living process end the batch.
    if (this.#cancelled !== null && this.#dice(2) === 0) return this.#leave('interrupted');
    if (this.#dice(12) === 11) return this.#leave('interrupted');
    if (this.#calls.approveOne()) return;
    this.#calls.plan(this.#dice(8) === 0);
    this.#phase = 'batch';
  }

  #finishBatch(): void {
    this.log.finishBatch();
    this.#phase = 'batch_done';
  }

  #afterTurn(): void {
    const { inDoubt } = this.#calls;
    const isStopped = inDoubt || this.#cancelled !== null || this.#answered >= this.#config.max_steps;
    if (isStopped) [this.#phase, this.#why] = ['sealing', inDoubt ? 'interrupted' : 'max_steps'];
    // A run that could go on may be left by its owner all the same.
    else [this.#phase, this.#why] = [this.#dice(9) === 8 ? 'sealing' : 'step_due', 'interrupted'];
  }

  #end(reason: FinishReason): void {
    this.log.end(reason);
    [this.#lastReason, this.#phase, this.#why] = [reason, 'idle', 'interrupted'];
  }
}
