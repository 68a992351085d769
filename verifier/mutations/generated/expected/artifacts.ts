/** What must come of a break in an artifact, by G8, G11, G12, G21, G27 and G31. */
import type { FindingCode } from '../../../checks/check.js';
import type { Caught, Row, Table } from '../operator.js';

const readsOtherwise: readonly FindingCode[] = [
  ...(['prediction-failed', 'scenario-unplanned', 'script-departed', 'spec-mismatch', 'manifest-mismatch'] as const),
  ...(['interpretation-mismatch', 'receipt-unintended', 'intent-unserved', 'observation-mismatch', 'resume-unlawful'] as const),
  ...(['completion-unsound', 'attempt-unlawful', 'reconciliation-unsound', 'recovery-unlawful', 'recovery-diverged'] as const),
  ...(['retry-unlawful', 'order-violated', 'control-silent', 'race-lost', 'race-doubled'] as const),
  // A trace explains the bytes of its run.
  ...(['fault-unproven', 'syscall-missed'] as const),
];
const whole: Row[] = [
  { of: ['dropped'], by: ['artifact-missing'], with: readsOtherwise },
  { of: ['another media type', 'swapped with another'], by: ['artifact-altered'], with: readsOtherwise },
];
const caught = (...by: FindingCode[]): Caught => ({ by, with: readsOtherwise });

const rows = (...by: FindingCode[]): Readonly<Record<string, Row | readonly Row[]>> => ({
  '(artifact)': whole,
  '*': caught(...by),
});

export const artifacts: Table = {
  'artifact content': rows('manifest-mismatch', 'scenario-unplanned'),
  'artifact package': rows('manifest-mismatch'),
  'artifact rendered context': rows('manifest-mismatch'),
  'artifact request body': rows('manifest-mismatch', 'receipt-unintended', 'scenario-unplanned'),
  'artifact response': rows('observation-mismatch', 'reconciliation-unsound', 'interpretation-mismatch'),
  'artifact text': rows('interpretation-mismatch'),
  'artifact spec': rows('spec-mismatch'),
  'artifact evidence': {
    ...rows('reconciliation-unsound', 'script-departed'),
    'exchange.content_type': { free: 'No receipt tells the media type of an answer, and no row of the table asks for it.' },
  },
};
