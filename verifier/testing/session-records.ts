/**
 * The records of a session log, written by hand: short words for what tests tell, each held against the shape of its type. They are numbered
 * from 1, after a lineage frame, so the id of a step says where it stands.
 */
import { payloadShapes, type RecordPayloads, type RecordType, type SessionRecord } from '../read/session-records.js';
import type { RunConfig, Tool } from '../model/sessions/history.js';
import { lineage } from './session-log.js';

export interface Written {
  readonly type: RecordType;
  readonly payload: object;
}

export function written<T extends RecordType>(type: T, payload: RecordPayloads[T]): Written {
  return { type, payload };
}

export function recordsOf(...all: readonly Written[]): SessionRecord[] {
  const whole: readonly Written[] = [written('lineage', lineage), ...all];
  return whole.map(({ type, payload }, index) => {
    const isShaped = payloadShapes[type](payload);
    if (!isShaped) throw new Error(`This is not a ${type}: ${JSON.stringify(payload)}`);
    const seq = index + 1;
    const frame = { seq, kind: 'record', fence: 1, synced: index, features: [], offset: 0, size: 1, digest: '0'.repeat(64) };
    return { ...frame, type, payload } as object as SessionRecord;
  });
}

export const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  ...{ name, description: `Does ${name}.`, arguments: [{ name: 'amount', type: 'integer', required: true }] },
  ...{
    kind: 'http',
    effect: name,
    argv: null,
    safety: 'side_effect',
    approval: 'never',
    on_unknown: 'interrupt',
    timeout_ms: 1000,
  },
  ...more,
});

export const tools = {
  charge: tool('charge'),
  refund: tool('refund', { approval: 'required' }),
  wipe: tool('wipe', { approval: 'blocked' }),
  look: tool('look', { safety: 'pure', on_unknown: 'continue' }),
  local: tool('local', { kind: 'command', effect: null, argv: ['local-program'] }),
};

export function config(more: Partial<RunConfig> = {}): RunConfig {
  return {
    ...{ model: 'synthetic-1', system: 'You help.', tools: Object.values(tools), batch: 'sequential', max_steps: 4 },
    ...{
      model_leg: 'rerun',
      model_attempts: 1,
      model_timeout_ms: 1000,
      provider: { path: '/v1/chat/completions' },
      times: false,
    },
    render: { name: 'chat-messages', version: 2, bundle: null },
    ...more,
  };
}

interface Begun {
  readonly run?: string;
  readonly text?: string;
  readonly config?: Partial<RunConfig>;
  readonly submission?: string;
}

export function began({ run = 'run-a', text = 'Hello.', config: more = {}, submission }: Begun = {}): Written {
  const drained = submission === undefined ? {} : { submission_id: submission };
  return written('run_started', { run_id: run, session_id: 's-1', config: config(more), input: { text }, ...drained });
}

/** What belongs to one run; `n` is the number of a step and of its batch. */
export function ofRun(run: string) {
  const batch = (n: number) => ({ run_id: run, batch_id: `batch-${n}` });
  const step = (n: number) => ({ run_id: run, step_id: `step-${n}` });
  const request = { sha256: '0'.repeat(64), size: 1 };
  return {
    step: (n: number, watermark = n - 1) => written('step_started', { ...step(n), watermark_seq: watermark }),
    attempt: (n: number, attempt = 1) => written('model_attempt_started', { ...step(n), attempt, request }),
    attempted: (n: number, attempt = 1) =>
      written('model_attempt_finished', {
        ...{ ...step(n), attempt, request, response: null, http_status: 500, content_type: null, response_body_cap: null },
        ...{ outcome: 'provider_error', ts_ms: 1 },
      }),
    says: (n: number, text: string | null) =>
      written('model_step_finished', { ...step(n), assistant: { text, tool_calls: [] }, usage: null }),
    asks: (n: number, ...calls: (readonly [id: string, name?: string, given?: string])[]) =>
      written('model_step_finished', {
        ...step(n),
        assistant: {
          text: null,
          tool_calls: calls.map(([id, name = 'charge', given = '{"amount":7}']) => ({ id, name, arguments: given })),
        },
        usage: null,
      }),
    wants: (n: number, id: string, name = 'refund') =>
      written('approval_requested', { ...batch(n), ...step(n), tool_call_id: id, name, arguments_sha256: '0'.repeat(64) }),
    pauses: () => written('run_paused', { run_id: run, reason: 'approval_required' }),
    decides: (n: number, id: string, decision: 'approved' | 'denied', seq = 1) =>
      written('approval_resolved', { ...batch(n), tool_call_id: id, request_seq: seq, decision, by: 'operator' }),
    plans: (n: number, mode: 'sequential' | 'parallel', ...calls: (readonly [id: string, name?: string, reason?: Reason])[]) =>
      written('tool_batch_started', {
        ...{ ...batch(n), ...step(n), mode },
        planned: calls.map(([id, name = 'charge', reason]) => ({
          ...{ tool_call_id: id, name, plan: reason === undefined ? 'dispatch' : 'no_dispatch', reason: reason ?? null },
        })) as RecordPayloads['tool_batch_started']['planned'],
      }),
    intends: (n: number, id: string, name = 'charge', given = '{"amount":7}') =>
      written('tool_dispatch_intent', { ...batch(n), tool_call_id: id, name, arguments: given, approval_seq: null }),
    leaves: (n: number, id: string, reason: Reason) => written('tool_no_dispatch', { ...batch(n), tool_call_id: id, reason }),
    result: (n: number, id: string, outcome: RecordPayloads['tool_result']['outcome'] = 'completed', output = 'done') =>
      written('tool_result', { ...batch(n), tool_call_id: id, outcome, output, is_error: outcome !== 'completed' }),
    batched: (n: number) => written('tool_batch_finished', batch(n)),
    turned: (n: number) => written('turn_finished', step(n)),
    steers: (text: string, id?: string) =>
      written('steered', { run_id: run, input: { text }, ...(id === undefined ? {} : { send_id: id }) }),
    cancels: (at: 'step_boundary' | 'now' = 'step_boundary') => written('run_cancel_requested', { run_id: run, at }),
    ends: (reason: RecordPayloads['run_finished']['reason'] = 'completed') =>
      written('run_finished', { run_id: run, reason, error: null, usage: { input_tokens: 0, output_tokens: 0 } }),
  };
}

type Reason = RecordPayloads['tool_no_dispatch']['reason'];

export function queues(id: string, text = 'Later.', delivery?: 'interrupt'): Written {
  return written('queued', { submission_id: id, input: { text }, ...(delivery === undefined ? {} : { delivery }) });
}

export function retracts(id: string): Written {
  return written('retracted', { submission_id: id });
}
