/**
 * Planted faults of a reader: each patch of `scripts/fuzz/planted/` breaks one rule in a copy of the verifier, and the target
 * that is about it must show it.
 *
 * A fuzzer that never finds anything may be unable to. A fault counts as found where the fuzzer ends at an input that the
 * patched reader fails on, with the words that the patch names, and that the reader as it is reads without a find. The seeds
 * alone may not show it: then nothing was searched for. The header of a patch, read as those of `scripts/planted/`:
 *
 *     # Target: ledger             which target fuzzes the reader
 *     # Must say: The image is     how the words of the find begin; others that do as well behind ` | `
 *     # Why: what goes wrong with it
 */
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build.mjs';
import { applyPatch } from '../planted/copy.js';
import { demandedOf, fieldsOf } from '../planted/header.js';
import { beginningsOf, bundleTarget, findIn, fuzzTarget } from './run.js';

const home = join(root, 'scripts/fuzz/planted');

export interface Sought {
  readonly name: string;
  readonly target: string;
  readonly found: boolean;
  /** With the one that found it; none where it was not searched for. */
  readonly executions: number;
  readonly seconds: number;
  /** What the patched reader was caught at, or why it does not count. */
  readonly said: string;
}

export interface Fault {
  readonly name: string;
  readonly target: string;
  readonly mustSay: readonly string[];
}

/** Throws a sentence where a header lacks something. */
export function plantedFaults(): Fault[] {
  const names = readdirSync(home).filter((name) => name.endsWith('.patch'));
  return names.sort().map((file) => {
    const fields = fieldsOf(readFileSync(join(home, file), 'utf8'), ['Target', 'Must say', 'Why']);
    demandedOf(fields, 'Why');
    return {
      name: file.replace(/\.patch$/, ''),
      target: demandedOf(fields, 'Target'),
      mustSay: demandedOf(fields, 'Must say').split(' | '),
    };
  });
}

/**
 * @param prepared a copy of the sources by `prepareCopy`
 * @param folder where the patched copy goes; must not be there yet
 */
export async function seek(
  { name, target, mustSay }: Fault,
  prepared: string,
  folder: string,
  limits: { seconds: number; seed: number },
): Promise<Sought> {
  const sought = { name, target, found: false, executions: 0, seconds: 0 };
  cpSync(prepared, folder, { recursive: true, verbatimSymlinks: true });
  try {
    applyPatch(folder, join(home, `${name}.patch`), (path) => !path.startsWith('verifier/read/'));
  } catch (error) {
    return { ...sought, said: error instanceof Error ? error.message : String(error) };
  }
  const [patched, sound] = [join(folder, 'fuzz-patched'), join(folder, 'fuzz-sound')];
  await bundleTarget(folder, target, patched);
  await bundleTarget(prepared, target, sound);
  const begin = beginningsOf(target);
  const shown = findIn(patched, begin);
  if (shown !== null) return { ...sought, said: `The seeds alone show it: ${shown}` };
  const { executions, seconds, crash } = await fuzzTarget(patched, begin, limits);
  const ran = { ...sought, executions, seconds };
  if (crash === null) return { ...ran, said: `Not within ${limits.seconds} seconds.` };
  const [said, otherwise] = [findIn(patched, [crash]), findIn(sound, [crash])];
  if (said === null) return { ...ran, said: 'What the fuzzer took for a find is read without one.' };
  if (otherwise !== null) return { ...ran, said: `The reader as it is fails too: ${otherwise}` };
  const isIt = mustSay.some((words) => said.startsWith(words) || said.startsWith(`Error: ${words}`));
  return isIt ? { ...ran, found: true, said } : { ...ran, said: `Found is something else: ${said}` };
}
