/**
 * What must come of a break in an answer: of a role, and of an inspector but for what it exports. From G3, G5, G6, G17, G22 to G25, G29 to
 * G31, G43, G44 and G48.
 */
import type { FindingCode } from '../../../checks/check.js';
import type { Row, Table } from '../operator.js';
import { by, each, free } from './words.js';

/** Who says otherwise how he ended is held against the plan, the record, the others, and his exit. */
const ofStatus: readonly FindingCode[] = [
  ...(['record-malformed', 'prediction-failed', 'control-silent', 'recovery-unlawful', 'race-doubled', 'race-lost'] as const),
  ...(['session-race-doubled', 'session-race-lost', 'resume-misreported', 'fault-ignored', 'resume-unlawful'] as const),
];
const ofActing: readonly FindingCode[] = [
  'kill-unproven',
  'refusal-acted',
  'session-refusal-acted',
  'scenario-unplanned',
  'spec-mismatch',
  'settings-weak',
  'process-shared',
];
/** A refusal is held against the record, against what the others did, and against the plan. */
const ofRefusal: readonly FindingCode[] = [
  ...(['prediction-failed', 'resume-unlawful', 'recovery-unlawful', 'race-lost', 'race-doubled', 'spec-mismatch'] as const),
  ...([
    'kill-unproven',
    'settings-weak',
    'record-malformed',
    'session-race-doubled',
    'session-race-lost',
    'resume-misreported',
  ] as const),
];
const guard: readonly Row[] = [
  { when: ['to:none'], unknown: 'where nothing guards the egress, nothing is claimed of it' },
  free('what guards the egress is the affair of the machine'),
];
const sayings = free('a sentence for people');

const settings: Readonly<Record<string, Row | readonly Row[]>> = {
  settings: by('settings-weak', 'record-malformed'),
  'settings.node': [{ when: ['calls/v1'], ...by('settings-weak') }, by('record-malformed')],
  ...each(
    ['settings.sqlite', 'settings.journal_mode'],
    [{ when: ['sessions/v1'], ...by('record-malformed') }, { by: ['settings-weak'] }],
  ),
  'settings.synchronous': [
    { when: ['sessions/v1'], ...by('record-malformed') },
    { when: ['unopened'], ...free('a role that opened no ledger has no setting of one') },
    { of: ['one more'], ...free('EXTRA, which is more than FULL') },
    by('settings-weak'),
  ],
  'settings.sync': by('record-malformed'),
};

export const ofAnswers: Table = {
  'answer.json': {
    role: by('record-malformed'),
    pid: by('process-shared'),
    status: { by: ofStatus, with: ofActing },
    detail: sayings,
    refusal: { by: [...ofStatus], with: ofActing },
    'refusal.call_id': [
      { of: ['null'], when: ['!member'], ...free('a refusal need not name the call that it is about') },
      { when: ['Overtaken'], ...free('whoever was overtaken may say in what') },
      { by: ofRefusal },
    ],
    'refusal.hazard': [
      {
        of: ['null'],
        when: ['!predicted-refusal', '!member'],
        ...free('what was refused for what the program could not do has no hazard'),
      },
      { when: ['Overtaken'], ...free('whoever was overtaken may say in what') },
      { by: ofRefusal },
    ],
    'refusal.*': [
      { when: ['Overtaken'], of: ['no longer null', 'element added'], ...free('whoever was overtaken may say in what') },
      { by: ofRefusal },
    ],
    'refusal.drift[]': { by: ofRefusal },
    replayed: [
      {
        when: ['member', '!refused'],
        ...free('of several processes one may be told what is on record; who acted the record says'),
      },
      {
        by: ['record-malformed', 'prediction-failed', 'recovery-unlawful', 'resume-unlawful'],
        with: ['completion-unsound', 'control-silent'],
      },
    ],
    egress: by('egress-unexpected'),
    'egress.mechanism': guard,
    'egress.refused*': { by: ['egress-unexpected', 'prediction-failed'] },
    ...settings,
    ...each(['projections*', 'events*', 'artifacts*', 'session*', 'log*'], by('record-malformed')),
    'would*': by('record-malformed'),
    operations: [
      {
        of: ['absent'],
        when: ['refused'],
        ...free('whoever was refused carried out nothing, and need not say so'),
        or: ['prediction-failed'],
      },
      { by: ['record-malformed', 'recovery-unlawful', 'prediction-failed'], with: ['race-doubled', 'race-lost'] },
    ],
    'operations[]': { by: ['recovery-unlawful', 'prediction-failed'] },
    session_refusal: { by: [...ofStatus], with: ofActing },
    'session_refusal.*': { by: ofRefusal },
  },
  'inspection.json': {
    role: by('record-malformed'),
    pid: by('process-shared'),
    status: { by: ['record-malformed', 'inspection-changed-state'], with: ['export-mismatch', 'state-mismatch'] },
    detail: sayings,
    refusal: { by: ['record-malformed'], with: ['inspection-changed-state', 'settings-weak'] },
    'refusal.error': { by: ['inspection-changed-state'], with: ['settings-weak'] },
    'refusal.*': by('record-malformed'),
    replayed: by('record-malformed'),
    egress: by('egress-unexpected'),
    'egress.mechanism': guard,
    'egress.refused*': by('egress-unexpected'),
    ...settings,
    'would*': by('record-malformed'),
    'operations*': by('record-malformed'),
    'session_refusal*': by('record-malformed'),
  },
};
