/** The words of the contract that code names most: types alone, and the one list of operations. */
import type { Answer, CallManifest, ContextCompilationRequested, EffectReconciled, WorkState } from '../../contract/types.js';

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
  'decide',
] as const satisfies readonly Operation[];
export type Stage = Call['stage'];
export type Effect = Call['provider_effect'];
export type Hashes = NonNullable<Call['manifest']>;
/** What a recovery carries out: an operation, or the one decision that is not projected by its own name. */
export type CarriedOut = NonNullable<Answer['operations']>[number];
/** What would not be as recorded: one of the three hashes of a manifest, or a member of a spec. */
export type Drift = NonNullable<Answer['refusal']>['drift'][number];
export type Finding = EffectReconciled['finding'];
export type ReconciledReason = EffectReconciled['reason'];
/** A tool as it stands in the request body: any JSON object. */
export type Tool = object;
/** How the provider is asked what became of a key. */
export type ReconcileBy = 'none' | 'lookup' | 'fence';
export type ContextItem = ContextCompilationRequested['offered'][number];
export type Manifest = CallManifest;
export type RetryPolicy = CallManifest['retry_policy'];
