/**
 * What must come of a break in a record of a session, or in the header of its frame, by G33 to G44. The frame is broken wherever the case holds
 * it, and whatever is told of the log agrees; what was sent does not.
 */
import type { FindingCode } from '../../../checks/check.js';
import type { Caught, Free, Row, Table } from '../operator.js';

/** What a log that reads otherwise may bring along: it is held against its receipts, its scenario, its plan and itself. */
const readsOtherwise: readonly FindingCode[] = [
  ...([
    'prediction-failed',
    'scenario-unplanned',
    'script-departed',
    'record-order',
    'request-unfounded',
    'frame-malformed',
  ] as const),
  ...(['tool-unintended', 'tool-repeated', 'tool-result-mismatch', 'closeout-unlawful', 'approval-unlawful'] as const),
  ...(['input-unlawful', 'configuration-unlawful', 'conversation-invalid', 'resume-misreported', 'lineage-broken'] as const),
  ...(['session-refusal-acted', 'session-race-doubled', 'session-race-lost', 'checkpoint-mismatch', 'control-silent'] as const),
  // Whose command sent it is told by the record.
  ...(['process-shared', 'fault-ignored'] as const),
  // A trace explains the bytes of its run.
  ...(['fault-unproven', 'syscall-missed'] as const),
];
/** Of a log that is not read to its end nobody can tell what the export should be. */
const unreadable: readonly FindingCode[] = [
  ...readsOtherwise,
  ...(['log-damaged', 'floor-behind', 'frames-export-mismatch', 'session-state-mismatch', 'history-rewritten'] as const),
];

const caught = (...by: FindingCode[]): Caught => ({ by, with: readsOtherwise });
const free = (sentence: string): Free => ({ free: sentence });

const ordered = caught('record-order');
const planned = caught('scenario-unplanned');
const asked = caught('request-unfounded');
const misreported = caught('resume-misreported');
const configured = caught('scenario-unplanned', 'configuration-unlawful');
/** A run names it, and is asked for under it. */
const ofRun = caught('record-order', 'input-unlawful', 'scenario-unplanned', 'resume-misreported');

/** A time is there exactly where the configuration asks for it. */
const timed: readonly Row[] = [
  { of: ['added', 'absent'], ...caught('configuration-unlawful') },
  free('The times of tool-times/v1 are wall time, and are never in a request.'),
];
const unmeasured = free(
  'Receipts tell the hash of an answer and not its length, and its bytes are nowhere: only an outer anchor shows it.',
);
const words = free('It is for people: nothing is decided from it.');

