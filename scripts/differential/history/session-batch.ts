/** The batch of a step in a session walk, from its plan to its end, in life and in a close-out ("Records and barriers", "Replay"). */
import { createHash } from 'node:crypto';
import type { Frame } from '../reference/log.js';
import {
  answeredSteps,
  answerOf,
  batchEndOf,
  batchOf,
  callsOf,
  callState,
  hasTerminal,
  ofCall,
  planOf,
  reasonAgainst,
  stepsOf,
  toolOf,
  turnOf,
  type Call,
} from '../reference/sessions.js';
import { type Payload } from './drafts.js';

import { SessionWriter, type Item } from './session-writer.js';

export type Move = () => void;

export class SessionBatch extends SessionWriter {
  /** The process that wrote it still lives. */
  protected isOwn(frame: Frame): boolean {
    return !this.isAnew && frame.fence === this.fence;
  }

  /** So does the process that dispatched the batch. */
  protected isLive(step: Frame): boolean {
    const batch = batchOf(this.frames, step);
    return batch !== undefined && this.isOwn(batch) && batchEndOf(this.frames, step) === undefined;
  }

  protected resolve(run: Frame, call: Call): void {
    const asked = ofCall(this.frames, call, 'approval_requested')[0];
    const decision = this.tape.one(['approved', 'denied']);
    const ids = { run_id: run.payload.run_id, batch_id: `@batch:${call.step.seq}`, tool_call_id: call.id };
    this.write([['approval_resolved', { ...ids, request_seq: `@seq:${asked?.seq}`, decision, by: 'operator' }]]);
  }

  protected tools(run: Frame, step: Frame): Move[] {
    const calls = callsOf(this.frames, run, step);
    const batch = batchOf(this.frames, step);
    if (batch === undefined) {
      const unasked = calls.filter((call) => this.isUnasked(call));
      return [() => (unasked.length > 0 ? this.ask(run, unasked) : this.plan(run, step, calls))];
    }
    if (batchEndOf(this.frames, step) !== undefined) return [() => this.endTurn(run, step)];
    if (calls.every((call) => hasTerminal(this.frames, call))) return [() => this.endBatch(run, step, [])];
    return this.results(run, step);
  }

  protected isUnasked(call: Call): boolean {
    const isNeeded = toolOf(call)?.approval === 'required' && reasonAgainst(call) === null;
    return isNeeded && ofCall(this.frames, call, 'approval_requested').length === 0;
  }

  protected ask(run: Frame, calls: readonly Call[]): void {
    const asked = calls.map((call): Item => [
      'approval_requested',
      {
        ...{ run_id: run.payload.run_id, step_id: `@step:${call.step.seq}`, batch_id: `@batch:${call.step.seq}` },
        ...{ tool_call_id: call.id, name: call.name, arguments_sha256: hash(call.arguments) },
      },
    ]);
    this.write([...asked, ['run_paused', { run_id: run.payload.run_id, reason: 'approval_required' }]]);
  }

  protected planned(calls: readonly Call[]): { tool_call_id: string; name: string; plan: string; reason: string | null }[] {
    return calls.map((call) => {
      const isDenied = ofCall(this.frames, call, 'approval_resolved')[0]?.payload.decision === 'denied';
      const reason = reasonAgainst(call) ?? (this.tape.isOnce(20) ? 'unavailable' : isDenied ? 'denied' : null);
      return { tool_call_id: call.id, name: call.name, plan: reason === null ? 'dispatch' : 'no_dispatch', reason };
    });
  }

  protected batchItem(run: Frame, step: Frame, planned: readonly object[]): Item {
    const ids = { run_id: run.payload.run_id, batch_id: `@batch:${step.seq}`, step_id: `@step:${step.seq}` };
    return ['tool_batch_started', { ...ids, mode: run.payload.config?.batch, planned }];
  }

  protected plan(run: Frame, step: Frame, calls: readonly Call[]): void {
    const planned = this.planned(calls);
    const at = (index: number): boolean => planned[index]?.reason === null;
    const intents = calls.filter((_call, index) => at(index)).map((call) => this.intent(call));
    const others = calls.flatMap((call, index) => (at(index) ? [] : [this.noDispatch(call, planned[index]?.reason ?? '')]));
    this.fragile(4, () => this.write([this.batchItem(run, step, planned), ...intents, ...others]));
  }

  /** Half of the times. */
  private fragile(odds: number, write: () => boolean): boolean {
    const before = this.odds;
    if (this.tape.isOnce(2)) this.odds = odds;
    const isWritten = write();
    this.odds = before;
    // What a death left is looked at as it is, now and then: nobody has come back yet.
    if (!isWritten && this.tape.isOnce(4)) this.isOver = true;
    return isWritten;
  }

  protected idsOf({ run, step, id }: Call): Payload {
    return { run_id: run.payload.run_id, batch_id: `@batch:${step.seq}`, tool_call_id: id };
  }

  protected intent(call: Call): Item {
    const approval = toolOf(call)?.approval === 'required' ? ofCall(this.frames, call, 'approval_resolved')[0] : undefined;
    const spent = approval === undefined ? null : `@seq:${approval.seq}`;
    return ['tool_dispatch_intent', { ...this.idsOf(call), name: call.name, arguments: call.arguments, approval_seq: spent }];
  }

  protected noDispatch(call: Call, reason: string): Item {
    return ['tool_no_dispatch', { ...this.idsOf(call), reason }];
  }

