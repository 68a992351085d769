import { expect, it } from 'vitest';
import type { Reached } from '../case/reach.js';
import { reachedRows } from './reached.js';

const arm = { case: 'one', arm: 'arm', role: 'producer' } as const;
const counts = {
  ...{ items: 9, operations: 5, requests: 1, cuts: 10, left_out: 0, derived: 30, distinct: 12, examined: 12 },
  ...{ opened: 9, refused: 3, remade: 3, carried_on: 4 },
};
const kills: Reached = { ...arm, model: 'syscall-kill', family: 'writes', found: 40, tried: 10 };
const losses: Reached = { ...arm, model: 'power-loss', persistence: 'ext4', ...counts };

it('says nothing of a run without arms that stand for many crashes', () => expect(reachedRows([])).toEqual([]));

it('adds up the points of a family, and keeps families, kinds and roles apart', () => {
  const rows = reachedRows([
    kills,
    { ...kills, case: 'two', found: 2, tried: 1 },
    { ...kills, family: 'syncs', found: 7, tried: 7 },
    { ...kills, role: 'resume' },
    { ...kills, model: 'io-fault', family: 'names', found: 3, tried: 0 },
  ]);
  expect(rows).toEqual([
    ['producer', 'kills before 11 of 42 writes, 7 of 7 syncs'],
    ['producer', 'faults of 0 of 3 names'],
    ['resume', 'kills before 10 of 40 writes'],
  ]);
});

it('adds up the states, and says what a sample or a bound left out', () => {
  expect(reachedRows([losses, losses])).toEqual([
    ['producer', 'power lost at 20 cuts of 10 operations, 60 states, 24 distinct, 24 recovered (6 refused), 8 carried on'],
  ]);
  const [[, text] = []] = reachedRows([{ ...losses, left_out: 90, examined: 6, opened: 6, refused: 0 }]);
  expect(text).toBe(
    'power lost at 10 cuts (90 left out by the seed) of 5 operations, 30 states, 6 of 12 distinct, 6 recovered (0 refused), 4 carried on',
  );
});
