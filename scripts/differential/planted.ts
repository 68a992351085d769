/**
 * Planted projection defects: each patch takes one rule out of a copy of the runtime, and the histories must show it.
 *
 * The patched runtime is held against the present verifier and the reference. The first line of a patch is its name, the second says which
 * subject it is about: `subject: calls`.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { ensureBuild, orExit, root } from '../build.mjs';
import { withFolderAsync } from './folder.js';
import { applyPatch, prepareCopy } from '../planted/copy.js';
import { runCampaign } from './campaign.js';
import type { Subject } from './history/drafts.js';
import { contractOf } from './write/contract.js';

const home = join(root, 'scripts/differential/planted');
/** How many histories a defect may take. */
const most = 1000;

export function plantedNames(): string[] {
  const patches = readdirSync(home).filter((name) => name.endsWith('.patch'));
  return patches.map((name) => name.replace(/\.patch$/, '')).sort();
}

/** How many were found; a line for each. */
export async function findPlanted(names: readonly string[], seed: number, say: (line: string) => void): Promise<number> {
  const verifier = process.env['KILLPOINT_BUILD'] ?? orExit(ensureBuild);
  const contract = contractOf(root);
  return withFolderAsync('differential-planted', async (folder) => {
    const prepared = join(folder, 'prepared');
    prepareCopy(root, prepared);
    let found = 0;
    for (const name of names) {
      const patch = join(home, `${name}.patch`);
      const runtime = patched(prepared, verifier, patch, join(folder, name));
      const began = { subject: subjectOf(patch), histories: most, seed, runtime, verifier, contract };
      const { disagreement, histories } = await runCampaign({ ...began, ownerEvery: 2 * most, shrinks: false });
      if (disagreement !== null) found += 1;
      say(disagreement === null ? `NOT FOUND ${name}` : `found ${name}: ${histories} histories`);
      if (disagreement !== null) say(`  ${disagreement.split('\n')[0]?.slice(0, 240)}`);
    }
    return found;
  });
}

/**
 * A copy of the present build in which the modules that a patch touches are made anew. Only the reader is asked: it runs from modules, and
 * the roles are bundles of what they were.
 */
function patched(prepared: string, build: string, patch: string, folder: string): string {
  cpSync(prepared, folder, { recursive: true, verbatimSymlinks: true });
  applyPatch(folder, patch);
  const runtime = join(folder, 'dist/planted/runtime');
  cpSync(join(build, 'runtime'), runtime, { recursive: true });
  const touched = [...readFileSync(patch, 'utf8').matchAll(/^\+\+\+ b\/runtime\/(.+)\.ts$/gm)].map(([, path]) => path as string);
  for (const path of touched) {
    const source = readFileSync(join(folder, 'runtime', `${path}.ts`), 'utf8');
    const { code } = transformSync(source, { loader: 'ts', format: 'esm', target: 'node20' });
    writeFileSync(join(runtime, `${path}.js`), code);
  }
  return join(folder, 'dist/planted');
}

function subjectOf(patch: string): Subject {
  const subject = /^subject: (calls|sessions)$/m.exec(readFileSync(patch, 'utf8'))?.[1];
  if (subject === undefined) throw new Error(`${patch} does not say which subject it is about.`);
  return subject as Subject;
}
