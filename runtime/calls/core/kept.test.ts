/** Ledgers of the kept bundles, recorded by earlier versions, are read and projected as they were then. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openReader } from '../api/reader.js';

const kept = new URL('../../../evidence/kept/working-state/', import.meta.url).pathname;
const inspections = (readdirSync(kept, { recursive: true }) as string[])
  .filter((path) => path.endsWith('/inspection.json'))
  .map((path) => join(kept, path));

test('every kept state has the projection that was recorded with it', () => {
  expect(inspections.length).toBeGreaterThan(50);
  for (const path of inspections) {
    const recorded = JSON.parse(readFileSync(path, 'utf8')) as { projections?: unknown[] };
    const scratch = mkdtempSync(join(tmpdir(), 'killpoint-kept-'));
    const reader = openReader({ directory: join(dirname(path), 'state'), scratch });
    expect(reader.workStates(), path).toEqual(recorded.projections);
    reader.close();
  }
});
