import { describe, expect, it } from 'vitest';
import { began, ofRun, queues, recordsOf, retracts, type Written } from '../../testing/session-records.js';
import { historyOf } from './fold.js';
import { isOpenFor, isUnfinished, mayFollow, type Word } from './open-for.js';

const a = ofRun('run-a');
const word = (operation: string | null, input: object = {}): Word => ({ operation, input });
const [resume, recover] = [word(null), word('recover')];
const approve = word('approve', { tool_call_id: 'c', decision: 'approved', by: 'operator' });
const now = word('cancel', { at: 'now' });
const soon = word('cancel', { at: 'step_boundary' });
const send = word('send', { run_id: 'run-b', text: 'Next.' });
const same = word('send', { run_id: 'run-a', text: 'Hello.' });
const later = word('send', { run_id: 'q', text: 'Later.' });

const paused = [began(), a.step(3), a.asks(3, ['c', 'refund']), a.wants(3, 'c')];
const all = { resume, recover, approve, now, soon, send, same, later };

const rows: [what: string, log: Written[], open: string][] = [
  ['nothing was sent', [], 'send same later'],
  ['a message waits and no run was there', [queues('q')], 'recover send same later'],
  ['a run was begun', [began()], 'resume recover now soon send same later'],
  ['a run waits for a person', paused, 'approve now soon send later'],
  ['the person has answered', [...paused, a.decides(3, 'c', 'denied')], 'resume recover now soon send same later'],
  ['the run is to end at its boundary', [...paused, a.cancels('step_boundary')], 'resume recover now send same later'],
  ['the run is to end at once', [...paused, a.cancels('now')], 'resume recover send same later'],
  ['the run was completed', [began(), a.ends('completed')], 'send later'],
  ['the run was completed and a message waits', [queues('q'), began(), a.ends('completed')], 'resume recover send later'],
  ['the run was interrupted and a message waits', [queues('q'), began(), a.ends('interrupted')], 'recover send later'],
  ['the message was taken back', [queues('q'), retracts('q'), began(), a.ends('interrupted')], 'send later'],
];

describe('what a session leaves open', () => {
  it.each(rows)('where %s', (_what, log, open) => {
    const history = historyOf(recordsOf(...log));
    const found = Object.entries(all).filter(([, one]) => isOpenFor(one, history));
    expect(found.map(([name]) => name).join(' ')).toBe(open);
  });

  it('to the next of several that were told the same is what waits behind a run that was closed', () => {
    const closed = historyOf(recordsOf(queues('q'), began(), a.ends('interrupted')));
    expect([recover, later, send, resume, now].map((one) => mayFollow(one, closed))).toEqual([true, true, false, false, false]);
    const open = historyOf(recordsOf(queues('q'), began()));
    const ended = historyOf(recordsOf(began(), a.ends('interrupted')));
    for (const history of [open, ended]) expect([recover, later].some((one) => mayFollow(one, history))).toBe(false);
  });

  it('to whoever had begun is its own word, its run, and what its run lets follow', () => {
    const words = { resume, recover, approve, now, send };
    const left = (...log: Written[]) =>
      Object.entries(words)
        .filter(([, one]) => isUnfinished(one, historyOf(recordsOf(...log))))
        .map(([name]) => name)
        .join(' ');
    expect(left(began())).toBe('resume recover now send');
    expect(left(queues('q'), began(), a.ends('interrupted'))).toBe('send');
    expect(left(queues('q'), began(), a.ends('completed'))).toBe('resume recover send');
    expect(left(...paused)).toBe('approve now send');
  });
});
