/** What must come of a break in what a tracer told, and in what was made of the states of a power loss. From G3, G5, G25 and G45 to G48. */
import type { FindingCode } from '../../../checks/check.js';
import type { Caught, Table } from '../operator.js';
import { by, byTrace, each, free } from './words.js';

/** A ratchet stands for as many snapshots as its whole run made calls, a power loss for as many as its trace gives. */
const others: readonly FindingCode[] = [
  'case-missing',
  'case-unplanned',
  'record-malformed',
  'prediction-failed',
  'recovery-unlawful',
];
const missed: Caught = {
  by: ['syscall-missed', 'fault-unproven', 'kill-unproven', 'fault-ignored', 'power-state-missed', ...others],
};
/** From which state somebody carried on is known by its number: under another one he seems to write in the tenure of whoever was before. */
const ofPower: readonly FindingCode[] = [
  'lineage-broken',
  'promise-lost',
  'record-forked',
  'state-refused',
  'recovery-misread',
  'power-state-missed',
  'history-rewritten',
  'receipts-rewritten',
];

const edits = ['line deleted', 'line twice', 'lines swapped'];
const behind = ['ended', '!whole-run', '!faulted', '!power-loss'];
const afterFault = free('what a role does after a call of its failed is its own affair');
const behindTheLast = free('a run that is armed behind the last call of a name may make other calls of other names');

export const ofTraces: Table = {
  'trace.txt': {
    '(line)': [
      {
        of: ['lines swapped'],
        when: ['same-call', '!power-loss'],
        ...free('two calls of one name on one file are told apart by nothing that is held'),
        // But by what they wrote.
        or: byTrace,
      },
      { of: ['lines swapped'], when: [...behind, '!last-call'], ...behindTheLast },
      { of: edits, when: [...behind, '!armed-name', '!last-line', '!last-call'], ...behindTheLast },
      { of: ['line twice'], when: [...behind, '!armed-name', '!last-line'], ...behindTheLast },
      { of: edits, when: ['after-fault', '!last-line', '!last-call'], ...afterFault },
      // Cuts that moved meet other receipts.
      { when: ['power-loss'], by: [...missed.by, ...ofPower], with: ['prediction-failed', 'kill-unproven', 'intent-unserved'] },
      { by: missed.by, with: ['prediction-failed'] },
    ],
    '(pid)': { by: ['kill-unproven', 'record-malformed'], with: [...others, ...ofPower] },
    '(name)': { by: ['record-malformed', ...missed.by], with: ofPower },
    '(path)': [
      { when: ['after-fault'], ...afterFault },
      { when: behind, ...behindTheLast, or: byTrace },
      { by: [...missed.by, 'fault-ignored'], with: ofPower },
    ],
    '(result)': [
      { when: ['power-loss'], by: ['record-malformed', 'power-state-missed'], with: [...others, ...ofPower] },
      { of: ['failed by the disk'], when: ['syscall-kill', 'last-call', 'killed'], ...by('kill-unproven') },
      {
        of: ['failed by the disk'],
        when: ['syscall-kill'],
        ...free('what a call came back with does not say where the kill was'),
      },
      { by: ['kill-unproven', 'fault-unproven'], with: [...others, 'syscall-missed', 'fault-ignored'] },
    ],
    '(end)': by('kill-unproven'),
  },
  'states.jsonl': {
    state: { by: ['power-state-missed'], with: [...others, ...ofPower, 'scenario-unplanned'] },
    ...each(['cut', 'rule', 'at', 'sha256'], { by: ['power-state-missed'], with: others }),
    opened: { by: ['state-refused', 'power-state-missed'], with: [...others, ...ofPower] },
    'opened.entries': { by: ['recovery-misread', 'record-forked', 'promise-lost'], with: [...others, ...ofPower] },
    'opened.digest': { by: ['record-forked', 'recovery-misread'], with: others },
    refused: { by: ['state-refused', 'power-state-missed'], with: [...others, ...ofPower] },
    'refused.error': [{ when: ['to:state-absent'], ...by('state-refused') }, by('state-refused')],
    remade: { by: ['state-refused', 'power-state-missed'], with: [...others, ...ofPower] },
    'remade.entries': by('recovery-misread'),
    'remade.digest': [
      { when: ['sessions/v1'], ...free('a log that is made anew draws an identity of its own') },
      by('recovery-misread'),
    ],
    '(line)': { by: ['power-state-missed'], with: [...others, 'prediction-failed'] },
    '(file)': [
      { of: ['swapped between cases'], by: ['record-malformed', 'power-state-missed'], with: 'any' },
      { by: ['record-malformed', 'power-state-missed'], with: [...others, ...ofPower, 'prediction-failed'] },
    ],
  },
  'derivation.json': {
    workers: [{ of: ['zero'], ...by('power-state-missed') }, free('how many looked at the states side by side')],
    beginnings: [
      { of: ['absent'], when: ['only-loss'], ...free('a bundle that was made before this member was has none') },
      { by: ['power-state-missed'], with: others },
    ],
    '*': by('power-state-missed'),
    '(file)': { by: ['record-malformed', 'power-state-missed'], with: others },
  },
  'checkpoint.jsonl': {
    ...each(['checkpoint', 'occurrence', 'nonce', 'pid'], by('kill-unproven')),
    '(line)': { by: ['kill-unproven'], with: ['record-malformed'] },
    '(file)': { by: ['kill-unproven', 'record-malformed'] },
  },
};
