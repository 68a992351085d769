/**
 * Which crash model finds which planted defect, as a table of README.md.
 *
 * Read from the newest table that `npm run planted -- --table` wrote and that is kept; a defect without a row in it is a reason not to print one.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { models, modelsIn, type Model, type Plan, type Table } from '../planted/table.js';

const heads: Readonly<Record<Model, string>> = {
  'no crash': 'no crash',
  'process-kill': 'kill',
  'crash-in-recovery': 'in recovery',
  race: 'race',
  zombie: 'zombie',
  'syscall-kill': 'system call',
  'power-loss': 'power loss',
  'io-fault': 'fault',
};

/**
 * @param kept the folder of kept summaries
 * @param patches the names of the planted defects
 * @param plansHome where the plans are by which they were sought
 */
export function plantedFigures(kept: string, patches: readonly string[], plansHome: string): string {
  const newest = readdirSync(kept)
    .filter((name) => name.endsWith('-planted.json'))
    .sort()
    .at(-1);
  if (newest === undefined) throw new Error(`${kept} holds no table of planted defects: run npm run planted -- --table <file>.`);
  const { defects } = JSON.parse(readFileSync(join(kept, newest), 'utf8')) as Table;
  const missing = patches.filter((patch) => !defects.some(({ name }) => name === patch));
  if (missing.length > 0)
    throw new Error(`${newest} has no row for ${missing.join(', ')}: run npm run planted -- --table <file> <name>.`);
  const triedBy = new Map<string, ReadonlySet<Model>>();
  const tried = (plan: string): ReadonlySet<Model> => {
    const known = triedBy.get(plan) ?? modelsIn(JSON.parse(readFileSync(join(plansHome, `${plan}.json`), 'utf8')) as Plan);
    triedBy.set(plan, known);
    return known;
  };
  const rows = defects.map(({ name, plans, found }) => {
    const cells = models.map((model) => {
      const codes = found[model];
      if (codes !== undefined) return `**${codes.length}**`;
      return plans.some(({ plan, refused }) => refused === undefined && tried(plan).has(model)) ? '·' : '';
    });
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return [
    `| planted defect | ${models.map((model) => heads[model]).join(' | ')} |`,
    `|---|${models.map(() => '---').join('|')}|`,
    ...rows,
  ].join('\n');
}
