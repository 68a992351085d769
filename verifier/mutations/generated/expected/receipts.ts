/** What must come of a break in the provider's log. From G4, G5 to G7, G9, G18 to G22, G25 to G28, G30, G35 to G37, G44, G46 and G48. */
import type { FindingCode } from '../../../checks/check.js';
import type { Caught, Row, Table } from '../operator.js';
import { by, each, free } from './words.js';

/**
 * Receipts are the ground truth: what they no longer hold, or hold beside what was intended, makes the record, the predictions and the
 * controls untrue in their turn.
 */
export const afterReceipts: readonly FindingCode[] = [
  ...(['prediction-failed', 'control-silent', 'script-departed', 'intent-unserved', 'receipt-unintended'] as const),
  ...(['observation-mismatch', 'request-unfounded', 'tool-unintended', 'tool-repeated', 'tool-result-mismatch'] as const),
  ...(['conversation-invalid', 'reconciliation-unsound', 'attempt-unlawful', 'checkpoint-mismatch', 'kill-unproven'] as const),
  ...(['process-shared', 'race-doubled', 'race-lost', 'refusal-acted', 'session-refusal-acted', 'closeout-unlawful'] as const),
  ...(['power-state-missed', 'promise-lost', 'case-unplanned', 'case-missing', 'record-malformed', 'fault-ignored'] as const),
  ...(['session-race-doubled', 'session-race-lost', 'recovery-unlawful', 'resume-unlawful', 'retry-unlawful'] as const),
  ...(['receipt-malformed', 'manifest-mismatch', 'input-unlawful', 'receipts-rewritten'] as const),
];

/** The request is none that anybody intended, or none that its script answers so. */
const foreign: Caught = {
  by: [
    'receipt-unintended',
    'request-unfounded',
    'tool-unintended',
    'script-departed',
    'reconciliation-unsound',
    'receipt-malformed',
  ],
  with: afterReceipts,
};
/** The provider did otherwise than its script, or than the record says that it did. */
const answered: Caught = {
  by: [
    'script-departed',
    'request-unfounded',
    'observation-mismatch',
    'tool-result-mismatch',
    'reconciliation-unsound',
    'checkpoint-mismatch',
    'receipt-malformed',
  ],
  with: afterReceipts,
};
const malformed: Caught = { by: ['receipt-malformed'], with: afterReceipts };

const clock: readonly Row[] = [
  { of: ['one more', 'one less'], ...free('a line may be written a nanosecond earlier or later, within its order') },
  { when: ['first-line'], by: ['process-shared', 'kill-unproven'], with: afterReceipts },
  malformed,
];
const peer: readonly Row[] = [
  { of: ['null'], when: ['counted-peer'], ...by('prediction-failed') },
  { of: ['null'], ...free('the system need not tell who sent a request') },
  { when: ['of-child'], ...free('a command sends from a process of its own, which nobody records') },
  { when: ['arrival'], by: ['receipt-malformed'], with: ['process-shared', 'prediction-failed', 'race-doubled'] },
  { by: ['process-shared'], with: ['prediction-failed', 'race-doubled', 'session-race-doubled', 'reconciliation-unsound'] },
];
const headers: readonly Row[] = [
  { when: ['arrival'], ...malformed },
  { when: ['arrives'], ...malformed },
  free('not every header is kept, and which is the provider’s affair'),
];
const header: readonly Row[] = [
  { when: ['arrival'], ...malformed },
  { when: ['arrives'], ...malformed },
  { when: ['header:content-length'], ...malformed },
  { when: ['header:idempotency-key'], ...malformed },
  {
    by: [
      'attempt-unlawful',
      'reconciliation-unsound',
      'script-departed',
      'request-unfounded',
      'tool-unintended',
      'manifest-mismatch',
      'receipt-malformed',
    ],
    with: afterReceipts,
  },
];
const encoding: readonly Row[] = [{ when: ['empty-body'], ...free('nothing is nothing in every encoding') }, malformed];

const sent = (kind: string): Record<string, Row | readonly Row[]> => ({
  ...each([`${kind}.version`, `${kind}.kind`, `${kind}.seq`, `${kind}.delayed`, `${kind}.digest`], malformed),
  [`${kind}.at`]: free('wall time, for people only'),
  [`${kind}.monotonic_ns`]: clock,
  ...each([`${kind}.method`, `${kind}.path`], foreign),
  [`${kind}.headers`]: headers,
  [`${kind}.headers{}`]: header,
  [`${kind}.idempotency_key`]: [{ of: ['another key, header in step'], ...foreign }, malformed],
  [`${kind}.body`]: malformed,
  [`${kind}.body.encoding`]: encoding,
  [`${kind}.body.data`]: [{ of: ['another body, hash and length in step'], ...foreign }, malformed],
  [`${kind}.body_sha256`]: malformed,
  [`${kind}.peer_pid`]: peer,
});

export const ofReceipts: Table = {
  'receipts.jsonl': {
    ...sent('<received>'),
    '<received>.request': malformed,
    ...sent('<delayed>'),
    ...each(['<settled>.version', '<settled>.kind', '<settled>.seq', '<settled>.request', '<settled>.digest'], malformed),
    '<settled>.at': free('wall time, for people only'),
    '<settled>.monotonic_ns': clock,
    '<settled>.ended': answered,
    '<settled>.status': answered,
    '<settled>.response_sha256': [
      { of: ['null', 'no longer null'], ...answered },
      { when: ['calls/v1', 'model-request', '!kept'], ...free('of an answer that no record kept there is a hash and no text') },
      answered,
    ],
    '<settled>.effect': answered,
    '<settled>.effect.effect_id': malformed,
    '<settled>.effect.name': answered,
    '<settled>.effect.replayed': answered,
    '(line)': {
      by: [
        'receipt-malformed',
        'intent-unserved',
        'prediction-failed',
        'tool-result-mismatch',
        'observation-mismatch',
        'receipts-unsealed',
        'reconciliation-unsound',
        'request-unfounded',
      ],
      with: afterReceipts,
    },
    '(request)': {
      by: [
        'intent-unserved',
        'observation-mismatch',
        'tool-result-mismatch',
        'prediction-failed',
        'receipt-unintended',
        'tool-repeated',
        'request-unfounded',
        'script-departed',
        'reconciliation-unsound',
      ],
      with: afterReceipts,
    },
    '(file)': { by: ['receipts-unsealed', 'record-malformed'], with: [...afterReceipts, 'receipts-rewritten'] },
  },
};