  protected result(call: Call, outcome: string): Item {
    return ['tool_result', { ...this.idsOf(call), outcome, output: `It is ${outcome}.`, is_error: outcome !== 'completed' }];
  }

  /** What a batch that is open lets be written next. */
  protected results(run: Frame, step: Frame): Move[] {
    const open = callsOf(this.frames, run, step).filter((call) => !hasTerminal(this.frames, call));
    const dispatched = open.filter((call) => planOf(this.frames, call)?.plan === 'dispatch');
    const isSequential = run.payload.config?.batch === 'sequential';
    const isOurs = batchOf(this.frames, step)?.fence === this.fence && !this.isAnew;
    const missing = open.filter((call) => planOf(this.frames, call)?.plan === 'no_dispatch');
    if (missing.length > 0)
      return [() => void this.write(missing.map((call) => this.noDispatch(call, planOf(this.frames, call)?.reason ?? '')))];
    const left = dispatched.filter((call) => callState(this.frames, call) === 'never_left');
    const hasResult = callsOf(this.frames, run, step).some((call) => ofCall(this.frames, call, 'tool_result').length > 0);
    // What never left may be dispatched, before the first result.
    if (left.length > 0 && !hasResult) return [() => void this.write(left.map((call) => this.intent(call)))];
    const candidates = isSequential ? dispatched.slice(0, 1) : dispatched;
    return candidates.map((call): Move => () => {
      const isKnown = isOurs || left.includes(call);
      const outcome = isKnown
        ? this.tape.one(['completed', 'completed', 'unknown', 'not_sent', 'completed', 'unknown'])
        : 'unknown';
      this.write([this.result(call, left.includes(call) ? 'interrupted' : outcome)]);
    });
  }

  protected endBatch(run: Frame, step: Frame, before: readonly Item[]): boolean {
    const ids = { run_id: run.payload.run_id };
    return this.write([
      ...before,
      ['tool_batch_finished', { ...ids, batch_id: `@batch:${step.seq}` }],
      ['turn_finished', { ...ids, step_id: `@step:${step.seq}` }],
    ]);
  }

  protected endTurn(run: Frame, step: Frame): void {
    this.write([['turn_finished', { run_id: run.payload.run_id, step_id: `@step:${step.seq}` }]]);
  }

  /** It tells of the usage of its steps. */
  protected finished(run: Frame, reason: string, error: object | null = null): Item {
    const steps = answeredSteps(this.frames, run).length;
    return ['run_finished', { run_id: run.payload.run_id, reason, error, usage: { input_tokens: steps, output_tokens: steps } }];
  }

  protected end(run: Frame, step: Frame | undefined, reason: string): void {
    const isOpen = step !== undefined && answerOf(this.frames, step) !== undefined && turnOf(this.frames, step) === undefined;
    const turn: Item[] = isOpen ? [['turn_finished', { run_id: run.payload.run_id, step_id: `@step:${step.seq}` }]] : [];
    this.write([...turn, this.finished(run, reason)]);
  }

  /** Two barriers, and only what is missing. */
  protected closeOut(run: Frame, stage: string): void {
    const reason = stage === 'cancelling' ? 'cancelled' : stage === 'stopped' ? 'max_steps' : 'interrupted';
    const step = stepsOf(this.frames, run).at(-1);
    const calls = step === undefined ? [] : callsOf(this.frames, run, step);
    if (step === undefined || answerOf(this.frames, step) === undefined || calls.length === 0) return this.end(run, step, reason);
    if (batchEndOf(this.frames, step) !== undefined) return this.end(run, step, reason);
    const planned = this.planned(calls);
    const batch = batchOf(this.frames, step) === undefined ? [this.batchItem(run, step, planned)] : [];
    const plans = batchOf(this.frames, step)?.payload.planned ?? planned;
    const isLive = this.isLive(step);
    let isClosed = false;
    const results = calls.flatMap((call, index): Item[] => {
      if (hasTerminal(this.frames, call) || plans[index]?.plan !== 'dispatch') return [];
      const state = callState(this.frames, call);
      // A live process knows which call of a sequential batch it had not handed over.
      const isHeld = isLive && isClosed && run.payload.config?.batch === 'sequential';
      isClosed = true;
      if (state === 'indeterminate' && !isHeld) return [this.result(call, 'unknown')];
      return [this.result(call, stage === 'stopped' ? 'max_steps' : 'interrupted')];
    });
    const others = calls.flatMap((call, index): Item[] =>
      hasTerminal(this.frames, call) || plans[index]?.plan === 'dispatch'
        ? []
        : [this.noDispatch(call, plans[index]?.reason ?? '')],
    );
    // A live process that dies here leaves a successor that it held.
    const isHolding = isLive && results.length > 2 && run.payload.config?.batch === 'sequential' && !this.isGrouped;
    if (isHolding && !this.tape.isOnce(3)) {
      this.write([...batch, ...results.slice(0, 2)]);
      this.isAnew = true;
      this.isOver = this.tape.isOnce(2);
      return;
    }
    const isWritten = this.fragile(5, () => this.endBatch(run, step, [...batch, ...results, ...others]));
    // Between its two barriers a close-out may die as well.
    if (isWritten && this.tape.isOnce(4)) {
      this.isAnew = true;
      if (this.tape.isOnce(4)) this.isOver = true;
    }
    if (isWritten && !this.isAnew) this.write([this.finished(run, reason)]);
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
