/**
 * The decision table of a call's work state, rows A to K of the contract. The evidence is reduced to yes/no questions, each row is
 * a pattern over them, and the first row that matches wins. A test feeds every combination and demands exactly one answer.
 */
import type { SharedEffect, SharedOperation, SharedStage } from '../contract/types.js';

export interface Evidence {
  readonly superseded: boolean;
  readonly completed: boolean;
  readonly preparationFailed: boolean;
  readonly manifest: boolean;
  readonly attempted: boolean;
  readonly anyUnsettled: boolean;
  /** Complete itself, or settled by a later complete under its key. */
  readonly anyServed: boolean;
  /** About the last attempt. */
  readonly lastDelivery: 'complete' | 'not_sent' | 'broken' | null;
  readonly lastInterpreted: boolean;
  readonly lastDecision: 'retry' | 'stop' | null;
  readonly lastCompleted: boolean;
}

export interface Row {
  readonly label: string;
  readonly when: (evidence: Evidence) => boolean;
  readonly stage: SharedStage;
  readonly next: SharedOperation;
  readonly effect: SharedEffect | 'as recorded';
}

const undecided = (e: Evidence): boolean => e.lastDecision === null && !e.lastCompleted;

export const rows: readonly Row[] = [
  { label: 'A', when: (e) => e.superseded, stage: 'superseded', next: 'none', effect: 'as recorded' },
  { label: 'B', when: (e) => e.completed, stage: 'completed', next: 'none', effect: 'as recorded' },
  { label: 'C', when: (e) => e.preparationFailed, stage: 'preparation_failed', next: 'fix_inputs', effect: 'absent' },
  { label: 'D', when: (e) => !e.manifest, stage: 'requested', next: 'start_call', effect: 'absent' },
  { label: 'E', when: (e) => !e.attempted, stage: 'manifest_recorded', next: 'start_call', effect: 'absent' },
  { label: 'F', when: (e) => e.anyUnsettled, stage: 'effect_unknown', next: 'reconcile_effect', effect: 'unknown' },
  {
    label: 'G',
    when: (e) => e.lastDelivery === 'not_sent' && undecided(e),
    stage: 'not_sent',
    next: 'start_next_attempt',
    effect: 'absent',
  },
  {
    label: 'H',
    when: (e) => e.lastDelivery === 'complete' && !e.lastInterpreted && undecided(e),
    stage: 'observed',
    next: 'reinterpret',
    effect: 'happened',
  },
  { label: 'I', when: (e) => e.lastInterpreted && undecided(e), stage: 'interpreted', next: 'redecide', effect: 'happened' },
  { label: 'J', when: (e) => e.lastDecision === 'retry', stage: 'retry_due', next: 'start_next_attempt', effect: 'as recorded' },
  { label: 'K', when: () => true, stage: 'undecided_end', next: 'finalize', effect: 'as recorded' },
];

function recordedEffect(evidence: Evidence): SharedEffect {
  if (evidence.anyUnsettled) return 'unknown';
  return evidence.anyServed ? 'happened' : 'absent';
}

export function classify(evidence: Evidence): { label: string; stage: SharedStage; next: SharedOperation; effect: SharedEffect } {
  const row = rows.find(({ when }) => when(evidence));
  if (row === undefined) throw new Error('The last row of the table matches everything.');
  const effect = row.effect === 'as recorded' ? recordedEffect(evidence) : row.effect;
  return { label: row.label, stage: row.stage, next: row.next, effect };
}
