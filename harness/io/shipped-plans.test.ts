import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { shippedPlans } from './shipped-plans.js';

const packageRoot = resolve(import.meta.dirname, '..', '..');

it('shipped plans are named from where a person stands: short where they lie below, whole elsewhere', () => {
  expect(shippedPlans({ packageRoot }, packageRoot)).toContain('preregistrations/working-state.json');
  expect(shippedPlans({ packageRoot }, join(packageRoot, 'preregistrations'))).toContain('working-state.json');
  expect(shippedPlans({ packageRoot }, '/')).toContain(join(packageRoot, 'preregistrations', 'working-state.json').slice(1));
  expect(shippedPlans({ packageRoot }, join(packageRoot, 'harness'))).toContain(
    join(packageRoot, 'preregistrations', 'working-state.json'),
  );
  expect(shippedPlans({ packageRoot: '/nowhere' }, '/')).toEqual([]);
});
