import { describe, expect, it } from 'vitest';
import { began, ofRun, queues, recordsOf, retracts, type Written } from '../../testing/session-records.js';
import { callStateOf } from './call-state.js';
import { historyOf } from './fold.js';
import { stageIn, next } from './session-state.js';
import { operations, rows, stageOf } from './stage.js';

const a = ofRun('run-a');
const b = ofRun('run-b');

/** Record 1 is the lineage, 2 the start, 3 the first step. */
const asked = (...calls: (readonly [string, string?, string?])[]): Written[] => [began(), a.step(3), a.asks(3, ...calls)];
const history = (...all: Written[]) => historyOf(recordsOf(...all));
const states = (...all: Written[]) => [...history(...all).callsByKey.values()].map(callStateOf);

describe('the state of a call', () => {
  const one = asked(['c']);
  const planned = [...one, a.plans(3, 'sequential', ['c'])];
  const intended = [...planned, a.intends(3, 'c')];

  it.each<[string, Written[], string]>([
    ['nothing', one, 'pending'],
    ['an approval that was asked for', [...one, a.wants(3, 'c')], 'awaiting_approval'],
    ['an approval', [...one, a.wants(3, 'c'), a.decides(3, 'c', 'approved')], 'approved'],
    ['a denial', [...one, a.wants(3, 'c'), a.decides(3, 'c', 'denied')], 'denied'],
    ['a plan to dispatch', planned, 'never_left'],
    [
      'an approval and a plan',
      [...one, a.wants(3, 'c'), a.decides(3, 'c', 'approved'), a.plans(3, 'sequential', ['c'])],
      'never_left',
    ],
    ['a plan not to', [...one, a.plans(3, 'sequential', ['c', 'charge', 'oversized'])], 'never_dispatchable'],
    ['an intent', intended, 'indeterminate'],
    [
      'a terminal of no dispatch',
      [...one, a.plans(3, 'sequential', ['c', 'charge', 'denied']), a.leaves(3, 'c', 'denied')],
      'no_dispatch',
    ],
    ['a result', [...intended, a.result(3, 'c')], 'completed'],
    ['what was not sent', [...intended, a.result(3, 'c', 'not_sent')], 'not_sent'],
    ['what nobody knows', [...intended, a.result(3, 'c', 'unknown')], 'unknown'],
    ['an interruption', [...planned, a.result(3, 'c', 'interrupted')], 'interrupted'],
    ['the limit of steps', [...planned, a.result(3, 'c', 'max_steps')], 'max_steps'],
    ['an outcome behind an unknown one', [...intended, a.result(3, 'c', 'unknown'), a.result(3, 'c')], 'completed'],
  ])('with %s', (_what, all, state) => expect(states(...all)).toEqual([state]));

  const two = (mode: 'sequential' | 'parallel', ...more: Written[]) =>
    states(...asked(['c'], ['d']), a.plans(3, mode, ['c'], ['d']), a.intends(3, 'c'), a.intends(3, 'd'), ...more);

  it.each<[string, string[], string[]]>([
    [
      'is held behind one that was interrupted',
      two('sequential', a.result(3, 'c', 'interrupted')),
      ['interrupted', 'held_successor'],
    ],
    ['is held behind one at the limit', two('sequential', a.result(3, 'c', 'max_steps')), ['max_steps', 'held_successor']],
    ['is indeterminate behind one that was delivered', two('sequential', a.result(3, 'c')), ['completed', 'indeterminate']],
    [
      'is indeterminate behind one of which nobody knows',
      two('sequential', a.result(3, 'c', 'unknown')),
      ['unknown', 'indeterminate'],
    ],
    [
      'is indeterminate before one that was interrupted',
      two('sequential', a.result(3, 'd', 'interrupted')),
      ['indeterminate', 'interrupted'],
    ],
    [
      'is indeterminate where all are sent at once',
      two('parallel', a.result(3, 'c', 'interrupted')),
      ['interrupted', 'indeterminate'],
    ],
  ])('%s', (_what, found, wanted) => expect(found).toEqual(wanted));

  it('goes by the order of the plan', () => {
    const all = [...asked(['c'], ['d']), a.plans(3, 'sequential', ['d'], ['c']), a.intends(3, 'c'), a.intends(3, 'd')];
    expect(states(...all, a.result(3, 'd', 'interrupted'))).toEqual(['held_successor', 'interrupted']);
  });
});

