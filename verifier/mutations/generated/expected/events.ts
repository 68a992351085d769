/**
 * What must come of a break in an event of a ledger, by G8 to G14, G19 to G22, G26 to G32. The event is broken wherever the case holds it, and
 * whatever is told of the ledger agrees.
 */
import type { FindingCode } from '../../../checks/check.js';
import type { Caught, Free, Row, Table } from '../operator.js';
import { byTrace } from './words.js';

/** What a record that reads otherwise may bring along: it is held against its receipts, its scenario, its plan and itself. */
const readsOtherwise: readonly FindingCode[] = [
  ...(['prediction-failed', 'scenario-unplanned', 'script-departed', 'spec-mismatch', 'manifest-mismatch'] as const),
  ...(['order-violated', 'interpretation-mismatch', 'retry-unlawful', 'completion-unsound', 'receipt-unintended'] as const),
  ...(['intent-unserved', 'observation-mismatch', 'resume-unlawful', 'attempt-unlawful', 'reconciliation-unsound'] as const),
  ...(['recovery-unlawful', 'recovery-diverged', 'race-doubled', 'race-lost', 'refusal-acted', 'control-silent'] as const),
  // A trace explains the bytes of its run.
  ...(['checkpoint-mismatch', 'fault-ignored', 'fault-unproven', 'syscall-missed'] as const),
];

const caught = (...by: FindingCode[]): Caught => ({ by, with: readsOtherwise });
/** It names an artifact: under no hash of its own it is missed, under that of another one the meaning is another. */
const hashed = (...by: FindingCode[]): Row[] => [
  { of: ['another digest', 'added'], by: ['artifact-missing'], with: readsOtherwise },
  { by, with: [...readsOtherwise, 'artifact-altered', 'artifact-missing'] },
];
const free = (sentence: string): Free => ({ free: sentence });

const newer = (what: string): Row => ({
  unknown: `A ${what} that is not known here may be that of a newer runtime: what it would have made of this cannot be told.`,
});
const words = free('The contract has a runtime say this in its own words; nothing is decided from it.');
const marked = caught('recovery-unlawful');
/** An operation can be carried out by hand in the place of another only where the record allows it. */
const recovery = { recovery: marked, 'recovery.*': marked };

/** Where a spec, a reading or a manifest that carries it on says which it is. */
const interpreters: readonly Row[] = [
  { when: ['specified'], ...caught('spec-mismatch', 'interpretation-mismatch') },
  { when: ['interpreted'], ...caught('interpretation-mismatch') },
  { when: ['carried-on'], ...caught('resume-unlawful') },
];
const requested = caught('manifest-mismatch', 'scenario-unplanned');
const sized = caught('manifest-mismatch', 'scenario-unplanned');
const planned = caught('scenario-unplanned');
const read = caught('interpretation-mismatch');
const reconciled = caught('reconciliation-unsound');
const sent = caught('scenario-unplanned', 'resume-unlawful', 'spec-mismatch');

