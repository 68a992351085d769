/**
 * `npx tsx scripts/freeze.ts <kept bundle>… [--again]`: freezes what the present verifier says of kept bundles. What is frozen stays: only with
 * --again is it written anew, and CHANGELOG.md must then say which verdicts changed.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { changesIn, formatsOf, frozenFolder, frozenOf, frozenPath, readFrozen, type Judged } from './frozen.js';
import { keptBundles, verdictOf } from './kept.js';

const usage = 'Usage: npx tsx scripts/freeze.ts <kept bundle>… [--again]';

function freeze(bundle: string, again: boolean): string {
  const judged = verdictOf(bundle) as Judged;
  if (judged.verdict !== 'valid') throw new Error(`${bundle} is ${judged.verdict}; only a valid bundle is frozen.`);
  const before = readFrozen(bundle);
  const now = frozenOf(bundle, formatsOf(bundle), judged);
  if (before !== null && !again)
    throw new Error(`${frozenPath(bundle)} is there: what is frozen stays. ${changesIn(before, now)[0] ?? 'Nothing changed.'}`);
  const path = frozenPath(bundle);
  mkdirSync(frozenFolder(bundle), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(now, null, 1)}\n`);
  renameSync(`${path}.new`, path);
  return `${path}: ${Object.keys(now.claims).length} claims, ${Object.keys(now.outcomes).length} outcomes`;
}

const given = process.argv.slice(2);
const again = given.includes('--again');
const wanted = given.filter((argument) => argument !== '--again').map((name) => name.replace(/\/+$/, ''));
const known = keptBundles();
const stranger = wanted.find((name) => !known.includes(name));
if (wanted.length === 0 || stranger !== undefined) {
  process.stderr.write(stranger === undefined ? `${usage}\n` : `${stranger} is no kept bundle. ${usage}\n`);
  process.exitCode = 64;
} else {
  try {
    for (const bundle of wanted) process.stdout.write(`${freeze(bundle, again)}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
