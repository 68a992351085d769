import { describe, expect, it } from 'vitest';
import { whyUnknown } from './summary.js';

const voided = { case: 'case', snapshot: 'arm', reason: 'mechanism-missing', detail: 'There is no strace.' };

describe('the line of the verdict', () => {
  it.each([
    ['the only case that ran was void', 1, 1, true, ': the only case that ran is void, and proves nothing'],
    ['all of several were', 2, 2, true, ': all 2 cases are void, and prove nothing'],
    ['all of a whole plan were', 2, 2, false, ': all 2 cases are void, and prove nothing'],
    ['one of the selected was', 3, 1, true, ': only selected cases ran (1 of 3 void), and what did not run is unknown'],
    ['only some were selected', 1, 0, true, ': only selected cases ran, and what did not run is unknown'],
    ['a whole plan ran', 3, 1, false, ''],
  ])('where %s does not blame anything else', (_what, cases, voids, selected, words) => {
    expect(whyUnknown({ cases, selected, voids: Array.from({ length: voids }, () => voided) })).toBe(words);
  });
});
