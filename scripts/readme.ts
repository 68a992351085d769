/**
 * Writes the figures of README.md from the kept bundles, so that no number there was typed by hand.
 *
 * The verifier judges a kept bundle afresh, and only a valid one is quoted. Which model finds which planted defect is quoted from the newest kept table. `--check` changes nothing and exits 1 if the README says
 * something else. A table whose plan has no kept bundle is not printed.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './build.mjs';
import { judged, keptBundle } from './kept.js';
import { plantedFigures } from './readme/planted.js';
import { powerLossFigures, ratchetFigures } from './readme/power-loss.js';
import { recoveryFigures } from './readme/recovery.js';
import { sessionFigures } from './readme/sessions.js';
import { figures } from './readme/working-state.js';

/** A table for each plan that is quoted beside the main one, under the plan's name. */
const tables: Record<string, (bundle: string) => string> = {
  recovery: recoveryFigures,
  sessions: sessionFigures,
  'power-loss': powerLossFigures,
  'power-loss-sessions': powerLossFigures,
  syscalls: ratchetFigures,
  'syscalls-sessions': ratchetFigures,
  'io-faults': ratchetFigures,
  'io-faults-sessions': ratchetFigures,
};

/** The readme as it should be. */
export function quoted(readme: string): string {
  const main = keptBundle('working-state');
  if (main === null) throw new Error('There is no kept bundle of the main plan.');
  const found = plantedFigures(join(root, 'evidence/kept/soak'), plantedDefects(), join(root, 'preregistrations'));
  return Object.entries(tables).reduce(
    (text, [plan, table]) => {
      const bundle = keptBundle(plan);
      if (bundle === null) return text;
      const { verdict } = judged(bundle);
      if (verdict !== 'valid') throw new Error(`${bundle} is ${verdict}; only a valid bundle is quoted.`);
      return inPlace(text, plan, table(bundle));
    },
    inPlace(inPlace(readme, 'figures', figures(main)), 'planted', found),
  );
}

function plantedDefects(): string[] {
  return readdirSync(join(root, 'scripts/planted'))
    .filter((name) => name.endsWith('.patch'))
    .map((name) => name.replace(/\.patch$/, ''));
}

function inPlace(readme: string, name: string, text: string): string {
  const begin = `<!-- ${name}:begin (npm run readme) -->`;
  const end = `<!-- ${name}:end -->`;
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md has no place for ${name}: put ${begin} and ${end} where it belongs.`);
  return `${readme.slice(0, from + begin.length)}\n\n${text}\n\n${readme.slice(to)}`;
}

if (process.argv[1]?.endsWith('readme.ts') === true) {
  const before = readFileSync('README.md', 'utf8');
  const after = quoted(before);
  if (!process.argv.includes('--check')) writeFileSync('README.md', after);
  else if (before !== after) {
    console.error('README.md does not say what the kept bundles say. Run `npm run readme`.');
    process.exitCode = 1;
  }
}
