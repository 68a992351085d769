/**
 * Planted defects of derivation: each patch takes one rule out of a copy of the runtime or of the verifier, and the histories must show it.
 *
 * The patched side is held against the other two. The first line of a patch is its name, the second says which subject it is about:
 * `subject: calls`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import { root } from '../build.mjs';
import { withFolderAsync } from './folder.js';
import { runCampaign } from './campaign.js';
import type { Subject } from './history/drafts.js';
import { contractOf } from './write/contract.js';

const home = join(root, 'scripts/differential/planted');
/** How many histories a defect may take. */
const most = 1000;

export interface Sought {
  readonly name: string;
  readonly program: Program;
  readonly subject: Subject;
  readonly found: boolean;
  /** The failing one with them. */
  readonly histories: number;
  /** What was found first. */
  readonly first: string | null;
}

type Program = 'runtime' | 'verifier';

export function plantedNames(): string[] {
  const patches = readdirSync(home).filter((name) => name.endsWith('.patch'));
  return patches.map((name) => name.replace(/\.patch$/, '')).sort();
}

export async function findPlanted(
  names: readonly string[],
  seed: number,
  build: string,
  say: (sought: Sought) => void,
): Promise<Sought[]> {
  const contract = contractOf(root);
  const all: Sought[] = [];
  for (const name of names) {
    const path = join(home, `${name}.patch`);
    const subject = subjectOf(path);
    await withFolderAsync('differential-planted', async (folder) => {
      const { program, patched } = planted(build, path, folder);
      const sides = { runtime: build, verifier: build, contract, [program]: patched };
      const campaign = { subject, kind: 'mixed', histories: most, seed, ownerEvery: 0, shrinks: false } as const;
      // The serve role is a bundle of what it was: it is not asked.
      const { disagreement, histories } = await runCampaign(campaign, sides);
      const first = disagreement?.split('\n')[0]?.replace(/^- /, '').slice(0, 300) ?? null;
      const sought = { name, program, subject, found: disagreement !== null, histories, first };
      all.push(sought);
      say(sought);
    });
  }
  return all;
}

/** A copy of the present build of one program in which the modules that a patch touches are made anew. */
function planted(build: string, patch: string, folder: string): { program: Program; patched: string } {
  const touched = [...readFileSync(patch, 'utf8').matchAll(/^\+\+\+ b\/((runtime|verifier)\/.+)\.ts$/gm)];
  const [program] = new Set(touched.map(([, , name]) => name as Program));
  if (program === undefined) throw new Error(`${patch} touches no module of the runtime or the verifier.`);
  for (const [, path] of touched) {
    const source = join(folder, 'sources', `${path}.ts`);
    mkdirSync(dirname(source), { recursive: true });
    cpSync(join(root, `${path}.ts`), source);
  }
  applied(patch, join(folder, 'sources'));
  const patched = join(folder, 'build');
  cpSync(join(build, program), join(patched, program), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [, path] of touched) {
    const source = readFileSync(join(folder, 'sources', `${path}.ts`), 'utf8');
    const { code } = transformSync(source, { loader: 'ts', format: 'esm', target: 'node20' });
    writeFileSync(join(patched, `${path}.js`), code);
  }
  return { program, patched };
}

/** In a folder that git takes for no repository: inside one, it skips paths in silence. */
function applied(patch: string, folder: string): void {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder), GIT_DIR: undefined, GIT_WORK_TREE: undefined };
  const { status, stderr } = spawnSync('git', ['apply', patch], { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${patch} no longer applies (${stderr.trim().split('\n')[0]}). Make it anew against the present sources.`);
}

function subjectOf(patch: string): Subject {
  const subject = /^subject: (calls|sessions)$/m.exec(readFileSync(patch, 'utf8'))?.[1];
  if (subject === undefined) throw new Error(`${patch} does not say which subject it is about.`);
  return subject as Subject;
}
