import { describe, expect, it } from 'vitest';
import type { Subject } from '../contract/types.js';
import { killedCase, recovery, toy, toyPlan, zombie } from '../testing/plans.js';
import { mistakesOf } from './check.js';
import type { Plan, PlannedArm, Zombie } from './types.js';

describe('the model of a plan', () => {
  const of = (model: Subject['model']): Subject => ({ ...toy, model });
  const mistakes = (model: Plan['model'], subject: Subject, arms: PlannedArm[] = []): [string, string][] =>
    mistakesOf({ ...toyPlan([killedCase('killed', 'good', undefined, arms)]), ...(model && { model }) }, [subject]).map(
      ({ pointer, sentence }) => [pointer, sentence],
    );

  it.each<[Plan['model'], Subject['model'], RegExp | null]>([
    [undefined, 'calls/v1', null],
    ['calls/v1', 'calls/v1', null],
    ['sessions/v1', 'sessions/v1', null],
    [undefined, 'receipts-only', null],
    [undefined, 'sessions/v1', /is absent, which means "calls\/v1", but toy is a subject of "sessions\/v1"/],
    ['calls/v1', 'sessions/v1', /names "calls\/v1", but toy is a subject of "sessions\/v1"/],
    ['sessions/v1', 'calls/v1', /names "sessions\/v1", but toy/],
    ['calls/v1', 'receipts-only', /leave it out/],
  ])('%s, over a subject of %s', (model, its, sentence) => {
    expect(mistakes(model, of(its))).toEqual(sentence === null ? [] : [['/model', expect.stringMatching(sentence)]]);
  });

  const place = '/cases/2/arms/0';

  it('says what a recovery can be told', () => {
    const sends = recovery('sends', { operation: 'send', input: { run_id: 'run-2', text: 'Go on.' } });
    expect(mistakes('sessions/v1', of('sessions/v1'), [sends])).toEqual([]);
    expect(mistakes(undefined, of('calls/v1'), [sends])).toEqual([
      [`${place}/operation`, expect.stringMatching(/is "send", which is none of calls\/v1/)],
    ]);
    expect(mistakes('sessions/v1', of('sessions/v1'), [recovery('recovers')])).toEqual([]);
    expect(mistakes('sessions/v1', of('sessions/v1'), [recovery('starts', { operation: 'start_call' })])).toEqual([
      [`${place}/operation`, 'is "start_call", which is none of sessions/v1 (it has: recover, send, approve, cancel)'],
    ]);
  });

  it('says what the other process of a zombie can be told', () => {
    const stopped = (told: Zombie['other']): PlannedArm => {
      const { operation: _operation, ...owner } = recovery('stopped', { crash: zombie('none', told) });
      return owner;
    };
    expect(mistakes('sessions/v1', of('sessions/v1'), [stopped({ operation: 'cancel' })])).toEqual([]);
    expect(mistakes('sessions/v1', of('sessions/v1'), [stopped({ operation: 'finalize' })])).toEqual([
      [`${place}/crash/other/operation`, expect.stringMatching(/is "finalize", which is none of sessions/)],
    ]);
  });
});
