/** The engine on the small bundles that are written by hand: what a site becomes, and that the short way finds what the whole one finds. */
import { describe, expect, it } from 'vitest';
import { Memory } from '../../read/memory.js';
import { goodBundle } from '../../testing/bundle.js';
import { expectSameBothWays, shortSample } from '../../testing/short-way.js';
import { mutantOf } from './mutant.js';
import type { Site } from './operator.js';
import { outcomeOf, resultOf } from './outcome.js';
import { reportOf } from './report.js';
import { goodOf } from './run.js';

const good = goodOf(goodBundle(), new Memory());
const file = good.snapshots[0]?.file('process.json') ?? '';
const site = (change: Site['apply'], field = 'pgid'): Site => ({
  ...{ operator: 'by hand', document: 'process.json', field, place: file, traits: [] },
  apply: change,
});
const regrouped = site((editor) => editor.json<{ pgid: number }>(file, (value) => void (value.pgid += 1)));

describe('a site', () => {
  it('that changes nothing is no mutant', () => {
    expect(
      mutantOf(
        good,
        site(() => undefined),
      ),
    ).toBeNull();
    expect(
      outcomeOf(
        good,
        site(() => undefined),
        1,
      ),
    ).toMatchObject({ result: 'unchanged', digest: null });
  });

  it('gives a mutant that the bag lists, so that only meaning tells', () => {
    expect(mutantOf(good, regrouped)?.changed).toEqual([file]);
    expect(outcomeOf(good, regrouped, 0)).toMatchObject({ result: 'rejected', given: ['kill-unproven'] });
  });

  it('without a row is told of, and one whose break fails too', () => {
    expect(outcomeOf(good, site(regrouped.apply, 'nowhere'), 1).result).toBe('undecided');
    const fails = site(() => {
      throw new Error('no such line');
    });
    expect(outcomeOf(good, fails, 1)).toMatchObject({ result: 'failed', expected: 'kill-unproven (no such line)' });
  });
});

describe('a verdict against its row', () => {
  const invalid = { verdict: 'invalid', given: ['case-missing', 'kill-unproven'] } as const;
  const [valid, unknown] = (['valid', 'unknown'] as const).map((verdict) => ({ verdict, given: [] }));

  it('is a rejection only by a declared code and no other', () => {
    expect(resultOf({ by: ['case-missing'], with: ['kill-unproven'] }, invalid)).toBe('rejected');
    expect(resultOf({ by: ['case-missing'], with: 'any' }, invalid)).toBe('rejected');
    expect(resultOf({ by: ['case-missing'] }, invalid)).toBe('other codes');
    expect(resultOf({ by: ['order-violated'], with: 'any' }, invalid)).toBe('other codes');
    for (const missed of [valid, unknown]) expect(resultOf({ by: ['case-missing'] }, missed ?? invalid)).toBe('missed');
  });

  it('of what an honest run could have left is valid, or unknown where the row says so', () => {
    expect(resultOf({ free: 'why' }, valid ?? invalid)).toBe('equivalent');
    for (const cried of [invalid, unknown]) expect(resultOf({ free: 'why' }, cried ?? invalid)).toBe('cried');
    expect(resultOf({ free: 'why', or: ['case-missing', 'kill-unproven'] }, invalid)).toBe('rejected');
    expect(resultOf({ free: 'why', or: ['case-missing'] }, invalid)).toBe('cried');
    expect(resultOf({ free: 'why', or: ['case-missing'] }, unknown ?? invalid)).toBe('cried');
    expect(resultOf({ unknown: 'why' }, unknown ?? invalid)).toBe('equivalent');
    expect(resultOf({ unknown: 'why' }, valid ?? invalid)).toBe('missed');
    expect(resultOf({ unknown: 'why' }, invalid)).toBe('cried');
  });
});

describe('a mutant', () => {
  it('made twice counts once', () => {
    const outcome = outcomeOf(good, regrouped, 1);
    const done = { found: 2, chosen: 2, outcomes: [[0, outcome] as const, [1, outcome] as const] };
    const report = reportOf([done], { seed: '1', bound: 1, sample: null });
    expect(report).toMatchObject({ generated: 2, discarded: 1, applied: 1, rejected: 1, survivors: [] });
  });

  it('is found by the short way to be what the whole way finds', () => {
    const [few] = shortSample(good);
    expect(few).toHaveLength(4);
    for (const one of few) expectSameBothWays(good, one);
  });
});
