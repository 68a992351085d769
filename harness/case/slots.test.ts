import { expect, it } from 'vitest';
import { createSlots } from './slots.js';

it('slots never let more work run than there are, serve in order, and survive a failure', async () => {
  const slots = createSlots(2);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const work = [0, 1, 2, 3, 4].map((id) =>
    slots.use(async () => {
      order.push(id);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
      if (id === 1) throw new Error('planted');
    }),
  );
  const settled = await Promise.allSettled(work);
  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
});
