import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Tests of real processes wait most of the time; more workers than cores keep the cores busy.
    maxWorkers: 3,
    projects: [
      { test: { name: 'pure', include: ['**/*.test.ts'], exclude: ['**/*.crash.test.ts', '**/node_modules/**', 'dist/**'] } },
      {
        test: {
          name: 'crash',
          include: ['**/*.crash.test.ts'],
          exclude: ['**/node_modules/**', 'dist/**'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
