/**
 * What a later process may know and do about one call: one labelled table, the first matching row wins.
 *
 * The question behind every row is "could the effect have happened?". F is the dangerous one: between a committed
 * `attempt.started` and its settled observation nobody can know. The row labels are those of `evidence/schema/README.md`; a test
 * feeds every combination of evidence and demands a row for each.
 */
import type { Effect, Operation, Stage } from './vocabulary.js';

export interface Evidence {
  superseded: boolean;
  completed: boolean;
  preparationFailed: boolean;
  manifest: boolean;
  /** At least one attempt was started. */
  attempted: boolean;
  /** At least one attempt is neither observed whole, nor proved unsent, nor settled under an honoured key. */
  unsettled: boolean;
  /** At least one attempt was served. */
  served: boolean;
  /** Of the last attempt. */
  last: {
    delivery: 'complete' | 'not_sent' | 'broken' | null;
    interpreted: boolean;
    decision: 'retry' | 'stop' | null;
    completed: boolean;
  };
}

export interface Row {
  label: string;
  matches: (evidence: Evidence) => boolean;
  stage: Stage;
  operation: Operation;
  effect: Effect | 'as recorded';
  reason: string;
}

const nothingDecided = ({ last }: Evidence): boolean => last.decision === null && !last.completed;

export const table: readonly Row[] = [
  {
    label: 'A',
    matches: (evidence) => evidence.superseded,
    stage: 'superseded',
    operation: 'none',
    effect: 'as recorded',
    reason: 'A later call is linked to this one and took its place.',
  },
  {
    label: 'B',
    matches: (evidence) => evidence.completed,
    stage: 'completed',
    operation: 'none',
    effect: 'as recorded',
    reason: 'The call is closed.',
  },
  {
    label: 'C',
    matches: (evidence) => evidence.preparationFailed,
    stage: 'preparation_failed',
    operation: 'fix_inputs',
    effect: 'absent',
    reason: 'The request could not be built; nothing was sent.',
  },
  {
    label: 'D',
    matches: (evidence) => !evidence.manifest,
    stage: 'requested',
    operation: 'start_call',
    effect: 'absent',
    reason: 'No manifest was recorded, so no attempt can have started.',
  },
  {
    label: 'E',
    matches: (evidence) => !evidence.attempted,
    stage: 'manifest_recorded',
    operation: 'start_call',
    effect: 'absent',
    reason: 'The intended request is recorded and no attempt was started.',
  },
  {
    label: 'F',
    matches: (evidence) => evidence.unsettled,
    stage: 'effect_unknown',
    operation: 'reconcile_effect',
    effect: 'unknown',
    reason: 'An attempt was started and nothing settles it: the request may have been served. Repeating risks a duplicate.',
  },
  {
    label: 'G',
    matches: (evidence) => evidence.last.delivery === 'not_sent' && nothingDecided(evidence),
    stage: 'not_sent',
    operation: 'start_next_attempt',
    effect: 'absent',
    reason: 'It is proved that the last attempt sent nothing.',
  },
  {
    label: 'H',
    matches: (evidence) => evidence.last.delivery === 'complete' && !evidence.last.interpreted && nothingDecided(evidence),
    stage: 'observed',
    operation: 'reinterpret',
    effect: 'happened',
    reason: 'The response bytes are preserved; the provider is not needed again.',
  },
  {
    label: 'I',
    matches: (evidence) => evidence.last.interpreted && nothingDecided(evidence),
    stage: 'interpreted',
    operation: 'redecide',
    effect: 'happened',
    reason: 'The response is interpreted; what follows from it is not yet decided.',
  },
  {
    label: 'J',
    matches: (evidence) => evidence.last.decision === 'retry',
    stage: 'retry_due',
    operation: 'start_next_attempt',
    effect: 'as recorded',
    reason: 'The recorded policy asked for another attempt, which was not started.',
  },
  {
    label: 'K',
    matches: () => true,
    stage: 'undecided_end',
    operation: 'finalize',
    effect: 'as recorded',
    reason: 'Everything about the last attempt is known; the call was not closed.',
  },
];

/** The first row that matches; row K makes the table total. */
export function classify(evidence: Evidence): Row {
  return table.find((row) => row.matches(evidence)) as Row;
}

/** "As recorded": unknown if an attempt is unsettled, else happened if one was served, else absent. */
export function effectOf(row: Row, evidence: Evidence): Effect {
  if (row.effect !== 'as recorded') return row.effect;
  if (evidence.unsettled) return 'unknown';
  return evidence.served ? 'happened' : 'absent';
}
