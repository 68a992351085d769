/**
 * The scenario of the calls subject: what a producer is asked to do, as one JSON file. Documented in `README.md` beside this file.
 *
 * Plans are written by people. Every mistake is collected with its JSON pointer and reported at once, before anything runs.
 */
import type { OfferedItem } from '../../calls/core/compile.js';
import { idPattern } from '../../core/ids.js';
import { keyPattern } from '../../calls/core/request.js';
import type { RetryPolicy } from '../../calls/core/vocabulary.js';
import { UsageError } from '../kit/environment.js';
import {
  anyText,
  between,
  choice,
  count,
  flag,
  jsonObject,
  list,
  matching,
  nonEmpty,
  nullable,
  object,
  optional,
  text,
  type Check,
} from '../kit/shape.js';

export interface OfferedContext {
  items: OfferedItem[];
  required_ids: string[];
}

export interface Scenario {
  commit: 'each' | 'grouped';
  task: {
    task_id: string;
    title: string;
    objective: string;
    claim: { claim_id: string; statement: string; basis: string };
  };
  context: {
    budget_tokens: number;
    renderer_version?: 1 | 2;
    items: OfferedItem[];
    required_ids: string[];
    tokenizer?: 'o200k_base';
    /** Compiled together, in the place of the single context. */
    fan_out?: OfferedContext[];
  };
  call: {
    idempotency_key: string;
    instruction: string;
    model: string;
    system: string;
    honours_key: boolean;
    timeout_ms: number;
    max_request_bytes?: number;
    retry: RetryPolicy;
    reconcile?: 'none' | 'lookup' | 'fence';
    tools?: object[];
  } | null;
  accept: null | 'accepted' | 'rejected';
  dial: { host: string; port: number } | null;
}

export const id = matching(idPattern, 'an id: up to 128 of A-Z a-z 0-9 . _ -, the first a letter or digit');
const key = matching(keyPattern, 'a key: 1 to 255 printable ASCII characters, without spaces at its ends');

const offered = {
  items: list(object({ id, kind: choice('record', 'claim', 'artifact'), required: flag, content: anyText, lineage: list(text) })),
  required_ids: list(text),
};
/** What is offered to a compilation: of a scenario, and of an input that fixes one. */
export const offeredContext: Check = object(offered);

const scenario: Check = object({
  commit: choice('each', 'grouped'),
  task: object({ task_id: id, title: text, objective: text, claim: object({ claim_id: id, statement: text, basis: text }) }),
  context: object({
    budget_tokens: count,
    renderer_version: optional(choice(1, 2)),
    ...offered,
    tokenizer: optional(choice('o200k_base')),
    fan_out: optional(nonEmpty(list(offeredContext))),
  }),
  call: nullable(
    object({
      idempotency_key: key,
      instruction: text,
      model: text,
      system: anyText,
      honours_key: flag,
      timeout_ms: between(1, 2 ** 31 - 1),
      max_request_bytes: optional(count),
      retry: object({
        max_attempts: between(1, Number.MAX_SAFE_INTEGER),
        retry_statuses: list(between(100, 999)),
        retry_not_sent: flag,
        retry_broken_if_key_honoured: flag,
      }),
      reconcile: optional(choice('none', 'lookup', 'fence')),
      tools: optional(list(jsonObject)),
    }),
  ),
  accept: nullable(choice('accepted', 'rejected')),
  dial: nullable(object({ host: text, port: between(1, 65_535) })),
});

/** The scenario, or a `UsageError` that names every mistake. */
export function asScenario(value: unknown): Scenario {
  const problems = scenario(value, '');
  if (problems.length > 0) throw new UsageError(`The scenario is not valid: ${problems.join('; ')}.`);
  return value as Scenario;
}
