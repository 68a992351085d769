/**
 * In which state one call of a batch is: one labelled table, the first matching row wins.
 *
 * Fault model: the process may die after any record. The question behind every row is "could the call have left?". It can have left only
 * after its intent, so an intent without a terminal is the one case in which nobody can know (H). G is its only exception: a sequential
 * batch hands over a call when the one before it has its result, and a close-out hands over nothing.
 */
import type { Step, ToolCall } from './run.js';
import type { BatchMode, CallState, Decision, Planned, ResultOutcome } from './vocabulary.js';

export interface CallEvidence {
  /** Of its `tool_result`. */
  outcome: ResultOutcome | null;
  /** It has its `tool_no_dispatch`. */
  noDispatch: boolean;
  intent: boolean;
  /** Null before its batch is planned. */
  batch: { mode: BatchMode; plan: Planned['plan'] } | null;
  /** A call that is planned before it ended as `interrupted` or `max_steps`. */
  afterClosed: boolean;
  approval: Decision | 'asked' | null;
}

/** What whoever replays does about such a call. */
export type Replay = 'keep' | 'close' | 'close_unknown' | 'record_no_dispatch' | 'dispatch' | 'plan';

export interface CallRow {
  label: string;
  matches: (evidence: CallEvidence) => boolean;
  state: CallState;
  replay: Replay;
}

const ended = (label: string, outcome: ResultOutcome): CallRow => ({
  label,
  matches: (evidence) => evidence.outcome === outcome,
  state: outcome,
  replay: 'keep',
});

export const callTable: readonly CallRow[] = [
  ended('A', 'completed'),
  ended('B', 'not_sent'),
  ended('C', 'interrupted'),
  ended('D', 'max_steps'),
  ended('E', 'unknown'),
  { label: 'F', matches: ({ noDispatch }) => noDispatch, state: 'no_dispatch', replay: 'keep' },
  {
    label: 'G',
    matches: ({ intent, batch, afterClosed }) => intent && batch?.mode === 'sequential' && afterClosed,
    state: 'held_successor',
    replay: 'close',
  },
  { label: 'H', matches: ({ intent }) => intent, state: 'indeterminate', replay: 'close_unknown' },
  {
    label: 'I',
    matches: ({ batch }) => batch?.plan === 'no_dispatch',
    state: 'never_dispatchable',
    replay: 'record_no_dispatch',
  },
  { label: 'J', matches: ({ batch }) => batch?.plan === 'dispatch', state: 'never_left', replay: 'dispatch' },
  { label: 'K', matches: ({ approval }) => approval === 'denied', state: 'denied', replay: 'plan' },
  { label: 'L', matches: ({ approval }) => approval === 'approved', state: 'approved', replay: 'plan' },
  { label: 'M', matches: ({ approval }) => approval === 'asked', state: 'awaiting_approval', replay: 'plan' },
  { label: 'N', matches: () => true, state: 'pending', replay: 'plan' },
];

/** The first row that matches; row N makes the table total. */
export function classifyCall(evidence: CallEvidence): CallRow {
  return callTable.find((row) => row.matches(evidence)) as CallRow;
}

/** The states of all calls of a step, in the order of the answer. */
export function callStatesOf(step: Step): CallState[] {
  let afterClosed = false;
  return step.calls.map((call) => {
    const { state } = classifyCall(evidenceOf(step, call, afterClosed));
    afterClosed ||= closes(call);
    return state;
  });
}

export function evidenceOf(
  step: Step,
  { index, terminal, intent, planned, approval }: ToolCall,
  afterClosed: boolean = step.calls.slice(0, index).some(closes),
): CallEvidence {
  return {
    outcome: terminal?.kind === 'result' ? terminal.outcome : null,
    noDispatch: terminal?.kind === 'no_dispatch',
    intent: intent !== null,
    batch: step.batch === null || planned === null ? null : { mode: step.batch.mode, plan: planned.plan },
    afterClosed,
    approval: approval === null ? null : (approval.answer?.decision ?? 'asked'),
  };
}

/** A sequential batch went no further than such a call. */
export function closes({ terminal }: Pick<ToolCall, 'terminal'>): boolean {
  return terminal?.kind === 'result' && (terminal.outcome === 'interrupted' || terminal.outcome === 'max_steps');
}
