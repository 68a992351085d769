/**
 * The decision table of a call's work state, rows A to Q of the contract. The evidence is reduced to yes/no questions, each row is
 * a pattern over them, and the first row that matches wins. A test feeds every combination and demands exactly one answer.
 */
import type { SharedEffect, SharedFinding, SharedOperation, SharedStage } from '../../contract/types.js';

export interface Evidence {
  readonly superseded: boolean;
  readonly completed: boolean;
  readonly preparationFailed: boolean;
  readonly manifest: boolean;
  readonly attempted: boolean;
  /** A duplicate was accepted, and no attempt has spent that yet. */
  readonly decisionUnspent: boolean;
  readonly anyUnsettled: boolean;
  /** Somebody asked about each attempt that is unsettled. */
  readonly allAsked: boolean;
  readonly keyHonoured: boolean;
  /** Known to have happened: complete, reconciled as served, or settled by a later complete under its key. */
  readonly anyServed: boolean;
  readonly anyPassedOver: boolean;
  readonly deciding: {
    /** The last word of a reconciliation about it. */
    readonly finding: SharedFinding | null;
    /** Its own complete delivery, or an adopted response. */
    readonly responded: boolean;
    readonly notSent: boolean;
    /** Of that response. */
    readonly interpreted: boolean;
    readonly decision: 'retry' | 'stop' | null;
    readonly completed: boolean;
  };
}

export interface Row {
  readonly label: string;
  readonly when: (evidence: Evidence) => boolean;
  readonly stage: SharedStage;
  readonly next: SharedOperation;
  readonly effect: SharedEffect | 'as recorded';
}

const undecided = ({ deciding }: Evidence): boolean => deciding.decision === null && !deciding.completed;
const allAsked = (e: Evidence): boolean => e.anyUnsettled && e.allAsked;

export const rows: readonly Row[] = [
  { label: 'A', when: (e) => e.superseded, stage: 'superseded', next: 'none', effect: 'as recorded' },
  { label: 'B', when: (e) => e.completed, stage: 'completed', next: 'none', effect: 'as recorded' },
  { label: 'C', when: (e) => e.preparationFailed, stage: 'preparation_failed', next: 'fix_inputs', effect: 'absent' },
  { label: 'D', when: (e) => !e.manifest, stage: 'requested', next: 'start_call', effect: 'absent' },
  { label: 'E', when: (e) => !e.attempted, stage: 'manifest_recorded', next: 'start_call', effect: 'absent' },
  {
    label: 'L',
    when: (e) => e.decisionUnspent,
    stage: 'duplicate_accepted',
    next: 'start_next_attempt',
    effect: 'as recorded',
  },
  {
    label: 'M',
    when: (e) => allAsked(e) && e.keyHonoured,
    stage: 'retry_safe',
    next: 'start_next_attempt',
    effect: 'unknown',
  },
  { label: 'N', when: allAsked, stage: 'operator_needed', next: 'decide', effect: 'unknown' },
  { label: 'F', when: (e) => e.anyUnsettled, stage: 'effect_unknown', next: 'reconcile_effect', effect: 'unknown' },
  {
    label: 'P',
    when: ({ deciding }) => deciding.finding === 'served' && !deciding.responded,
    stage: 'response_lost',
    next: 'decide',
    effect: 'happened',
  },
  {
    label: 'Q',
    when: ({ deciding }) => deciding.finding === 'not_served',
    stage: 'not_served',
    next: 'start_next_attempt',
    effect: 'as recorded',
  },
  {
    label: 'G',
    when: (e) => e.deciding.notSent && undecided(e),
    stage: 'not_sent',
    next: 'start_next_attempt',
    effect: 'as recorded',
  },
  {
    label: 'H',
    when: (e) => e.deciding.responded && !e.deciding.interpreted && undecided(e),
    stage: 'observed',
    next: 'reinterpret',
    effect: 'happened',
  },
  {
    label: 'I',
    when: (e) => e.deciding.interpreted && undecided(e),
    stage: 'interpreted',
    next: 'redecide',
    effect: 'happened',
  },
  {
    label: 'J',
    when: ({ deciding }) => deciding.decision === 'retry',
    stage: 'retry_due',
    next: 'start_next_attempt',
    effect: 'as recorded',
  },
  { label: 'K', when: () => true, stage: 'undecided_end', next: 'finalize', effect: 'as recorded' },
];

function recordedEffect({ anyUnsettled, anyServed, anyPassedOver }: Evidence): SharedEffect {
  if (anyUnsettled) return 'unknown';
  if (anyServed) return 'happened';
  return anyPassedOver ? 'unknown' : 'absent';
}

export function classify(evidence: Evidence): { label: string; stage: SharedStage; next: SharedOperation; effect: SharedEffect } {
  const row = rows.find(({ when }) => when(evidence));
  if (row === undefined) throw new Error('The last row of the table matches everything.');
  const effect = row.effect === 'as recorded' ? recordedEffect(evidence) : row.effect;
  return { label: row.label, stage: row.stage, next: row.next, effect };
}
