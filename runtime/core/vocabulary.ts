/** The words of the contract that code names most: types alone, and the one list of operations. */
import type { CallManifest, ContextCompilationRequested, WorkState } from '../contract/types.js';

export type Call = WorkState['calls'][number];
export type Operation = WorkState['task']['next_operation'];
export const operations = [
  'none',
  'start_call',
  'fix_inputs',
  'recompile',
  'reconcile_effect',
  'start_next_attempt',
  'reinterpret',
  'redecide',
  'finalize',
  'check_and_accept',
] as const satisfies readonly Operation[];
export type Stage = Call['stage'];
export type Effect = Call['provider_effect'];
export type Hashes = NonNullable<Call['manifest']>;
/** Which of the three hashes of a manifest differ. */
export type Drift = 'context_package' | 'rendered_context' | 'request_body';
export type ContextItem = ContextCompilationRequested['offered'][number];
export type Manifest = CallManifest;
export type RetryPolicy = CallManifest['retry_policy'];
