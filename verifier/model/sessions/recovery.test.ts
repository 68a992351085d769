import { describe, expect, it } from 'vitest';
import { began, ofRun, queues, recordsOf, type Written } from '../../testing/session-records.js';
import { lineage } from '../../testing/session-log.js';
import { closeOutOf, isClosing } from './close-out.js';
import { historyOf, walk } from './fold.js';
import type { Call, Run } from './history.js';
import { resumeReportOf } from './resume.js';
import { isResultText, resultText, textOf } from './texts.js';

const a = ofRun('run-a');
const asked = (...calls: (readonly [string, string?, string?])[]): Written[] => [began(), a.step(3), a.asks(3, ...calls)];
const runOf = (...all: Written[]) => historyOf(recordsOf(...all)).runs.at(-1) as Run;

describe('a close-out', () => {
  const told = (run: Run, forced = false) => {
    const closeOut = closeOutOf(run, { forced });
    const closings = [...(closeOut?.closings ?? [])].map(([key, all]) => [
      key.split('/')[3],
      ...all.map((one) => (one.type === 'tool_result' ? one.outcome : one.reason)),
    ]);
    return closeOut === null ? null : [closeOut.seal, ...closings];
  };
  const two = (...more: Written[]) => [...asked(['c'], ['d', 'wipe'], ['e']), ...more];
  const planned = two(a.plans(3, 'parallel', ['c'], ['d', 'wipe', 'policy_blocked'], ['e']));

  it.each<[string, Written[], unknown[] | null]>([
    ['of a run that can go on is none', [began()], null],
    ['of a natural end is none', [began(), a.step(3), a.says(3, 'Fine.')], null],
    ['of a run that has ended is none', [began(), a.ends()], null],
    [
      'gives each call its terminal',
      [...planned, a.intends(3, 'c')],
      ['interrupted', ['c', 'unknown'], ['d', 'policy_blocked'], ['e', 'interrupted']],
    ],
    [
      'gives nothing twice',
      [...planned, a.intends(3, 'c'), a.result(3, 'c', 'unknown'), a.leaves(3, 'd', 'policy_blocked')],
      ['interrupted', ['e', 'interrupted']],
    ],
    [
      'seals what has all of its terminals',
      [
        ...planned,
        a.intends(3, 'c'),
        a.result(3, 'c', 'unknown'),
        a.leaves(3, 'd', 'policy_blocked'),
        a.result(3, 'e', 'interrupted'),
      ],
      ['interrupted'],
    ],
    ['of an open attempt has no calls', [began({ config: { model_leg: 'intent' } }), a.step(3), a.attempt(3)], ['interrupted']],
    [
      'of a cancel before a plan',
      two(a.cancels()),
      ['cancelled', ['c', 'interrupted', 'unavailable'], ['d', 'policy_blocked'], ['e', 'interrupted', 'unavailable']],
    ],
    [
      'of a cancel with an intent',
      [...planned, a.intends(3, 'c'), a.cancels('now')],
      ['cancelled', ['c', 'unknown'], ['d', 'policy_blocked'], ['e', 'interrupted']],
    ],
    ['of a cancel without calls', [began(), a.step(3), a.says(3, 'Fine.'), a.cancels()], ['cancelled']],
    [
      'of a denied call under a cancel',
      [...asked(['c', 'refund']), a.wants(3, 'c'), a.decides(3, 'c', 'denied'), a.cancels()],
      ['cancelled', ['c', 'denied', 'unavailable']],
    ],
    [
      'behind a call that was closed',
      [
        ...asked(['c'], ['d']),
        a.plans(3, 'sequential', ['c'], ['d']),
        a.intends(3, 'c'),
        a.intends(3, 'd'),
        a.result(3, 'c', 'interrupted'),
      ],
      ['interrupted', ['d', 'interrupted']],
    ],
    [
      'at the limit of steps',
      [began({ config: { max_steps: 1 } }), a.step(3), a.asks(3, ['c'], ['d', 'none'])],
      ['max_steps', ['c', 'max_steps', 'unavailable'], ['d', 'unknown_tool']],
    ],
  ])('%s', (_what, all, wanted) => expect(told(runOf(...all))).toEqual(wanted));

  it.each<[string, Written[], unknown[] | null]>([
    [
      'a run that waits for a person',
      [...asked(['c', 'refund']), a.wants(3, 'c')],
      ['interrupted', ['c', 'interrupted', 'unavailable']],
    ],
    ['a step that is due', [began(), a.step(3)], ['interrupted']],
    ['a natural end', [began(), a.step(3), a.says(3, 'Fine.')], ['completed']],
    ['nothing that has ended', [began(), a.ends()], null],
  ])('that a new send forces closes %s', (_what, all, wanted) => expect(told(runOf(...all), true)).toEqual(wanted));

  it('knows its terminals again', () => {
    const open = closeOutOf(runOf(...planned, a.intends(3, 'c')))?.closings;
    const after = [
      ...planned,
      a.intends(3, 'c'),
      a.result(3, 'c', 'unknown'),
      a.leaves(3, 'd', 'denied'),
      a.result(3, 'e', 'max_steps'),
    ];
    const calls = [...historyOf(recordsOf(...after)).callsByKey.values()];
    expect(calls.map((call) => isClosing(call, open?.get(call.key) ?? []))).toEqual([true, false, false]);
    expect(isClosing(runOf(...planned).steps[0]?.calls[0] as Call, [{ type: 'tool_result', outcome: 'unknown' }])).toBe(false);
  });
});

