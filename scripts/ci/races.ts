/**
 * The races of the gate's own runs: at least a twentieth of the thousand that a soak runs, none doubled, none lost, no gap.
 *
 * The verdict has said so already; this counts them, so that "no race was lost" says how many were run and how many racers were at once.
 */
import { readFileSync } from 'node:fs';
import { noRaces, racesIn, sumOfRaces, type Verdict } from '../soak/races.js';
import { step } from './shared.js';

const atLeast = 50;

step('races', () => {
  const bundles = process.argv.slice(2);
  const verdictOf = (bundle: string): Verdict => JSON.parse(readFileSync(`${bundle}.verdict.json`, 'utf8')) as Verdict;
  const races = bundles.map((bundle) => racesIn(bundle, verdictOf(bundle))).reduce(sumOfRaces, noRaces());
  const wrong = races.double_effects + races.lost_recoveries + races.gaps;
  if (races.rounds < atLeast || wrong > 0)
    throw new Error(`at least ${atLeast} good rounds are wanted: ${JSON.stringify(races)}`);
  return JSON.stringify(races);
});
