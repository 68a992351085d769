/**
 * The ground truth, a few points of it, on real file systems; and one sentence where there can be none.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './build.mjs';
import { whyNoDisks } from './ground-truth/disks.js';

const run = (options: { uid?: number; env?: NodeJS.ProcessEnv } = {}) =>
  spawnSync(process.execPath, ['--import', 'tsx', join(root, 'scripts/ground-truth.ts'), '--points', '1', '--json'], {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 },
    ...options,
  });

describe('the ground truth of power loss', () => {
  it.skipIf(whyNoDisks() !== null)(
    'is that what a file system left is among what was derived, and a known loss in both',
    () => {
      const { status, stdout, stderr } = run();
      expect(stderr).not.toContain('MISS');
      expect(status).toBe(0);
      const { counts } = JSON.parse(stdout) as { counts: Record<string, number> };
      expect(counts).toMatchObject({ known: counts.runs, losses: 2, losses_seen: 2 });
      expect(counts.runs).toBeGreaterThan(30);
      expect(counts.with_pending).toBeGreaterThan(10);
      // What is always lost whole would be told apart by nothing.
      expect(counts.with_unsynced_found).toBeGreaterThan(0);
      expect(spawnSync('mount', { encoding: 'utf8' }).stdout).not.toContain('.ground-truth-');
    },
    300_000,
  );

  it.skipIf(process.getuid?.() !== 0)('is told in one sentence to be out of reach without root', () => {
    // Nobody may not write where root's temporary files go.
    const own = mkdtempSync(join(tmpdir(), 'killpoint-nobody-'));
    chmodSync(own, 0o777);
    const { status, stdout, stderr } = run({ uid: 65534, env: { ...process.env, TMPDIR: own } });
    rmSync(own, { recursive: true });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^The ground truth of power loss cannot be tried here: this user is not root(, [^\n]+)?\.\n$/);
  });
});