const intent = { config: { model_leg: 'intent' } } as const;
const lastStep = { config: { max_steps: 1 } } as const;
const stage = (...all: Written[]) => {
  const run = history(...all).runs[0];
  return run === undefined ? 'none' : stageOf(run);
};

describe('the stage of a run', () => {
  const intended = (name = 'charge') => [...asked(['c', name]), a.plans(3, 'sequential', ['c', name]), a.intends(3, 'c', name)];
  const stopped = [began(lastStep), a.step(3), a.asks(3, ['c'])];
  const open = [began(intent), a.step(3), a.attempt(3)];

  it.each<[row: string, what: string, Written[], string]>([
    ['a', 'an end', [began(), a.ends('error')], 'finished'],
    ['a', 'an end behind a cancel', [began(), a.cancels(), a.ends('cancelled')], 'finished'],
    ['b', 'a cancel', [began(), a.cancels()], 'cancelling'],
    ['b', 'a cancel, and a call of which nobody knows', [...intended(), a.cancels()], 'cancelling'],
    ['b', 'a cancel after an answer without calls', [began(), a.step(3), a.says(3, 'Fine.'), a.cancels()], 'cancelling'],
    ['c', 'an indeterminate call', intended(), 'interrupted'],
    ['c', 'an unknown result', [...intended(), a.result(3, 'c', 'unknown')], 'interrupted'],
    [
      'c',
      'an unknown result in a batch that is finished',
      [...intended(), a.result(3, 'c', 'unknown'), a.batched(3), a.turned(3)],
      'interrupted',
    ],
    [
      'c',
      'an interrupted call',
      [...asked(['c']), a.plans(3, 'sequential', ['c']), a.result(3, 'c', 'interrupted')],
      'interrupted',
    ],
    ['c', 'an indeterminate call at the limit', [...stopped, a.plans(3, 'sequential', ['c']), a.intends(3, 'c')], 'interrupted'],
    ['c', 'an interrupted call that might have gone on', [...intended('look'), a.result(3, 'c', 'interrupted')], 'interrupted'],
    ['d', 'an open attempt', open, 'model_unknown'],
    ['d', 'an attempt of which an informational record says that it failed', [...open, a.attempted(3)], 'model_unknown'],
    ['d', 'a second attempt that is open', [...open, a.attempted(3), a.attempt(3, 2)], 'model_unknown'],
    ['e', 'calls of the last step', stopped, 'stopped'],
    [
      'e',
      'calls of the last step that were closed',
      [...stopped, a.plans(3, 'sequential', ['c']), a.result(3, 'c', 'max_steps'), a.batched(3), a.turned(3)],
      'stopped',
    ],
    ['f', 'an approval without its answer', [...asked(['c', 'refund']), a.wants(3, 'c')], 'paused'],
    [
      'f',
      'one of two approvals without its answer',
      [...asked(['c', 'refund'], ['d', 'refund']), a.wants(3, 'c'), a.wants(3, 'd'), a.decides(3, 'd', 'denied')],
      'paused',
    ],
    ['g', 'an answer without calls', [began(), a.step(3), a.says(3, 'Fine.')], 'natural_end'],
    ['g', 'an answer without calls whose turn is finished', [began(), a.step(3), a.says(3, 'Fine.'), a.turned(3)], 'natural_end'],
    ['g', 'an answer without calls of the last step', [began(lastStep), a.step(3), a.says(3, 'Fine.')], 'natural_end'],
    ['g', 'an answer without calls under intent', [...open, a.says(3, 'Fine.')], 'natural_end'],
    ['h', 'calls without a plan', asked(['c']), 'tools_due'],
    ['h', 'calls that were approved', [...asked(['c', 'refund']), a.wants(3, 'c'), a.decides(3, 'c', 'approved')], 'tools_due'],
    ['h', 'a call that never left', [...asked(['c']), a.plans(3, 'sequential', ['c'])], 'tools_due'],
    ['h', 'an indeterminate call that may go on', intended('look'), 'tools_due'],
    ['h', 'terminals, and no batch that is finished', [...intended(), a.result(3, 'c')], 'tools_due'],
    ['h', 'a batch that is finished, and no turn', [...intended(), a.result(3, 'c'), a.batched(3)], 'tools_due'],
    ['i', 'a start', [began()], 'step_due'],
    ['i', 'a step without its answer', [began(), a.step(3)], 'step_due'],
    ['i', 'a turn that is finished', [...intended(), a.result(3, 'c'), a.batched(3), a.turned(3)], 'step_due'],
    [
      'i',
      'an unknown result that may go on, its turn finished',
      [...intended('look'), a.result(3, 'c', 'unknown'), a.batched(3), a.turned(3)],
      'step_due',
    ],
    ['i', 'a second step that was started', [...intended(), a.result(3, 'c'), a.batched(3), a.turned(3), a.step(9)], 'step_due'],
    ['i', 'an open attempt before a step that was started later', [...open, a.step(5)], 'step_due'],
    ['i', 'a step behind an answer without calls', [began(), a.step(3), a.says(3, 'Fine.'), a.step(5)], 'step_due'],
  ])('%s: with %s', (row, _what, all, wanted) => {
    expect(stage(...all)).toBe(wanted);
    expect(rows.find((one) => one.row === row)?.stage).toBe(wanted);
  });

  it('is one of nine, each with its operation', () => {
    expect(rows.map(({ row, stage: name }) => `${row} ${name} ${operations[name]}`)).toEqual([
      ...['a finished none', 'b cancelling close_out', 'c interrupted close_out', 'd model_unknown close_out'],
      ...['e stopped close_out', 'f paused approve', 'g natural_end finalize', 'h tools_due run_tools', 'i step_due run_step'],
    ]);
  });

  it('is over where another run has begun', () => {
    const two = history(began(), a.step(3), began({ run: 'run-b' }));
    expect(two.runs.map((run) => stageIn(two, run))).toEqual(['finished', 'step_due']);
  });
});

