/**
 * What a later process may know and do about one call: one labelled table, the first matching row wins.
 *
 * The question behind every row is "could the effect have happened?". F is the dangerous one: between a committed
 * `attempt.started` and its settled observation nobody can know. L to N are what follows from having asked: only an accepted duplicate or
 * an honoured key leads from an unknown effect to another attempt. The row labels are those of `evidence/schema/README.md`; a test feeds
 * every combination of evidence and demands a row for each.
 */
import type { Effect, Operation, Stage } from './vocabulary.js';

export interface Evidence {
  superseded: boolean;
  completed: boolean;
  preparationFailed: boolean;
  manifest: boolean;
  /** At least one attempt was started. */
  attempted: boolean;
  /** An operator accepted a duplicate, and no attempt has spent that. */
  unspentDecision: boolean;
  /** At least one attempt is settled by nothing. */
  unsettled: boolean;
  /** Every unsettled attempt was asked about, in vain. */
  asked: boolean;
  /** The manifest declares that the provider honours the key. */
  honoursKey: boolean;
  /** At least one attempt was served. */
  served: boolean;
  /** At least one attempt, perhaps served, was given up by an accepted duplicate. */
  passedOver: boolean;
  /** Of the attempt that decides: what was observed or adopted, and what came after that. */
  deciding: {
    reconciled: 'served_without_response' | 'not_served' | null;
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

const nothingDecided = ({ deciding }: Evidence): boolean => deciding.decision === null && !deciding.completed;

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
    label: 'L',
    matches: (evidence) => evidence.unspentDecision,
    stage: 'duplicate_accepted',
    operation: 'start_next_attempt',
    effect: 'as recorded',
    reason: 'An operator accepted to pay again, if need be; one attempt may spend that.',
  },
  {
    label: 'M',
    matches: (evidence) => evidence.unsettled && evidence.asked && evidence.honoursKey,
    stage: 'retry_safe',
    operation: 'start_next_attempt',
    effect: 'unknown',
    reason: 'The effect stays unknown, and the provider is declared to honour the key: another attempt has no second effect.',
  },
  {
    label: 'N',
    matches: (evidence) => evidence.unsettled && evidence.asked,
    stage: 'operator_needed',
    operation: 'decide',
    effect: 'unknown',
    reason: 'The provider was asked and the effect stays unknown: ask again, state what is known, or accept a duplicate.',
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
    label: 'P',
    matches: (evidence) => evidence.deciding.reconciled === 'served_without_response',
    stage: 'response_lost',
    operation: 'decide',
    effect: 'happened',
    reason: 'The request was served and its response is lost: supply it, ask again, or accept a duplicate.',
  },
  {
    label: 'Q',
    matches: (evidence) => evidence.deciding.reconciled === 'not_served',
    stage: 'not_served',
    operation: 'start_next_attempt',
    effect: 'as recorded',
    reason: 'It was found that the request was not served and will not be.',
  },
  {
    label: 'G',
    matches: (evidence) => evidence.deciding.delivery === 'not_sent' && nothingDecided(evidence),
    stage: 'not_sent',
    operation: 'start_next_attempt',
    effect: 'as recorded',
    reason: 'It is proved that the last attempt sent nothing.',
  },
  {
    label: 'H',
    matches: (evidence) =>
      evidence.deciding.delivery === 'complete' && !evidence.deciding.interpreted && nothingDecided(evidence),
    stage: 'observed',
    operation: 'reinterpret',
    effect: 'happened',
    reason: 'The response bytes are preserved; the provider is not needed again.',
  },
  {
    label: 'I',
    matches: (evidence) => evidence.deciding.interpreted && nothingDecided(evidence),
    stage: 'interpreted',
    operation: 'redecide',
    effect: 'happened',
    reason: 'The response is interpreted; what follows from it is not yet decided.',
  },
  {
    label: 'J',
    matches: (evidence) => evidence.deciding.decision === 'retry',
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

/** "As recorded": unknown if an attempt is unsettled, else happened if one was served, else unknown if one was passed over, else absent. */
export function effectOf(row: Row, evidence: Evidence): Effect {
  if (row.effect !== 'as recorded') return row.effect;
  if (evidence.unsettled) return 'unknown';
  if (evidence.served) return 'happened';
  return evidence.passedOver ? 'unknown' : 'absent';
}