export const frames: Table = {
  'frame (header)': {
    kind: { by: ['frame-malformed', 'log-damaged'], with: unreadable },
    type: { by: ['log-damaged', 'frame-malformed'], with: unreadable },
    fence: { by: ['lineage-broken', 'log-damaged'], with: unreadable },
    synced: { by: ['record-order', 'log-damaged', 'frame-malformed'], with: unreadable },
    features: { by: ['frame-malformed', 'log-damaged'], with: unreadable },
    'features[]': { by: ['frame-malformed', 'log-damaged'], with: unreadable },
  },
  'record lineage': {
    identity: [
      { when: ['only-lineage'], ...free('The identity of a log is drawn at random, once.') },
      { by: ['lineage-broken', 'log-damaged'], with: unreadable },
    ],
    session_id: { by: ['lineage-broken', 'log-damaged', 'scenario-unplanned'], with: unreadable },
  },
  'record run_started': {
    run_id: ofRun,
    session_id: caught('lineage-broken'),
    'config*': configured,
    'config.render*': caught('configuration-unlawful', 'scenario-unplanned'),
    input: planned,
    'input.text': caught('scenario-unplanned', 'input-unlawful', 'request-unfounded'),
    submission_id: caught('input-unlawful', 'scenario-unplanned'),
  },
  'record step_started': {
    run_id: ordered,
    step_id: caught('record-order', 'frame-malformed'),
    watermark_seq: caught('request-unfounded', 'record-order', 'frame-malformed'),
  },
  'record model_attempt_started': {
    run_id: ordered,
    step_id: ordered,
    attempt: caught('record-order', 'request-unfounded'),
    'request*': asked,
  },
  'record model_attempt_finished': {
    run_id: ordered,
    step_id: ordered,
    attempt: caught('record-order', 'request-unfounded'),
    'request*': asked,
    'response*': asked,
    'response.size': [
      { when: ['outcome=answer'], ...unmeasured },
      { when: ['outcome=provider_error'], ...unmeasured },
      { when: ['outcome=uninterpretable'], ...unmeasured },
      asked,
    ],
    http_status: asked,
    content_type: free('No receipt tells the media type of an answer, and nothing is decided from it.'),
    response_body_cap: free('How much of an answer a runtime keeps is its own affair.'),
    outcome: caught('record-order', 'request-unfounded'),
    ts_ms: free('It is wall time, for people.'),
  },
  'record model_step_finished': {
    run_id: ordered,
    step_id: ordered,
    'assistant*': caught('script-departed', 'request-unfounded', 'record-order'),
    'usage*': [
      { when: ['run-ended'], ...ordered },
      free('No script and no receipt tells what a provider counts; a run that has ended sums it up.'),
    ],
  },
  'record approval_requested': {
    run_id: caught('record-order', 'approval-unlawful'),
    step_id: caught('record-order', 'approval-unlawful'),
    batch_id: caught('record-order', 'approval-unlawful'),
    tool_call_id: caught('record-order', 'approval-unlawful'),
    name: caught('record-order', 'approval-unlawful'),
    arguments_sha256: caught('approval-unlawful'),
    deferred_at_ms: timed,
  },
  'record approval_resolved': {
    run_id: caught('record-order', 'approval-unlawful'),
    batch_id: caught('record-order', 'approval-unlawful'),
    tool_call_id: caught('record-order', 'approval-unlawful'),
    request_seq: caught('approval-unlawful'),
    decision: caught('scenario-unplanned', 'approval-unlawful'),
    by: planned,
    closed_at_ms: timed,
  },
  'record tool_batch_started': {
    run_id: ordered,
    batch_id: ordered,
    step_id: ordered,
    mode: caught('record-order', 'configuration-unlawful'),
    'planned*': ordered,
  },
  'record tool_dispatch_intent': {
    run_id: caught('record-order', 'tool-unintended'),
    batch_id: caught('record-order', 'tool-unintended'),
    tool_call_id: caught('record-order', 'tool-unintended'),
    name: ordered,
    arguments: ordered,
    approval_seq: caught('approval-unlawful'),
    dispatched_at_ms: timed,
  },
  'record tool_no_dispatch': {
    run_id: ordered,
    batch_id: ordered,
    tool_call_id: ordered,
    reason: ordered,
    dispatched_at_ms: timed,
  },
  'record tool_result': {
    run_id: ordered,
    batch_id: ordered,
    tool_call_id: ordered,
    outcome: caught('tool-result-mismatch', 'closeout-unlawful', 'record-order'),
    output: caught('tool-result-mismatch', 'request-unfounded'),
    is_error: caught('tool-result-mismatch'),
    reason: words,
    finished_at_ms: timed,
  },
  'record tool_batch_finished': { run_id: ordered, batch_id: ordered },
  'record turn_finished': { run_id: ordered, step_id: ordered },
  'record resume_started': {
    run_id: caught('resume-misreported', 'record-order'),
    episode: misreported,
    resumed_from_seq: misreported,
    'replayed*': misreported,
    'redone*': misreported,
    'indeterminate*': misreported,
  },
  'record steered': {
    run_id: caught('record-order', 'input-unlawful', 'scenario-unplanned'),
    input: planned,
    'input.text': planned,
    send_id: caught('scenario-unplanned', 'input-unlawful'),
  },
  'record queued': {
    submission_id: caught('scenario-unplanned', 'input-unlawful'),
    input: planned,
    'input.text': planned,
    delivery: planned,
  },
  'record retracted': { submission_id: caught('scenario-unplanned', 'input-unlawful') },
  'record run_cancel_requested': {
    run_id: caught('record-order', 'input-unlawful', 'scenario-unplanned'),
    at: caught('scenario-unplanned', 'closeout-unlawful'),
  },
  'record run_paused': { run_id: ordered, reason: ordered },
  'record run_finished': {
    run_id: ordered,
    reason: caught('closeout-unlawful', 'record-order'),
    error: caught('closeout-unlawful', 'record-order'),
    'error.code': caught('closeout-unlawful', 'record-order'),
    'error.detail': words,
    'usage*': ordered,
  },
};

