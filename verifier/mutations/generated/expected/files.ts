/** What must come of files, snapshots and cases that are gone, broken, or in each other's place; and of a plan replaced after the fact. */
import type { FindingCode } from '../../../checks/check.js';
import type { Row, Table } from '../operator.js';
import { by, free } from './words.js';

const swaps = ['swapped between cases', 'swapped between snapshots'];
/** A record of one process in the place of another's is of other files, another nonce, another script, another prefix. */
const another: readonly FindingCode[] = [
  ...([
    'process-shared',
    'kill-unproven',
    'copy-incomplete',
    'receipts-unsealed',
    'scenario-unplanned',
    'record-malformed',
  ] as const),
  ...(['execution-malformed', 'inspection-changed-state'] as const),
];

const record = (...alone: readonly FindingCode[]): readonly Row[] => [{ of: swaps, by: another, with: 'any' }, by(...alone)];

const state: Row = { by: ['copy-incomplete', 'inspection-changed-state'], with: 'any' };

export const ofFiles: Table = {
  'process.json': { '(file)': record('record-malformed') },
  'answer.json': {
    '(file)': [
      { of: swaps, by: another, with: 'any' },
      { when: ['faulted'], by: ['kill-unproven', 'record-malformed'], with: ['prediction-failed', 'control-silent'] },
      by('record-malformed'),
    ],
  },
  'inspector.json': { '(file)': record('record-malformed') },
  'inspection.json': { '(file)': record('record-malformed') },
  'group.json': { '(file)': record('record-malformed') },
  'case.json': { '(file)': by('record-malformed') },
  'trace.txt': {
    '(file)': [
      { of: swaps, by: ['kill-unproven', 'record-malformed'], with: 'any' },
      { by: ['record-malformed'], with: ['case-unplanned', 'case-missing', 'prediction-failed'] },
    ],
  },
  'stderr.log': { '(file)': free('what a role said for people') },
  'plan.json': { '(file)': { by: ['plan-malformed', 'plan-unpinned'], with: 'any' } },
  'execution.json': { '(file)': by('execution-malformed') },
  'build.json': { '(file)': by('execution-malformed') },
  'git object': { '(file)': by('plan-unpinned') },
  'state file': { '(file)': state },
  case: {
    '(case)': [
      { of: ['removed'], ...by('case-missing') },
      { of: ['twice, under a name of its own'], ...by('case-unplanned') },
      { when: ['alike'], ...free('two cases that ask for the same cannot be told apart by what they left') },
      {
        by: ['scenario-unplanned', 'kill-unproven', 'prediction-failed', 'record-malformed', 'case-missing', 'case-unplanned'],
        with: 'any',
      },
    ],
    '(snapshot)': [
      { of: ['removed', 'removed, list in step'], by: ['case-missing'], with: ['record-malformed', 'control-silent'] },
      { of: ['twice, under a name of its own'], by: ['case-unplanned'], with: ['record-malformed'] },
      {
        of: ['swapped'],
        when: ['arms-alike'],
        ...free('two arms that ask for the same cannot be told apart by what they left'),
      },
      { by: another, with: 'any' },
    ],
  },
};

export const ofPlans: Table = {
  'plan.json': {
    '*': [
      { when: ['claims-commit'], by: ['plan-unpinned'], with: 'any' },
      { of: ['absent'], ...free('a plan that predicts less is kept by a run that claims no commit') },
      {
        by: ['prediction-failed', 'plan-malformed', 'egress-unexpected', 'recovery-diverged'],
        with: 'any',
      },
    ],
  },
};
