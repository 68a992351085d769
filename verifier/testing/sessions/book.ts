/**
 * A session of the small world: its frames and the log of its provider, as a correct runtime would have left them. It renders what it sends
 * by its own few lines, so that the renderer of the verifier is held against another one.
 */
import { sessionLogV1 } from '../../contract/data.js';
import type { SharedAssistant, SharedRunConfig } from '../../contract/types.js';
import type { Draft } from '../../mutations/sessions/encode.js';
import { canonical } from '../../read/canonical.js';
import { textSha256 } from '../../read/hash.js';
import type { RecordPayloads, RecordType } from '../../read/session-records.js';
import { SessionProvider } from './provider.js';
import { configOf, offered, scenarios, sessionId, type ScenarioName } from './scenario.js';
import { batchOf, done, featuresOf, responseOf, type Reason } from './shapes.js';

type AnyDraft = { [T in RecordType]: { type: T; payload: RecordPayloads[T] } }[RecordType];
type Call = SharedAssistant['tool_calls'][number];
type Served = Partial<Parameters<SessionProvider['serve']>[0]>;
interface Message {
  readonly role: string;
  content: string | null;
  readonly [name: string]: unknown;
}

const time = 1_767_225_600_000;
/** Each book is a log of its own. */
let drawn = 0;

export class SessionBook {
  frames: Draft[] = [];
  provider = new SessionProvider();
  readonly features = new Set<string>();
  /** Bytes behind the last frame. */
  torn = Buffer.alloc(0);
  private identity = (drawn += 1).toString(16).padStart(32, '0');
  private fence = 1;
  private isOpen = true;
  private durable = 0;
  private messages: Message[] = [];
  private waiting: string[] = [];
  private run = '';

  constructor(readonly scenario: ScenarioName) {
    this.write([{ type: 'lineage', payload: this.lineage }]);
  }

  /** What another process goes on from. */
  continued(pid = 2000): SessionBook {
    const copy = new SessionBook(this.scenario);
    const own = Object.fromEntries(Object.entries(this)) as Record<string, unknown>;
    const { provider: _provider, features: _features, ...rest } = own;
    Object.assign(copy, structuredClone(rest));
    for (const feature of this.features) copy.features.add(feature);
    copy.torn = Buffer.from(this.torn);
    copy.provider = this.provider.continued(pid);
    copy.fence = this.fence + 1;
    copy.isOpen = false;
    return copy;
  }

  get config(): SharedRunConfig {
    return configOf(this.scenario);
  }

  get pid(): number {
    return this.provider.pid;
  }

  get next(): number {
    return this.frames.length + (this.isOpen ? 1 : 2);
  }

  /** One barrier: each of them is one of its own where the scenario says so. */
  barrier(...drafts: AnyDraft[]): void {
    if (scenarios[this.scenario].commit === 'grouped') return this.write(drafts);
    for (const draft of drafts) this.write([draft]);
  }

  /** Appended and not synced, where barriers are grouped. */
  append(draft: AnyDraft): void {
    const { durable } = this;
    this.barrier(draft);
    if (scenarios[this.scenario].commit === 'grouped') this.durable = durable;
  }

  private write(drafts: readonly AnyDraft[]): void {
    const all: AnyDraft[] = this.isOpen ? [...drafts] : [{ type: 'lineage', payload: this.lineage }, ...drafts];
    this.isOpen = true;
    this.torn = Buffer.alloc(0);
    for (const { type, payload } of all) {
      const features = featuresOf(type, payload);
      for (const feature of features) this.features.add(feature);
      const { kind } = sessionLogV1.records[type] as { kind: Draft['kind'] };
      const seq = this.frames.length + 1;
      this.frames.push({ kind, type, features, fence: this.fence, seq, synced: this.durable, payload: { ...payload } });
    }
    this.durable = this.frames.length;
  }

  private get lineage() {
    return { identity: this.identity, session_id: sessionId };
  }

  private timed<T extends string>(name: T): { [N in T]?: number } {
    return (this.config.times ? { [name]: time } : {}) as { [N in T]?: number };
  }

