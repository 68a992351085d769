/** A model that asks for one call at first, whose tool answers when the test says so. */
import { signal } from './session.js';
import type { Behaviours } from './strict-provider.js';

export function heldModel() {
  const asked = signal();
  const go = signal();
  const behaviours: Behaviours = {
    model: (_conversation, turn) => (turn === 0 ? { calls: [{ id: 'c0', name: 'mail' }] } : { text: `Turn ${turn}.` }),
    effect: async (name) => {
      asked.settle();
      await go.promise;
      return name;
    },
  };
  return { asked: asked.promise, go: () => go.settle(), behaviours };
}
