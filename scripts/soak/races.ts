/**
 * What the races of a run came to: from the facts in the bundle, and from what the verifier found and derived.
 *
 * A double effect or a lost recovery is counted once a race, whether a finding or the derived outcome says so.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Verdict {
  readonly verdict: string;
  readonly findings: readonly { code: string; where: { case: string | null; snapshot: string | null } }[];
  readonly outcomes: readonly { case: string; snapshot: string; outcome: string }[];
  readonly results: readonly { scope: string; result: string }[];
}

export interface Races {
  rounds: number;
  /** How many rounds had so many racers at once between their release and their exit. */
  overlaps: Record<string, number>;
  double_effects: number;
  lost_recoveries: number;
  gaps: number;
}

export const noRaces = (): Races => ({ rounds: 0, overlaps: {}, double_effects: 0, lost_recoveries: 0, gaps: 0 });

export function racesIn(bundle: string, { findings, outcomes }: Verdict): Races {
  const overlaps = overlapsIn(join(bundle, 'data/cases'));
  const counted = (codes: readonly string[], outcome?: string): number => {
    const places = [
      ...findings.filter(({ code }) => codes.includes(code)).map(({ where }) => `${where.case}/${where.snapshot}`),
      ...outcomes.filter((one) => one.outcome === outcome).map((one) => `${one.case}/${one.snapshot}`),
    ];
    return new Set(places.filter((place) => overlaps.has(place))).size;
  };
  const races = { ...noRaces(), rounds: overlaps.size };
  for (const overlap of overlaps.values()) races.overlaps[overlap] = (races.overlaps[overlap] ?? 0) + 1;
  return {
    ...races,
    double_effects: counted(['race-doubled'], 'duplicated'),
    lost_recoveries: counted(['race-lost'], 'lost'),
    gaps: counted(['event-chain-broken']),
  };
}

export function sumOfRaces(left: Races, right: Races): Races {
  const overlaps = { ...left.overlaps };
  for (const [overlap, rounds] of Object.entries(right.overlaps)) overlaps[overlap] = (overlaps[overlap] ?? 0) + rounds;
  return {
    rounds: left.rounds + right.rounds,
    overlaps,
    double_effects: left.double_effects + right.double_effects,
    lost_recoveries: left.lost_recoveries + right.lost_recoveries,
    gaps: left.gaps + right.gaps,
  };
}

/** `case/snapshot` of each race, with its overlap. */
function overlapsIn(cases: string): Map<string, number> {
  const overlaps = new Map<string, number>();
  for (const place of folders(cases).flatMap((name) => folders(join(cases, name)).map((snapshot) => `${name}/${snapshot}`))) {
    const path = join(cases, place, 'group.json');
    if (!existsSync(path)) continue;
    const { model, overlap } = JSON.parse(readFileSync(path, 'utf8')) as { model: string; overlap: number };
    if (model === 'race') overlaps.set(place, overlap);
  }
  return overlaps;
}

function folders(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
