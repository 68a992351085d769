/** What must come of a break in what is told of the run as a whole, and of a case: `execution.json`, `case.json`. From G1 to G3. */
import type { Table } from '../operator.js';
import { by, each, free } from './words.js';

const machine = 'another machine has another, and no rule depends on it';
const words = 'words for people; what the verdict does not cover it says itself';

export const ofRuns: Table = {
  'execution.json': {
    version: by('execution-malformed'),
    run_id: by('bag-malformed'),
    confirmatory: by('execution-malformed'),
    exploratory_reason: by('execution-malformed'),
    ...each(['started_at', 'ended_at'], free('wall time, for people only: nothing is decided from it, and a clock may be set')),
    selected: [
      { of: ['absent'], ...free('absent is the whole plan, as null is') },
      { by: ['execution-malformed'], with: ['case-unplanned'] },
    ],
    'selected[]': by('execution-malformed'),
    'argv*': free('how the harness was called; what was run is told by the plan and by each process'),
    jobs: free('how many cases ran side by side'),
    plan: by('plan-unpinned'),
    'plan.*': by('plan-unpinned'),
    git: by('plan-unpinned'),
    'git.*': by('plan-unpinned'),
    build: by('execution-malformed'),
    'build.*': by('execution-malformed'),
    versions: by('execution-malformed'),
    'versions.node': [{ when: ['calls/v1'], ...by('settings-weak') }, by('record-malformed')],
    'versions.sqlite': [{ when: ['calls/v1'], ...by('settings-weak') }, free('a session keeps nothing in SQLite')],
    // Whoever recovered said in which version of the product.
    'versions.packages*': {
      ...free('what was installed; the lock file of the commit is not in the bundle'),
      or: ['recovery-unlawful'],
    },
    'platform*': free(machine),
    'mechanisms*': free(machine),
    'says*': free(words),
  },
  'case.json': {
    case: by('record-malformed'),
    'snapshots*': by('record-malformed'),
    void: { unknown: 'a case may come to nothing, and then proves nothing' },
    'void.*': by('record-malformed'),
  },
};