describe('a resume', () => {
  const report = (all: Written[]) => {
    const history = historyOf(recordsOf(...all));
    return resumeReportOf(history, history.lastSeq + 1);
  };
  const key = (id: string) => `s-1/run-a/batch-3/${id}`;

  it.each<[string, Written[], string[], string[]]>([
    ['runs nothing again before the first step', [began()], [], []],
    ['runs a step again', [began(), a.step(3)], ['step-3'], []],
    ['dispatches calls without a plan', asked(['c'], ['d', 'wipe']), [key('c')], []],
    ['dispatches a call that never left', [...asked(['c']), a.plans(3, 'sequential', ['c'])], [key('c')], []],
    ['dispatches an approved call', [...asked(['c', 'refund']), a.wants(3, 'c'), a.decides(3, 'c', 'approved')], [key('c')], []],
    ['dispatches no denied call', [...asked(['c', 'refund']), a.wants(3, 'c'), a.decides(3, 'c', 'denied')], [], []],
    ['dispatches nothing while a person has to be asked', asked(['c'], ['d', 'refund']), [], []],
    [
      'dispatches beside one that may go on',
      [...asked(['c', 'look'], ['d']), a.plans(3, 'parallel', ['c', 'look'], ['d']), a.intends(3, 'c', 'look')],
      [key('d')],
      [key('c')],
    ],
    [
      'finds calls of which nobody can know',
      [...asked(['c'], ['d']), a.plans(3, 'parallel', ['c'], ['d']), a.intends(3, 'c'), a.intends(3, 'd')],
      [],
      [key('c'), key('d')],
    ],
    [
      'finds none that has its result',
      [...asked(['c']), a.plans(3, 'parallel', ['c']), a.intends(3, 'c'), a.result(3, 'c', 'unknown')],
      [],
      [],
    ],
    [
      'finds a model request of which nobody can know',
      [began({ config: { model_leg: 'intent' } }), a.step(3), a.attempt(3)],
      [],
      ['step-3'],
    ],
    ['does nothing again at a natural end', [began(), a.step(3), a.says(3, 'Fine.')], [], []],
    ['does nothing again under a cancel', [...asked(['c']), a.cancels()], [], []],
  ])('%s', (_what, all, redone, indeterminate) => expect(report(all)).toMatchObject({ run_id: 'run-a', redone, indeterminate }));

  it.each<[string, Written[]]>([
    ['in an empty session', []],
    ['after an end', [began(), a.ends()]],
    ['while a person has to answer', [...asked(['c', 'refund']), a.wants(3, 'c')]],
    ['of a queue', [began(), a.ends(), queues('q')]],
  ])('has nothing to do %s', (_what, all) => expect(report(all)).toBeNull());

  it('counts what it rebuilt, in every run', () => {
    const b = ofRun('run-b');
    const all = [
      ...[began(), a.steers('One.'), a.step(4), a.asks(4, ['c'], ['d', 'wipe'])],
      ...[a.plans(4, 'parallel', ['c'], ['d', 'wipe', 'policy_blocked']), a.intends(4, 'c'), a.leaves(4, 'd', 'policy_blocked')],
      ...[a.result(4, 'c'), a.batched(4), a.turned(4), a.steers('Two.'), a.ends()],
      ...[began({ run: 'run-b' }), b.steers('Three.')],
    ];
    expect(report(all)).toEqual({
      ...{ run_id: 'run-b', episode: 2, resumed_from_seq: 15, redone: [], indeterminate: [] },
      replayed: { messages: 4, model_steps: 1, tool_results: 2 },
    });
  });

  it('has read up to the frame before its tenure', () => {
    const tenure: Written = { type: 'lineage', payload: lineage };
    const records = recordsOf(began(), a.step(3), tenure, a.cancels(), tenure);
    const seen: (number | undefined)[] = [];
    walk([...records, ...recordsOf().slice(1)], ({ seq }, before) => seen.push(resumeReportOf(before, seq)?.resumed_from_seq));
    expect(seen).toEqual([undefined, undefined, 2, 3, 3, 5]);
    expect(resumeReportOf(historyOf(records), 7)?.resumed_from_seq).toBe(5);
  });
});

describe('the texts', () => {
  it.each([
    ['unknown', 'There is no recorded result of this call. It may have happened; find out before you ask for it again.'],
    ['interrupted', 'This call was not dispatched: the run was interrupted before it.'],
    ['max_steps', 'This call was not dispatched: the run had reached its limit of steps.'],
    ['not_sent', 'This call was not sent: nothing was there to take it.'],
  ] as const)('of %s', (outcome, text) => {
    expect(textOf(outcome)).toBe(text);
    const result = { run_id: 'r', batch_id: 'batch-1', tool_call_id: 'c', seq: 1, outcome, output: text, is_error: true };
    const wrong = [
      result,
      { ...result, output: 'x' },
      { ...result, is_error: false },
      { ...result, outcome: 'completed' as const, output: 'x' },
    ];
    expect(wrong.map(isResultText)).toEqual([true, false, false, true]);
  });

  it.each([
    ['unknown_tool', 'This call was not dispatched: there is no such tool.'],
    ['invalid_arguments', 'This call was not dispatched: its arguments are not those of the tool.'],
    ['oversized', 'This call was not dispatched: its arguments are too large.'],
    ['denied', 'This call was not dispatched: a person denied it.'],
    ['policy_blocked', 'This call was not dispatched: the policy of this session forbids it.'],
    ['unavailable', 'This call was not dispatched: the tool was not available.'],
  ] as const)('of a call that was not dispatched as %s', (reason, text) => {
    const run = runOf(...asked(['c']), a.plans(3, 'parallel', ['c', 'charge', reason]), a.leaves(3, 'c', reason));
    expect(run.steps[0]?.calls.map(resultText)).toEqual([text]);
  });

  it('of a call without a terminal is none', () =>
    expect(runOf(...asked(['c'])).steps[0]?.calls.map(resultText)).toEqual([null]));
});
