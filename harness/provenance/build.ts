/**
 * The inventory of the compiled files: what ran is what `build.json` lists, byte for byte.
 *
 * Checked before anything is spawned and copied into the bundle. A file that the inventory does not list is refused as well: it could
 * be imported.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Execution } from '../contract/types.js';
import { HarnessError } from '../errors.js';
import { sha256 } from '../io/canonical.js';
import type { Installation } from '../io/installation.js';
import { filesBelow } from '../io/inventory.js';

export interface Build {
  /** `build.json`, byte for byte. */
  readonly bytes: Buffer;
  readonly facts: Execution['build'];
}

interface BuildList {
  key: string;
  source_sha256: string;
  files: { path: string; size: number; sha256: string }[];
}

export function checkBuild(installation: Installation): Build {
  const path = join(installation.build, 'build.json');
  if (!existsSync(path)) {
    throw new HarnessError(
      'build-missing',
      `${path} is missing: this build cannot say what it is made of. Build again (npm start does it).`,
    );
  }
  const bytes = readFileSync(path);
  const list = JSON.parse(bytes.toString('utf8')) as BuildList;
  const listed = new Map(list.files.map((file) => [file.path, file]));
  const present = filesBelow(installation.build).filter((name) => name !== 'build.json');
  const items = [
    ...present.filter((name) => !listed.has(name)).map((name) => `${name} (not listed)`),
    ...list.files
      .filter((file) => !isSame(join(installation.build, file.path), file.sha256))
      .map((file) => `${file.path} (altered or missing)`),
  ];
  if (items.length > 0) {
    throw new HarnessError('build-altered', `The build in ${installation.build} is not what its build.json lists; build again.`, {
      items,
    });
  }
  return {
    bytes,
    facts: { key: list.key, source_sha256: list.source_sha256, files: list.files.length, inventory_sha256: sha256(bytes) },
  };
}

function isSame(path: string, expected: string): boolean {
  return existsSync(path) && sha256(readFileSync(path)) === expected;
}