/** What stood at the end leaves no gap behind it: that it is missing is told by the plan's figures, by the place of a kill, or by who was to carry on. */
const atTheEnd: Row = {
  of: ['dropped'],
  when: ['last'],
  ...caught('prediction-failed', 'checkpoint-mismatch', 'closeout-unlawful', 'record-order'),
};
const lineages: Row = { by: ['lineage-broken', 'log-damaged'], with: unreadable };
const inputs = caught('input-unlawful', 'scenario-unplanned', 'record-order');
/** A tenure begins with its lineage frame; what is done while a run goes on follows a record at once. */
const behind: readonly Row[] = [
  { of: ['swapped with the next'], when: ['next:lineage'], by: ['lineage-broken', 'log-damaged'], with: unreadable },
  ...['steered', 'queued', 'retracted', 'run_cancel_requested'].map((type): Row => ({
    of: ['swapped with the next'],
    when: [`next:${type}`],
    ...caught('scenario-unplanned', 'record-order', 'input-unlawful'),
  })),
];

/** In one barrier the contract has the kinds in an order, and not the calls. */
const alike = (type: string): Row => ({
  of: ['swapped with the next'],
  when: [`next:${type}`, 'one-barrier'],
  ...free('Of what is appended by one write for several calls, the contract does not say in which order.'),
});

/** Frames left out, told twice, or in each other's place. */
export const frameLines: Table = Object.fromEntries(
  Object.entries({
    lineage: [lineages],
    run_started: [caught('record-order', 'input-unlawful', 'request-unfounded')],
    step_started: [caught('record-order', 'request-unfounded')],
    model_attempt_started: [ordered],
    model_attempt_finished: [caught('record-order', 'request-unfounded')],
    model_step_finished: [ordered],
    approval_requested: [alike('approval_requested'), caught('approval-unlawful', 'record-order')],
    approval_resolved: [caught('approval-unlawful', 'record-order', 'scenario-unplanned')],
    tool_batch_started: [ordered],
    tool_dispatch_intent: [alike('tool_dispatch_intent'), caught('record-order', 'tool-unintended', 'scenario-unplanned')],
    tool_no_dispatch: [alike('tool_no_dispatch'), ordered],
    tool_result: [ordered],
    tool_batch_finished: [ordered],
    turn_finished: [ordered],
    // The naive loop is no resume, and nobody asks it to say that it is one.
    resume_started: [
      { of: ['dropped'], when: ['restart'], ...caught('prediction-failed') },
      caught('resume-misreported', 'record-order'),
    ],
    steered: [inputs],
    queued: [inputs],
    // Who was killed may not have come to it.
    retracted: [{ when: ['killed'], of: ['dropped'], ...caught('prediction-failed', 'scenario-unplanned') }, inputs],
    run_cancel_requested: [caught('scenario-unplanned', 'record-order', 'closeout-unlawful')],
    run_paused: [caught('record-order', 'prediction-failed')],
    run_finished: [caught('record-order', 'closeout-unlawful')],
  } satisfies Record<string, Row[]>).map(([type, rows]) => [
    `record ${type}`,
    { '(frame)': [atTheEnd, ...(type === 'lineage' ? [] : behind), ...rows] },
  ]),
);
