/** The tail that a crash left, as in `torn.crash.test.ts`, at every other place where it can be cut. */
import { test } from 'vitest';
import { expectAppended, isFirst } from './testing/torn.js';

test('every other cut of the last barrier, killed and opened again', { timeout: 120_000 }, () =>
  expectAppended((index) => !isFirst(index), 1),
);