export const events: Table = {
  'event (row)': {
    // What has no known type is no event to whoever reads it, and the export has it.
    type: { by: ['event-malformed'], with: [...readsOtherwise, 'artifact-orphaned', 'export-mismatch', 'state-mismatch'] },
    task_id: caught('order-violated', 'scenario-unplanned'),
    call_id: { by: ['order-violated', 'event-malformed'], with: readsOtherwise },
    attempt_id: { by: ['order-violated', 'event-malformed'], with: readsOtherwise },
    compilation_id: { by: ['order-violated', 'event-malformed'], with: readsOtherwise },
    recorded_at: free('recorded_at is wall time, for people; a clock may stand anywhere, and jump.'),
  },
  'event task.created': { title: planned },
  'event objective.recorded': { '*': planned },
  'event claim.recorded': { '*': planned },
  'event context.compilation_requested': {
    'compiler*': newer('compiler'),
    budget_tokens: requested,
    offered: [{ of: ['element added'], by: ['artifact-missing'], with: readsOtherwise }, requested],
    'offered[]*': requested,
    'offered[].size*': sized,
    'offered[].content_sha256': hashed('manifest-mismatch', 'scenario-unplanned'),
    'required_ids*': requested,
    ...recovery,
    'fan_out*': caught('order-violated', 'scenario-unplanned'),
    replaces: caught('order-violated', 'recovery-unlawful', 'scenario-unplanned'),
  },
  'event context.compiled': {
    context_package_sha256: hashed('manifest-mismatch'),
    'included_ids*': caught('manifest-mismatch'),
    'excluded*': caught('manifest-mismatch'),
    total_tokens: caught('manifest-mismatch'),
    ...recovery,
  },
  'event context.compilation_failed': {
    error: caught('manifest-mismatch'),
    message: words,
    ...recovery,
  },
  'event call.requested': {
    idempotency_key: caught('scenario-unplanned', 'resume-unlawful'),
    instruction: caught('manifest-mismatch', 'scenario-unplanned', 'spec-mismatch'),
    ...recovery,
    spec_sha256: [{ of: ['absent'], by: ['spec-mismatch'], with: readsOtherwise }, ...hashed('spec-mismatch')],
    replaces: caught('order-violated', 'recovery-unlawful'),
  },
  'event call.preparation_failed': {
    error: caught('order-violated', 'manifest-mismatch', 'spec-mismatch'),
    message: words,
  },
  'event call.manifest': {
    context_package_sha256: hashed('manifest-mismatch'),
    rendered_context_sha256: hashed('manifest-mismatch'),
    request_body_sha256: hashed('manifest-mismatch'),
    'renderer*': caught('manifest-mismatch', 'scenario-unplanned'),
    'interpreter.name': [...interpreters, newer('interpreter')],
    'interpreter.version': [
      ...interpreters,
      {
        of: ['one more'],
        ...free('Before anything is read, either version of the interpreter may be the one that a runtime has.'),
      },
      newer('interpreter'),
    ],
    interpreter: caught('interpretation-mismatch'),
    'retry_policy*': sent,
    provider: sent,
    'provider.path': caught('receipt-unintended', 'manifest-mismatch', 'spec-mismatch'),
    'provider.honours_key': sent,
  },
  'event call.resumed': {
    old_call_id: caught('order-violated'),
    new_call_id: caught('order-violated'),
    idempotency_key: caught('resume-unlawful', 'order-violated'),
    verified: caught('resume-unlawful'),
    'verified.*': hashed('resume-unlawful').map((row) => ({ ...row, by: ['resume-unlawful', 'artifact-missing'] as const })),
    spec_verified: [
      {
        of: ['added'],
        when: ['old-specified'],
        ...free('A resume that is held against a manifest may be held against the spec as well, which is equal here.'),
      },
      caught('resume-unlawful', 'spec-mismatch'),
    ],
    ...recovery,
  },
  'event attempt.started': {
    number: caught('order-violated'),
    cites: caught('attempt-unlawful'),
    ...recovery,
  },
  'event attempt.observed': {
    delivery: caught('observation-mismatch', 'order-violated'),
    status: caught('observation-mismatch', 'order-violated'),
    response_sha256: [
      { of: ['another digest'], by: ['artifact-missing'], with: readsOtherwise },
      { by: ['observation-mismatch'], with: [...readsOtherwise, 'artifact-altered', 'artifact-missing'] },
    ],
    content_type: { by: ['artifact-altered', 'observation-mismatch'], with: readsOtherwise },
    detail: [
      { when: ['delivery=complete'], ...caught('observation-mismatch') },
      free('Why a delivery was not complete is what the network of the machine says, and says differently.'),
    ],
  },
  'event attempt.interpreted': {
    interpreter: read,
    'interpreter.name': [{ when: ['recovered'], ...newer('interpreter'), or: ['recovery-diverged'] }, read],
    'interpreter.version': caught('interpretation-mismatch', 'scenario-unplanned', 'recovery-unlawful'),
    result: read,
    finish_reason: read,
    text_sha256: hashed('interpretation-mismatch'),
    detail: [{ when: ['refused'], ...read }, words],
    ...recovery,
  },
  'event attempt.retry_decided': { decision: caught('retry-unlawful'), reason: caught('retry-unlawful'), ...recovery },
  'event attempt.completed': { outcome: caught('completion-unsound'), ...recovery },
  'event result.recorded': {
    result_id: { by: ['event-malformed'], with: readsOtherwise },
    text_sha256: hashed('interpretation-mismatch', 'completion-unsound'),
    ...recovery,
  },
  'event call.completed': {
    outcome: caught('completion-unsound'),
    result_id: caught('completion-unsound'),
    error: [
      { of: ['empty'], by: ['order-violated', 'record-malformed'], with: readsOtherwise },
      { when: ['outcome=succeeded'], ...caught('completion-unsound') },
      { of: ['null'], ...caught('completion-unsound') },
      // Only what is settled by another call has words of the contract.
      { when: ['settled-by'], ...caught('recovery-unlawful', 'completion-unsound', 'order-violated') },
      words,
    ],
    ...recovery,
  },
  'event task.accepted': {
    result_id: caught('order-violated', 'completion-unsound', 'recovery-unlawful'),
    by: [{ when: ['recovered'], ...planned }, words],
    note: [{ when: ['recovered'], ...planned }, words],
    ...recovery,
  },
  'event task.rejected': {
    result_id: caught('order-violated', 'completion-unsound', 'recovery-unlawful'),
    by: [{ when: ['recovered'], ...planned }, words],
    note: [{ when: ['recovered'], ...planned }, words],
    ...recovery,
  },
  'event effect.reconciled': {
    'attempt_ids*': caught('reconciliation-unsound', 'order-violated'),
    finding: reconciled,
    basis: reconciled,
    reason: reconciled,
    evidence_sha256: hashed('reconciliation-unsound'),
    authority: reconciled,
    // It names bytes that nobody stored.
    response: [
      { of: ['no longer null'], by: ['reconciliation-unsound'], with: [...readsOtherwise, 'artifact-missing'] },
      reconciled,
    ],
    'response.*': reconciled,
    'response.response_sha256': hashed('reconciliation-unsound'),
    'response.content_type': { by: ['reconciliation-unsound', 'artifact-altered'], with: readsOtherwise },
    ...recovery,
  },
  'event duplicate.accepted': {
    'attempt_ids*': caught('attempt-unlawful', 'order-violated'),
    by: caught('attempt-unlawful', 'scenario-unplanned'),
    note: caught('attempt-unlawful', 'scenario-unplanned'),
    ...recovery,
  },
};