  send(run_id: string, text: string, submission_id?: string): void {
    this.run = run_id;
    const drained = submission_id === undefined ? {} : { submission_id };
    this.barrier({
      type: 'run_started',
      payload: { run_id, session_id: sessionId, config: this.config, input: { text }, ...drained },
    });
    this.say(text);
  }

  private say(text: string): void {
    const last = this.messages.at(-1);
    if (last?.role === 'user') last.content += `\n\n${text}`;
    else this.messages.push({ role: 'user', content: text });
  }

  steer(text: string, send_id: string): void {
    this.barrier({ type: 'steered', payload: { run_id: this.run, input: { text }, send_id } });
    this.waiting.push(text);
  }

  cancel(at: 'step_boundary' | 'now'): void {
    this.barrier({ type: 'run_cancel_requested', payload: { run_id: this.run, at } });
  }

  step(): string {
    for (const text of this.waiting.splice(0)) this.say(text);
    const { next } = this;
    const step_id = `step-${next}`;
    const draft = { type: 'step_started' as const, payload: { run_id: this.run, step_id, watermark_seq: next - 1 } };
    if (this.config.model_leg === 'rerun') this.append(draft);
    else this.barrier(draft, { type: 'model_attempt_started', payload: this.attempt(step_id, 1) });
    return step_id;
  }

  private attempt(step_id: string, attempt: number) {
    const { body } = this;
    return { run_id: this.run, step_id, attempt, request: { sha256: textSha256(body), size: body.length } };
  }

  get body(): string {
    const { model, system, batch, tools } = this.config;
    const messages = [{ role: 'system', content: system }, ...this.messages];
    return canonical({ messages, model, parallel_tool_calls: batch === 'parallel', tools: offered(tools) });
  }

  /** The request of a step, and what the provider does with it. */
  request(step: string, response: string, served: Served = {}, attempt = 1): void {
    const key = `${sessionId}/${this.run}/${step}/${attempt}`;
    const sent = { path: '/v1/chat/completions', key, body: this.body, effect: 'chat.completions', response };
    this.provider.serve({ ...sent, ...served });
  }

  attemptFinished(step: string, response: string, status = 200, attempt = 1): void {
    const kept = { response: { sha256: textSha256(response), size: response.length }, http_status: status };
    const outcome = status === 200 ? ('answer' as const) : ('provider_error' as const);
    this.append({
      type: 'model_attempt_finished',
      payload: {
        ...{ ...this.attempt(step, attempt), ...kept, content_type: 'application/json' },
        ...{ response_body_cap: null, outcome, ts_ms: time },
      },
    });
  }

  /** A step that is asked and answered. */
  answered(step: string, assistant: SharedAssistant, attempt = 1): void {
    const response = responseOf(assistant);
    this.request(step, response, {}, attempt);
    this.attemptFinished(step, response, 200, attempt);
    this.barrier({ type: 'model_step_finished', payload: { run_id: this.run, step_id: step, assistant, usage: null } });
  }

  /** Asks a person; returns the seq of the question. */
  asksApproval(step: string, { id, name, arguments: given }: Call): number {
    const seq = this.next;
    const ids = { run_id: this.run, step_id: step, batch_id: batchOf(step), tool_call_id: id };
    const payload = { ...ids, name, arguments_sha256: textSha256(given), ...this.timed('deferred_at_ms') };
    const paused = { run_id: this.run, reason: 'approval_required' as const };
    this.barrier({ type: 'approval_requested', payload }, { type: 'run_paused', payload: paused });
    return seq;
  }

  /** A person answers; returns the seq of the answer. */
  decides(step: string, { id }: Call, request_seq: number, decision: 'approved' | 'denied'): number {
    const seq = this.next;
    const ids = { run_id: this.run, batch_id: batchOf(step), tool_call_id: id };
    const payload = { ...ids, request_seq, decision, by: 'operator', ...this.timed('closed_at_ms') };
    this.barrier({ type: 'approval_resolved', payload });
    return seq;
  }

