import { describe, expect, it } from 'vitest';
import { validateSessionState } from '../../contract/session-validators.js';
import { began, ofRun, queues, recordsOf, type Written } from '../../testing/session-records.js';
import { lineage } from '../../testing/session-log.js';
import { historyOf, walk } from './fold.js';
import { compared, sessionStateOf } from './session-state.js';

const a = ofRun('run-a');
const b = ofRun('run-b');
const state = (...all: Written[]) => sessionStateOf(historyOf(recordsOf(...all)));

describe('the state of a session', () => {
  const all = [
    ...[queues('q-1'), queues('q-2', 'Now.', 'interrupt'), queues('q-3', 'Now too.', 'interrupt')],
    ...[began(), a.step(6), a.asks(6, ['c'], ['d', 'look']), a.plans(6, 'parallel', ['c'], ['d', 'look']), a.intends(6, 'c')],
    ...[a.intends(6, 'd', 'look'), a.result(6, 'c'), a.result(6, 'd'), a.batched(6), a.turned(6)],
    ...[a.step(15), a.says(15, 'Fine.'), a.turned(15), a.ends()],
    ...[began({ run: 'run-b', config: { model_leg: 'intent' } }), b.step(20), b.attempt(20), b.cancels(), b.cancels('now')],
  ];

  it('is derived from its records, member by member', () => {
    const found = state(...all);
    expect(validateSessionState(found)).toBe(true);
    expect(found).toEqual({
      ...{ version: 'session-state/v1', session_id: 's-1', identity: lineage.identity, next_operation: 'close_out', on: 'run-b' },
      queue: [
        { submission_id: 'q-2', delivery: 'interrupt' },
        { submission_id: 'q-3', delivery: 'interrupt' },
        { submission_id: 'q-1', delivery: 'plain' },
      ],
      runs: [
        {
          ...{ run_id: 'run-a', episode: 1, stage: 'finished', next_operation: 'none', reason: 'completed', cancel: null },
          ...{ model_leg: 'rerun', steps: 2, detail: 'The run is finished.' },
          calls: [
            { key: 's-1/run-a/batch-6/c', tool_call_id: 'c', name: 'charge', state: 'completed' },
            { key: 's-1/run-a/batch-6/d', tool_call_id: 'd', name: 'look', state: 'completed' },
          ],
        },
        {
          ...{ run_id: 'run-b', episode: 2, stage: 'cancelling', next_operation: 'close_out', reason: null, cancel: 'now' },
          ...{ model_leg: 'intent', steps: 0, calls: [], detail: 'The run is cancelling.' },
        },
      ],
    });
  });

  it('is compared without what is for people', () => {
    const found = state(began());
    if (found === null) throw new Error('There is a state.');
    const told = { ...found, runs: found.runs.map((run) => ({ ...run, detail: 'Other words.' })) };
    expect(compared(told)).toEqual(compared(found));
    expect(compared({ ...told, on: null })).not.toEqual(compared(found));
  });

  it('is none without a lineage frame', () => {
    expect(sessionStateOf(historyOf(recordsOf().slice(1)))).toBeNull();
  });

  it('keeps a cancel that was escalated', () => {
    expect(state(began(), a.cancels('now'), a.cancels())?.runs[0]?.cancel).toBe('now');
  });
});

describe('what belongs to nothing', () => {
  it.each<[string, Written[], number]>([
    ['a record of a run that never began', [began(), ofRun('run-x').cancels()], 3],
    ['a run that begins twice', [began(), a.ends(), began()], 4],
    ['a second end', [began(), a.ends(), a.ends()], 4],
    ['a step with another number than its frame', [began(), a.step(4)], 3],
    ['an answer of a step that never began', [began(), a.says(3, 'Fine.')], 3],
    ['a step of another run', [began(), a.step(3), began({ run: 'run-b' }), b.says(3, 'Fine.')], 5],
    ['a second answer', [began(), a.step(3), a.says(3, 'Fine.'), a.says(3, 'Fine.')], 5],
    ['a second end of a turn', [began(), a.step(3), a.says(3, 'Fine.'), a.turned(3), a.turned(3)], 6],
    [
      'a call that nobody asked for',
      [began(), a.step(3), a.asks(3, ['c']), a.plans(3, 'sequential', ['c']), a.intends(3, 'd')],
      6,
    ],
    [
      'a second plan',
      [began(), a.step(3), a.asks(3, ['c']), a.plans(3, 'sequential', ['c']), a.plans(3, 'sequential', ['c'])],
      6,
    ],
    ['the end of a batch that never began', [began(), a.step(3), a.asks(3, ['c']), a.batched(3)], 5],
    ['a submission that was queued before', [queues('q'), queues('q')], 3],
    ['what is taken back and was never queued', [{ type: 'retracted', payload: { submission_id: 'q' } }], 2],
  ])('%s', (_what, all, seq) => expect(historyOf(recordsOf(...all)).strays.map((record) => record.seq)).toEqual([seq]));

  it('does not hide a record that stands twice where both count', () => {
    const all = [began(), a.step(3), a.asks(3, ['c']), a.plans(3, 'sequential', ['c']), a.intends(3, 'c'), a.intends(3, 'c')];
    const history = historyOf(recordsOf(...all, a.result(3, 'c'), a.result(3, 'c')));
    const call = history.callsByKey.get('s-1/run-a/batch-3/c');
    expect([history.strays.length, call?.intents.length, call?.results.length]).toEqual([0, 2, 2]);
  });
});

describe('a walk', () => {
  it('shows each record the history before it', () => {
    const records = recordsOf(began(), a.steers('One.'), a.step(4), a.steers('Two.'), a.ends());
    const seen: number[][] = [];
    const after = walk(records, ({ seq }, { lastSeq, runs, replayed }) =>
      seen.push([seq, lastSeq, runs.length, replayed.messages]),
    );
    expect(seen).toEqual([
      [1, 0, 0, 0],
      [2, 1, 0, 0],
      [3, 2, 1, 1],
      [4, 3, 1, 1],
      [5, 4, 1, 2],
      [6, 5, 1, 2],
    ]);
    expect(after.replayed.messages).toBe(3);
    expect(after).toEqual(historyOf(records));
  });
});
