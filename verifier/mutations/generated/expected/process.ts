/**
 * What must come of a break in what the harness tells of a process: `process.json`, `group.json`, `inspector.json`, and the lines that came
 * over descriptor 3. From G2, G3, G5 to G7, G17 and G18.
 */
import type { FindingCode } from '../../../checks/check.js';
import type { Table } from '../operator.js';
import { by, each, free } from './words.js';

const order = 'a list of files has no order of its own: it says what was there';
/** Who did what is told by its pid: in marks of recoveries, among racers, of requests. */
const byPid: readonly FindingCode[] = [
  ...(['process-shared', 'recovery-unlawful', 'race-doubled', 'race-lost', 'session-race-doubled', 'session-race-lost'] as const),
  ...(['input-unlawful', 'control-silent', 'resume-misreported'] as const),
];

export const ofProcesses: Table = {
  'process.json': {
    role: by('record-malformed'),
    'argv*': by('execution-malformed'),
    nonce: [
      { of: ['that of another process, in step'], ...by('kill-unproven') },
      { of: ['another one, in step'], ...free('a nonce is drawn anew for each process') },
      { when: ['announced'], ...by('kill-unproven') },
      free('a nonce is drawn anew for each process, and one that announces nothing says it to nobody'),
    ],
    pid: [
      {
        of: ['that of another process, in step'],
        by: ['process-shared'],
        with: [...byPid, 'kill-unproven', 'prediction-failed'],
      },
      { by: ['kill-unproven'], with: byPid },
    ],
    pgid: by('kill-unproven'),
    start_time_ticks: free('the system gives it; with the pid it only has to name one process of the run'),
    armed: by('kill-unproven'),
    timeline: [
      { of: ['elements swapped'], ...free('each moment has its time; the list has no order of its own') },
      { by: ['kill-unproven'], with: ['process-shared'] },
    ],
    'timeline[]': by('kill-unproven'),
    'timeline[].what': { by: ['kill-unproven'], with: ['process-shared'] },
    'timeline[].monotonic_ns': [
      { of: ['one more', 'one less'], ...free('a moment may be seen a nanosecond earlier or later, within its order') },
      { when: ['at:spawned', 'first', '!member'], ...free('a process that continues nobody may have been spawned earlier') },
      { when: ['at:spawned'], by: ['process-shared', 'kill-unproven'] },
      { by: ['kill-unproven'], with: ['process-shared'] },
    ],
    exit: { by: ['kill-unproven'], with: ['prediction-failed'] },
    'exit.code': by('kill-unproven'),
    'exit.signal': { by: ['kill-unproven'], with: ['prediction-failed'] },
    survivors: by('kill-unproven'),
    'survivors[]': by('kill-unproven'),
    left_behind: [
      { when: ['killed'], ...free('whoever was alive in the group of a process that was killed was killed with it') },
      by('kill-unproven'),
    ],
    'left_behind[]': by('kill-unproven'),
    confinement: by('kill-unproven'),
    'confinement.process_group': by('kill-unproven'),
    'confinement.cgroup': free('not every machine has cgroups'),
    receipts: [{ when: ['member'], ...by('record-malformed') }, by('receipts-unsealed')],
    'receipts.*': by('receipts-unsealed'),
    live_inventory: [
      { of: ['elements swapped'], ...free(order) },
      { when: ['member', '!moved-away'], ...by('record-malformed') },
      by('copy-incomplete'),
    ],
    'live_inventory[]*': by('copy-incomplete'),
    scenario_sha256: by('scenario-unplanned'),
    script_sha256: by('scenario-unplanned'),
    operation: by('scenario-unplanned'),
    input_sha256: by('scenario-unplanned'),
  },
  'group.json': {
    model: by('record-malformed'),
    'members*': by('record-malformed'),
    overlap: by('kill-unproven'),
    receipts: by('receipts-unsealed'),
    'receipts.*': by('receipts-unsealed'),
    live_inventory: [{ of: ['elements swapped'], ...free(order) }, by('copy-incomplete')],
    'live_inventory[]*': by('copy-incomplete'),
  },
  'inspector.json': {
    'argv*': by('execution-malformed'),
    pid: [
      { of: ['another one, in step'], ...free('the system gives it, and nobody else saw the inspector') },
      by('process-shared'),
    ],
    start_time_ticks: free('the system gives it; with the pid it only has to name one process of the run'),
    ...each(['exit', 'exit.code', 'exit.signal'], by('inspection-changed-state')),
    ...each(['before', 'after'], [{ of: ['elements swapped'], ...free(order) }, by('inspection-changed-state')]),
    ...each(['before[]*', 'after[]*'], by('inspection-changed-state')),
    left_behind: [{ of: ['absent'], ...free('it need not be told') }, by('kill-unproven')],
    'left_behind[]': by('kill-unproven'),
  },
};
