/**
 * The scenario of the sessions subject: the configuration of a session, what the producer does, and what it does meanwhile, as one JSON file.
 * Documented in `README.md` beside this file.
 *
 * Plans are written by people. Every mistake is collected with its JSON pointer and reported at once, before anything runs.
 */
import type { SharedRunConfig, SharedTool } from '../../contract/types.js';
import { idPattern } from '../../core/ids.js';
import { recordTypes } from '../../sessions/core/records.js';
import { UsageError } from '../kit/environment.js';
import {
  anyText,
  between,
  choice,
  flag,
  list,
  matching,
  nonEmpty,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type Check,
} from '../kit/shape.js';

export interface SessionSettings extends Pick<
  SharedRunConfig,
  'model' | 'system' | 'batch' | 'max_steps' | 'model_leg' | 'model_attempts' | 'model_timeout_ms' | 'times'
> {
  session_id: string;
  tools: SharedTool[];
  render_version?: number;
  freeze?: boolean;
  ceiling_bytes?: number | null;
}

export interface Send {
  run_id: string;
  text: string;
}
export interface Queue {
  submission_id: string;
  text: string;
  delivery: 'plain' | 'interrupt';
}
export interface Retract {
  submission_id: string;
}
export interface Approve {
  tool_call_id: string;
  decision: 'approved' | 'denied';
  by: string;
}
export interface Cancel {
  at: 'step_boundary' | 'now';
}
export interface Steer {
  text: string;
  send_id?: string;
}

/** What can be done while a run goes on. */
export type Meanwhile =
  ({ do: 'steer' } & Steer) | ({ do: 'queue' } & Queue) | ({ do: 'retract' } & Retract) | ({ do: 'cancel' } & Cancel);

export type ScriptStep =
  Exclude<Meanwhile, { do: 'steer' }> | ({ do: 'send' } & Send) | ({ do: 'approve' } & Approve) | { do: 'resume' };

export type During = Meanwhile & { after: string };

export interface Scenario {
  commit: 'each' | 'grouped';
  session: SessionSettings;
  script: ScriptStep[];
  during?: During[];
}

const id = matching(idPattern, 'an id: up to 128 of A-Z a-z 0-9 . _ -, the first a letter or digit');
const callId = matching(/^[A-Za-z0-9_.:-]{1,128}$/, 'an id of a call: up to 128 of A-Z a-z 0-9 _ . : -');
const toolName = matching(/^[A-Za-z0-9_-]{1,64}$/, 'a name: up to 64 of A-Z a-z 0-9 _ -');
const positive = between(1, Number.MAX_SAFE_INTEGER);
const timeout = between(1, 2 ** 31 - 1);

export const shapes = {
  send: { run_id: id, text },
  queue: { submission_id: id, text, delivery: choice('plain', 'interrupt') },
  retract: { submission_id: id },
  approve: { tool_call_id: callId, decision: choice('approved', 'denied'), by: text },
  cancel: { at: choice('step_boundary', 'now') },
  steer: { text, send_id: optional(id) },
  resume: {},
} as const satisfies Record<string, Record<string, Check>>;

const { send, queue, retract, approve, cancel, steer, resume } = shapes;

const tool: Check = object({
  name: toolName,
  description: anyText,
  arguments: list(object({ name: toolName, type: choice('string', 'integer', 'boolean'), required: flag })),
  kind: choice('http', 'command'),
  effect: nullable(toolName),
  argv: nullable(nonEmpty(list(text))),
  safety: choice('side_effect', 'idempotent', 'pure'),
  approval: choice('never', 'required', 'blocked'),
  on_unknown: choice('interrupt', 'continue'),
  timeout_ms: timeout,
});

const after = matching(new RegExp(`^(${recordTypes.join('|')})#[1-9]\\d{0,8}$`), 'a record and its number, as in tool_result#1');

const scenario: Check = object({
  commit: choice('each', 'grouped'),
  session: object({
    session_id: id,
    model: text,
    system: anyText,
    tools: list(tool),
    batch: choice('sequential', 'parallel'),
    max_steps: positive,
    model_leg: choice('rerun', 'intent'),
    model_attempts: positive,
    model_timeout_ms: timeout,
    times: flag,
    render_version: optional(positive),
    freeze: optional(flag),
    ceiling_bytes: optional(nullable(positive)),
  }),
  script: list(oneOf('do', { send, queue, retract, approve, cancel, resume })),
  during: optional(list(oneOf('do', { steer, queue, retract, cancel }, { after }))),
});

/** The scenario, or a `UsageError` that names every mistake. */
export function asScenario(value: unknown): Scenario {
  const problems = scenario(value, '');
  if (problems.length > 0) throw new UsageError(`The scenario is not valid: ${problems.join('; ')}.`);
  return value as Scenario;
}