describe('what is next', () => {
  const ended = (reason: 'completed' | 'interrupted' | 'cancelled' | 'max_steps' | 'error') => [began(), a.ends(reason)];

  it.each<[string, Written[], string, string | null]>([
    ['in an empty session', [], 'none', null],
    ['after an end', ended('completed'), 'none', null],
    ['of a run', [began()], 'run_step', 'run-a'],
    ['of the last of two runs', [began(), a.ends(), began({ run: 'run-b' }), b.cancels()], 'close_out', 'run-b'],
    [
      'of a person',
      [...asked(['c', 'refund'], ['d', 'refund']), a.wants(3, 'd'), a.wants(3, 'c')],
      'approve',
      's-1/run-a/batch-3/d',
    ],
    ['of a queue after a completed run', [...ended('completed'), queues('q')], 'drain_queue', 'q'],
    ['of a queue after a cancelled run', [...ended('cancelled'), queues('q')], 'drain_queue', 'q'],
    ['of a queue after the limit', [...ended('max_steps'), queues('q')], 'drain_queue', 'q'],
    ['of a queue after an interruption', [...ended('interrupted'), queues('q')], 'none', null],
    ['of a queue after an error', [...ended('error'), queues('q')], 'none', null],
    ['of a queue while a run is open', [began(), queues('q')], 'run_step', 'run-a'],
    [
      'of a queue, interrupting first',
      [...ended('completed'), queues('q'), queues('r', 'Now.', 'interrupt')],
      'drain_queue',
      'r',
    ],
    ['of a queue that was taken back', [...ended('completed'), queues('q'), retracts('q')], 'none', null],
    ['of a queue that was drained', [queues('q'), began({ run: 'q', submission: 'q' }), ofRun('q').ends()], 'none', null],
  ])('%s', (_what, all, operation, on) => expect(next(history(...all))).toEqual({ next_operation: operation, on }));
});
