/** Session logs for tests: frames in memory, numbered as a writer numbers them. It knows no fold and no table. */
import { sha256 } from '../../../core/digest.js';
import { frozenBundle } from '../config.js';
import { SessionHistory } from '../history.js';
import { kindOf, type Draft, type Frame, type FrameType, type Payloads } from '../records.js';
import type { RunConfig, Tool } from '../vocabulary.js';

export const sessionId = 's-1';
export const identity = '00112233445566778899aabbccddeeff';

export function tool(name: string, given: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `Does ${name}.`,
    arguments: [{ name: 'x', type: 'string', required: true }],
    kind: 'http',
    effect: name,
    argv: null,
    safety: 'side_effect',
    approval: 'never',
    on_unknown: 'interrupt',
    timeout_ms: 1000,
    ...given,
  };
}

export function runConfig(given: Partial<Omit<RunConfig, 'render'>> = {}, version: 1 | 2 = 2): RunConfig {
  const config = {
    model: 'synthetic-1',
    system: 'You help.',
    tools: [],
    batch: 'sequential' as const,
    max_steps: 4,
    model_leg: 'rerun' as const,
    model_attempts: 1,
    model_timeout_ms: 30_000,
    provider: { path: '/v1/chat/completions' },
    times: false,
    ...given,
  };
  return { ...config, render: { name: 'chat-messages', version, bundle: frozenBundle(config, version) } };
}

/** Frames as a writer would append them; the methods name what happens and fill in the ids. */
export class TestLog {
  readonly frames: Frame[] = [];
  run = '';
  step = '';

  constructor() {
    this.add('lineage', { identity, session_id: sessionId });
  }

  get lastSeq(): number {
    return this.frames.length;
  }
  get batch(): string {
    return this.step.replace('step', 'batch');
  }

  add<T extends FrameType>(type: T, payload: Payloads[T]): this {
    const seq = this.frames.length + 1;
    const place = { seq, fence: 1, synced: seq - 1, features: [], offset: seq * 1000, size: 100, digest: '0'.repeat(64) };
    this.frames.push({ ...place, kind: kindOf(type), type, payload: { ...payload } });
    return this;
  }
  addAll(drafts: readonly Draft[]): this {
    for (const { type, payload } of drafts) this.add(type, payload);
    return this;
  }

  start(run: string, text: string, config: RunConfig, submission?: string): this {
    this.run = run;
    const drains = submission === undefined ? {} : { submission_id: submission };
    return this.add('run_started', { run_id: run, session_id: sessionId, config, input: { text }, ...drains });
  }
  startStep(watermark: number = this.lastSeq): this {
    this.step = `step-${this.lastSeq + 1}`;
    return this.add('step_started', { run_id: this.run, step_id: this.step, watermark_seq: watermark });
  }
  attempt(attempt: number): this {
    const request = { sha256: '1'.repeat(64), size: 10 };
    return this.add('model_attempt_started', { run_id: this.run, step_id: this.step, attempt, request });
  }
  /** Informational: what became of an attempt. */
  note(): this {
    const request = { sha256: '2'.repeat(64), size: 1 };
    const nothing = { response: null, http_status: null, content_type: null, response_body_cap: null };
    const place = { run_id: this.run, step_id: this.step === '' ? 'step-1' : this.step, attempt: 1 };
    return this.add('model_attempt_finished', { ...place, request, ...nothing, outcome: 'broken', ts_ms: 1 });
  }
  /** `calls`: id, name and arguments of each. */
  answer(text: string | null, ...calls: (readonly [string, string, string])[]): this {
    const asked = calls.map(([id, name, given]) => ({ id, name, arguments: given }));
    const assistant = { text, tool_calls: asked };
    return this.add('model_step_finished', { run_id: this.run, step_id: this.step, assistant, usage: null });
  }
  plan(mode: RunConfig['batch'], ...planned: (readonly [string, string, Payloads['tool_no_dispatch']['reason'] | null])[]): this {
    return this.add('tool_batch_started', {
      run_id: this.run,
      batch_id: this.batch,
      step_id: this.step,
      mode,
      planned: planned.map(([id, name, reason]) => ({
        tool_call_id: id,
        name,
        plan: reason === null ? 'dispatch' : 'no_dispatch',
        reason,
      })),
    });
  }
  intent(id: string, name: string, given: string, approval: number | null = null): this {
    return this.add('tool_dispatch_intent', { ...this.#call(id), name, arguments: given, approval_seq: approval });
  }
  noDispatch(id: string, reason: Payloads['tool_no_dispatch']['reason']): this {
    return this.add('tool_no_dispatch', { ...this.#call(id), reason });
  }
  result(id: string, outcome: Payloads['tool_result']['outcome'], output: string): this {
    return this.add('tool_result', { ...this.#call(id), outcome, output, is_error: outcome !== 'completed' });
  }
  finishBatch(): this {
    return this.add('tool_batch_finished', { run_id: this.run, batch_id: this.batch });
  }
  finishTurn(): this {
    return this.add('turn_finished', { run_id: this.run, step_id: this.step });
  }
  ask(id: string, name: string, given: string): this {
    const shown = { name, arguments_sha256: sha256(given), step_id: this.step };
    return this.add('approval_requested', { ...this.#call(id), ...shown });
  }
  resolve(id: string, asked: number, decision: 'approved' | 'denied'): this {
    return this.add('approval_resolved', { ...this.#call(id), request_seq: asked, decision, by: 'op' });
  }
  steer(text: string, id?: string): this {
    return this.add('steered', { run_id: this.run, input: { text }, ...(id !== undefined && { send_id: id }) });
  }
  queue(id: string, text: string, interrupt = false): this {
    return this.add('queued', { submission_id: id, input: { text }, ...(interrupt && { delivery: 'interrupt' as const }) });
  }
  cancel(at: 'step_boundary' | 'now'): this {
    return this.add('run_cancel_requested', { run_id: this.run, at });
  }
  end(reason: Payloads['run_finished']['reason']): this {
    const usage = { input_tokens: 0, output_tokens: 0 };
    const error = reason === 'error' ? { code: 'model_failed' as const, detail: 'no answer' } : null;
    return this.add('run_finished', { run_id: this.run, reason, error, usage });
  }

  #call(id: string) {
    return { run_id: this.run, batch_id: this.batch, tool_call_id: id };
  }
}

export function fold(frames: readonly Frame[] | TestLog): SessionHistory {
  const history = new SessionHistory();
  for (const frame of frames instanceof TestLog ? frames.frames : frames) history.apply(frame);
  return history;
}
