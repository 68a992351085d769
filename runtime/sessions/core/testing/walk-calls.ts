/** The calls of one step as the writer of a walk sees them: what it planned, handed over and heard of. */
import type { NoDispatchReason, RunConfig } from '../vocabulary.js';
import { tool, type TestLog } from './log.js';

export const good = '{"x":"1"}';
export const tools = [
  tool('pay'),
  tool('look', { safety: 'pure', on_unknown: 'continue' }),
  tool('wipe', { kind: 'command', effect: null, argv: ['wipe'], approval: 'required' }),
  tool('shell', { kind: 'command', effect: null, argv: ['sh'], approval: 'blocked' }),
];

/** A number below `sides`. */
export type Dice = (sides: number) => number;
type Outcome = 'completed' | 'not_sent' | 'unknown' | 'interrupted' | 'max_steps';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly given: string;
  /** Seq of the question, and of the answer. */
  asked: number | null;
  approved: number | null;
  denied: boolean;
  reason: NoDispatchReason | null;
  intent: boolean;
  /** It was handed over, as far as the living process knows. */
  left: boolean;
  end: Outcome | 'no_dispatch' | null;
}

export class Calls {
  readonly #log: TestLog;
  readonly #config: RunConfig;
  readonly #dice: Dice;
  readonly #calls: Call[];
  #paused = false;

  /** Draws what the model asks for; it may give the ids of an earlier step again. */
  constructor(log: TestLog, config: RunConfig, dice: Dice, count: number) {
    [this.#log, this.#config, this.#dice] = [log, config, dice];
    this.#calls = Array.from({ length: count }, (_, index) => ({
      id: `call-${index}`,
      name: ['pay', 'look', 'pay', 'look', 'pay', 'wipe', 'shell', 'nosuch'][dice(8)] ?? 'pay',
      given: dice(9) === 8 ? '[]' : good,
      ...{ asked: null, approved: null, denied: false, reason: null, intent: false, left: false, end: null },
    }));
  }

  get asked(): (readonly [string, string, string])[] {
    return this.#calls.map(({ id, name, given }) => [id, name, given] as const);
  }
  /** Somebody has to decide: a call may have happened, and its tool does not say that this is all right; or one was closed. */
  get inDoubt(): boolean {
    return this.#calls.some(
      ({ name, end, left }) => end === 'interrupted' || (name !== 'look' && (end === 'unknown' || (left && end === null))),
    );
  }

  /** After a crash nobody knows which intents were followed; in a sequential batch none behind a call that was closed. */
  forget(): void {
    for (const call of this.#calls) call.left = call.intent && call.end === null && !this.#isHeld(call);
  }

  /** Asks a person, waits, or hears an answer. False where no answer is missing. */
  approveOne(): boolean {
    const open = this.#calls.filter(
      (call) => call.name === 'wipe' && call.approved === null && this.#reasonAgainst(call, false) === null,
    );
    const unasked = open.find(({ asked }) => asked === null);
    if (unasked !== undefined) {
      this.#log.ask(unasked.id, unasked.name, unasked.given);
      unasked.asked = this.#log.lastSeq;
    } else if (open[0] !== undefined && !this.#paused) {
      this.#paused = true;
      this.#log.add('run_paused', { run_id: this.#log.run, reason: 'approval_required' });
    } else if (open[0] !== undefined) {
      open[0].denied = this.#dice(3) === 0;
      this.#log.resolve(open[0].id, open[0].asked ?? 0, open[0].denied ? 'denied' : 'approved');
      if (!open[0].denied) open[0].approved = this.#log.lastSeq;
    }
    return open.length > 0;
  }

  plan(isUnavailable: boolean): void {
    for (const call of this.#calls) call.reason = this.#reasonAgainst(call, isUnavailable);
    this.#log.plan(this.#config.batch, ...this.#calls.map(({ id, name, reason }) => [id, name, reason] as const));
  }

  /** One record of a batch that goes on. False where nothing of it is missing but its end. */
  dispatchOne(): boolean {
    const open = this.#calls.filter(({ end }) => end === null);
    const unintended = open.find(({ reason, intent }) => reason === null && !intent);
    const never = open.find(({ reason }) => reason !== null);
    const isSequential = this.#config.batch === 'sequential';
    if (unintended !== undefined) {
      unintended.intent = true;
      this.#log.intent(unintended.id, unintended.name, unintended.given, unintended.approved);
    } else if (never !== undefined) this.#endNever(never);
    else if (open.length > 0) {
      const call = open.find(({ left }) => left) ?? open[isSequential ? 0 : this.#dice(open.length)];
      if (call === undefined) return true;
      const outcomes = ['completed', 'completed', 'unknown', 'not_sent'] as const;
      // One that a dead process may have handed over has no other outcome.
      this.#end(call, call.left ? 'unknown' : (outcomes[this.#dice(4)] ?? 'completed'));
      // In life a parallel batch may have handed over the others already; a sequential one has not.
      if (this.inDoubt) for (const other of open) other.left = !isSequential && this.#dice(2) === 0;
    }
    return open.length > 0;
  }

  /** One record of a batch that is closed. False where nothing of it is missing but its end. */
  closeOne(pending: 'interrupted' | 'max_steps'): boolean {
    const open = this.#calls.filter(({ end }) => end === null);
    const call = open.find(({ reason }) => reason === null) ?? open[0];
    if (call === undefined) return false;
    if (call.reason !== null) this.#endNever(call);
    else if (call.intent && call.left && !this.#isHeld(call)) this.#end(call, 'unknown');
    else this.#end(call, call.intent ? 'interrupted' : pending);
    return true;
  }

  #isHeld(call: Call): boolean {
    const before = this.#calls.slice(0, this.#calls.indexOf(call));
    return this.#config.batch === 'sequential' && before.some(({ end }) => end === 'interrupted' || end === 'max_steps');
  }
  #reasonAgainst({ name, given, denied }: Call, isUnavailable: boolean): NoDispatchReason | null {
    if (!this.#config.tools.some((known) => known.name === name)) return 'unknown_tool';
    if (name === 'shell') return 'policy_blocked';
    if (given !== good) return 'invalid_arguments';
    if (isUnavailable) return 'unavailable';
    return denied ? 'denied' : null;
  }
  #end(call: Call, outcome: Outcome): void {
    call.end = outcome;
    this.#log.result(call.id, outcome, `${outcome} of ${call.id} ${this.#log.lastSeq}`);
  }
  #endNever(call: Call): void {
    call.end = 'no_dispatch';
    if (call.reason !== null) this.#log.noDispatch(call.id, call.reason);
  }
}