const ordered = caught('order-violated');
/** What stood at the end leaves no gap behind it: that it is missing is told by the plan's figures, by the place of a kill, or by who was to carry on. */
const atTheEnd: Row = {
  of: ['dropped'],
  when: ['last'],
  by: ['prediction-failed', 'checkpoint-mismatch', 'recovery-unlawful', 'completion-unsound', 'order-violated', ...byTrace],
  with: readsOtherwise,
};
const counted = caught('prediction-failed', 'scenario-unplanned', 'order-violated');
/** Whoever asks once more, and does nothing about it, asks for more than the plan has. */
const asked: Row = { of: ['twice'], ...caught('prediction-failed', 'scenario-unplanned', 'order-violated') };
const unordered = free('Of what a task is made nothing has to come before anything else.');

/** Events left out, told twice, or in each other's place. */
export const eventLines: Table = Object.fromEntries(
  Object.entries({
    'task.created': [ordered],
    'objective.recorded': [{ of: ['swapped with the next'], ...unordered }, counted],
    'claim.recorded': [{ of: ['swapped with the next'], ...unordered }, counted],
    'context.compilation_requested': [asked, ordered],
    'context.compiled': [
      { of: ['swapped with the next'], when: ['next:call.requested', 'next-specified'], ...caught('spec-mismatch') },
      {
        of: ['swapped with the next'],
        when: ['next:call.requested'],
        ...free('A call may be requested before its context is compiled; only its manifest may not.'),
      },
      ordered,
    ],
    'context.compilation_failed': [ordered],
    'call.requested': [asked, ordered],
    'call.preparation_failed': [ordered],
    'call.manifest': [ordered],
    'call.resumed': [caught('order-violated', 'resume-unlawful', 'recovery-unlawful')],
    'attempt.started': [caught('order-violated', 'receipt-unintended')],
    'attempt.observed': [ordered],
    'attempt.interpreted': [ordered],
    'attempt.retry_decided': [caught('order-violated', 'retry-unlawful', 'attempt-unlawful')],
    // Whoever recovered went on from an attempt that was not closed.
    'attempt.completed': [caught('order-violated', 'completion-unsound', 'recovery-unlawful')],
    'result.recorded': [caught('completion-unsound', 'order-violated')],
    'call.completed': [ordered],
    'task.accepted': [ordered],
    'task.rejected': [ordered],
    'effect.reconciled': [caught('attempt-unlawful', 'order-violated', 'recovery-unlawful', 'reconciliation-unsound')],
    'duplicate.accepted': [caught('attempt-unlawful', 'order-violated', 'recovery-unlawful')],
  } satisfies Record<string, Row[]>).map(([type, rows]) => [`event ${type}`, { '(event)': [atTheEnd, ...rows] }]),
);
