/**
 * Nothing is done: one process, which ends by itself.
 */
import type { CrashModel } from './model.js';

export const undisturbed: CrashModel<unknown> = {
  reasons: { exited: 'harness-error', unproven: 'harness-error' },
  cast: () => [{ member: null, parkedAt: null }],
  play: async (scene, cast) => {
    for (const part of cast) await scene.start(part).ended();
  },
  doubt: () => null,
};
