/**
 * A folder for one test, gone after it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function inFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-verifier-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
