/** What must come of lies that agree with themselves, of cut ends, and of breaks in the state folder around the log. */
import type { FindingCode } from '../../../checks/check.js';
import type { Caught, Free, Row, Table } from '../operator.js';
import { byTrace } from './words.js';

/** Where evidence was kept, the hash of the request is in the middle of it. */
const caught = (...by: FindingCode[]): Caught => ({
  by,
  // A trace explains the bytes of its run.
  with: [
    'prediction-failed',
    'scenario-unplanned',
    'script-departed',
    'reconciliation-unsound',
    'fault-unproven',
    'syscall-missed',
  ],
});
const free = (sentence: string): Free => ({ free: sentence });

const planned = caught('scenario-unplanned');
/** A scripted word is held against its script. */
const scripted = (otherwise: string): Row[] => [
  { when: ['planned'], ...caught('script-departed') },
  // What was found of it was kept as evidence, with the hash that it had.
  { ...free(otherwise), or: ['reconciliation-unsound'] },
];

const folder = (...with_: FindingCode[]): Row[] => [
  { when: ['calls/v1'], by: ['state-malformed'], with: with_ },
  { by: ['session-folder-malformed'], with: with_ },
];
const floor: Row = {
  by: ['floor-behind'],
  with: ['session-refusal-acted', 'log-damaged', 'prediction-failed', 'power-state-missed'],
};

export const wholes: Table = {
  case: {
    task_id: planned,
    title: planned,
    statement: planned,
    claim_id: planned,
    basis: planned,
    idempotency_key: planned,
    instruction: planned,
    content: {
      ...planned,
      with: ['prediction-failed', 'manifest-mismatch', 'spec-mismatch', 'reconciliation-unsound', ...byTrace],
    },
    answer: scripted('Without a scripted text an answer is a sentence of the provider\u2019s own.'),
    // What was torn off keeps the old one.
    identity: { ...free('The identity of a log is drawn at random, once.'), or: ['frame-malformed', 'log-damaged'] },
    session_id: planned,
    run_id: planned,
    submission_id: planned,
    send_id: planned,
    input: planned,
    tool_call_id: scripted('Without a script the ids of calls are the model\u2019s own.'),
    output: scripted('What a local command prints no receipt tells.'),
  },
  record: {
    '(tail)': {
      // Who completed what he was told left a record of all of it.
      by: [
        ...(['prediction-failed', 'checkpoint-mismatch', 'recovery-unlawful', 'closeout-unlawful'] as const),
        ...(['receipt-unintended', 'scenario-unplanned'] as const),
      ],
      with: [
        ...(['completion-unsound', 'order-violated', 'tool-unintended', 'request-unfounded', 'resume-misreported'] as const),
        ...(['manifest-mismatch', 'control-silent', 'recovery-diverged', 'intent-unserved', 'record-order'] as const),
        ...(['race-lost', 'race-doubled', 'session-race-lost', 'session-race-doubled', 'settings-weak'] as const),
        ...(['lineage-broken', 'input-unlawful', 'approval-unlawful', 'script-departed', 'observation-mismatch'] as const),
      ],
    },
  },
  'format.json': {
    // Without it the record of the snapshot is not complete, to begin with; and a state that nobody made is carried on in another way.
    '(file)': {
      by: ['record-malformed', 'state-malformed', 'session-folder-malformed'],
      with: ['execution-malformed', 'scenario-unplanned'],
    },
    '*': folder(),
  },
  'state folder': { '(file)': folder(...byTrace) },
  'feature floor': { '(file)': floor, features: floor },
};
