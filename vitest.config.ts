import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: {
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