  /** The plan of a step and its intents. */
  plan(step: string, calls: readonly (Call & { reason?: Reason; approval?: number })[], dispatches = true): void {
    const ids = { run_id: this.run, batch_id: batchOf(step) };
    const planned = calls.map(({ id, name, reason = null }) => {
      const plan = reason === null ? ('dispatch' as const) : ('no_dispatch' as const);
      return { tool_call_id: id, name, plan, reason };
    });
    const start: AnyDraft = { type: 'tool_batch_started', payload: { ...ids, step_id: step, mode: this.config.batch, planned } };
    this.barrier(start, ...(dispatches ? this.intents(step, calls) : []));
  }

  /** What a plan has dispatched, and what not. */
  intents(step: string, calls: readonly (Call & { reason?: Reason; approval?: number })[]): AnyDraft[] {
    const ids = { run_id: this.run, batch_id: batchOf(step) };
    const [sent, not] = [calls.filter(({ reason }) => reason === undefined), calls.filter(({ reason }) => reason !== undefined)];
    return [
      ...sent.map(({ id, name, arguments: given, approval = null }): AnyDraft => {
        const payload = { ...ids, tool_call_id: id, name, arguments: given, approval_seq: approval };
        return { type: 'tool_dispatch_intent', payload: { ...payload, ...this.timed('dispatched_at_ms') } };
      }),
      ...not.map(({ id, reason }): AnyDraft => {
        const payload = { ...ids, tool_call_id: id, reason: reason as Reason, ...this.timed('dispatched_at_ms') };
        return { type: 'tool_no_dispatch', payload };
      }),
    ];
  }

  /** The request of a call, and what the provider does with it. */
  dispatch(step: string, { id, name, arguments: given }: Call, served: Served = {}): void {
    const key = `${sessionId}/${this.run}/${batchOf(step)}/${id}`;
    const body = canonical({ arguments: given, tool: name });
    this.provider.serve({ path: `/effects/${name}`, key, body, effect: name, response: done, ...served });
  }

  result(step: string, { id }: Call, outcome: 'completed' | 'unknown' | 'interrupted' | 'max_steps', output?: string): AnyDraft {
    const text = output ?? (outcome === 'completed' ? done : sessionLogV1.texts[outcome]);
    const ids = { run_id: this.run, batch_id: batchOf(step), tool_call_id: id };
    const payload = { ...ids, outcome, output: text, is_error: outcome !== 'completed', ...this.timed('finished_at_ms') };
    return { type: 'tool_result', payload };
  }

  /** The batch and its turn, and what the next request shows of them: a text for each call, in the order of the message. */
  closed(step: string, calls: readonly Call[], outputs: readonly string[]): AnyDraft[] {
    this.messages.push({
      ...{ role: 'assistant', content: null },
      tool_calls: calls.map(({ id, name, arguments: given }) => ({ function: { arguments: given, name }, id, type: 'function' })),
    });
    for (const [index, { id }] of calls.entries())
      this.messages.push({ role: 'tool', tool_call_id: id, content: outputs[index] ?? '' });
    const ids = { run_id: this.run };
    return [
      { type: 'tool_batch_finished', payload: { ...ids, batch_id: batchOf(step) } },
      { type: 'turn_finished', payload: { ...ids, step_id: step } },
    ];
  }

  end(reason: RecordPayloads['run_finished']['reason']): AnyDraft {
    for (const text of this.waiting.splice(0)) this.say(text);
    const usage = { input_tokens: 0, output_tokens: 0 };
    return { type: 'run_finished', payload: { run_id: this.run, reason, error: null, usage } };
  }

  /** After an answer without calls. */
  turn(step: string, said: string): AnyDraft {
    this.messages.push({ role: 'assistant', content: said });
    return { type: 'turn_finished', payload: { run_id: this.run, step_id: step } };
  }

  resume(told: Pick<RecordPayloads['resume_started'], 'replayed' | 'redone' | 'indeterminate'>, episode = 1): AnyDraft {
    const resumed_from_seq = this.frames.length;
    return { type: 'resume_started', payload: { run_id: this.run, episode, resumed_from_seq, ...told } };
  }
}
