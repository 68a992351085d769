/** What must come of a break in what an inspector exported and projected, by G15, G16 and G42: nobody else is asked about it. */
import type { FindingCode } from '../../../checks/check.js';
import type { Free, Row, Table } from '../operator.js';

const caught = (...by: FindingCode[]): Row => ({ by });
const prose: Free = { free: 'It is prose for people, and is not compared.' };
const calls = ['calls/v1'];

export const exports: Table = {
  'inspection.json': {
    'events*': [{ when: calls, ...caught('export-mismatch') }, caught('frames-export-mismatch')],
    'artifacts*': [{ when: calls, ...caught('export-mismatch') }, caught('frames-export-mismatch')],
    artifacts: [
      { when: calls, of: ['elements swapped'], free: 'The artifacts of an export are an inventory: their order says nothing.' },
      { when: calls, ...caught('export-mismatch') },
      caught('frames-export-mismatch'),
    ],
    'projections*': [{ when: calls, ...caught('state-mismatch') }, caught('session-state-mismatch', 'frames-export-mismatch')],
    'projections[].task.reason': prose,
    'projections[].calls[].reason': prose,
    'projections[].compilations[].reason': prose,
    log: [
      { when: calls, ...caught('export-mismatch') },
      { of: ['member added'], free: 'The schema leaves an export open to further members, which nobody reads.' },
      caught('frames-export-mismatch'),
    ],
    'log*': [{ when: calls, ...caught('export-mismatch') }, caught('frames-export-mismatch')],
    session: [
      { when: calls, ...caught('state-mismatch', 'export-mismatch') },
      caught('session-state-mismatch', 'frames-export-mismatch'),
    ],
    'session*': [{ when: calls, ...caught('state-mismatch', 'export-mismatch') }, caught('session-state-mismatch')],
    'session.runs[].detail': prose,
  },
};
