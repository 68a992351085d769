import { defineConfig } from 'vitest/config';

const never = ['**/node_modules/**', 'dist/**'];

/** Three kinds, by name. `npm test` runs the first two; the third takes minutes, and is run before a change is kept. */
export default defineConfig({
  test: {
    // Tests of real processes wait most of the time; more workers than cores keep the cores busy.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'pure',
          include: ['**/*.test.ts'],
          exclude: ['**/*.{crash,gate}.test.ts', ...never],
          testTimeout: 30_000,
          // They leave nothing that another could see, and loading all modules anew for each file takes longer than most of them. So do the
          // tests of crashes.
          isolate: false,
        },
      },
      ...['crash', 'gate'].map((name) => ({
        test: {
          name,
          include: [`**/*.${name}.test.ts`],
          exclude: never,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          isolate: name === 'gate',
        },
      })),
    ],
  },
});
