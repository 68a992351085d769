import { describe, expect, it } from 'vitest';
import type { RoleProcess } from '../process/spawn.js';
import { startTimeline } from '../process/timeline.js';
import { overlapOf } from './race.js';

/** A racer that was released and seen to exit at these moments. */
function racer(released: number, exited: number | null): { role: RoleProcess } {
  const timeline = startTimeline();
  timeline.mark('released', BigInt(released));
  if (exited !== null) timeline.mark('exit_seen', BigInt(exited));
  return { role: { timeline } as RoleProcess };
}

describe('the overlap of a race', () => {
  it.each<[string, [number, number | null][], number]>([
    ['nobody', [], 0],
    ['one alone', [[1, 5]], 1],
    [
      'one after the other',
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      1,
    ],
    [
      'one that ends in the moment in which the next begins',
      [
        [1, 3],
        [3, 5],
      ],
      1,
    ],
    [
      'all at once',
      [
        [1, 9],
        [2, 8],
        [3, 7],
      ],
      3,
    ],
    [
      'two pairs',
      [
        [1, 4],
        [2, 5],
        [6, 9],
        [7, 8],
      ],
      2,
    ],
    [
      'a chain of three, never more than two of them',
      [
        [1, 4],
        [3, 6],
        [5, 8],
      ],
      2,
    ],
    [
      'one whose exit came before its release',
      [
        [5, 1],
        [1, 9],
      ],
      1,
    ],
    [
      'one whose exit nobody saw',
      [
        [1, null],
        [2, 3],
      ],
      1,
    ],
  ])('of %s', (_name, spans, most) => {
    expect(overlapOf(spans.map(([released, exited]) => racer(released, exited)))).toBe(most);
  });
});
