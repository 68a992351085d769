/**
 * What the groups of a run came to, in which several processes acted on one state: races, and owners that were stopped while another acted. From
 * the facts in the bundle, and from what the verifier found and derived.
 *
 * Counted are a double effect, a lost recovery and a gap once a group of either model, whether a finding or the derived outcome says so. A
 * duplicate that the plan predicts (an owner whose lock was defeated may still send what it had committed to) is counted apart and is none.
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
  /** Races alone. */
  rounds: number;
  /** How many rounds had so many racers at once between their release and their exit. */
  overlaps: Record<string, number>;
  /** Owners that were stopped while another process acted. */
  stopped_owners: number;
  double_effects: number;
  lost_recoveries: number;
  gaps: number;
  predicted_duplicates: number;
}

interface Plan {
  readonly cases: readonly { id: string; arms: readonly { id: string; expect: { outcome?: string } }[] }[];
}

type Group = { model: 'race'; overlap: number } | { model: 'zombie' };

export const noRaces = (): Races => ({
  rounds: 0,
  overlaps: {},
  stopped_owners: 0,
  double_effects: 0,
  lost_recoveries: 0,
  gaps: 0,
  predicted_duplicates: 0,
});

export function racesIn(bundle: string, { findings, outcomes }: Verdict): Races {
  const groups = groupsIn(join(bundle, 'data/cases'));
  const foundIn = (code: string): string[] => findings.filter((one) => one.code === code).map(({ where }) => nameOf(where));
  const derivedIn = (outcome: string): string[] => outcomes.filter((one) => one.outcome === outcome).map(nameOf);
  const counted = (...places: string[]): number => new Set(places.filter((place) => groups.has(place))).size;
  const predicted = predictedDuplicates(bundle);
  const duplicated = derivedIn('duplicated');
  const races = {
    ...noRaces(),
    double_effects: counted(...foundIn('race-doubled'), ...duplicated.filter((place) => !predicted.has(place))),
    lost_recoveries: counted(...foundIn('race-lost'), ...derivedIn('lost')),
    gaps: counted(...foundIn('event-chain-broken')),
    predicted_duplicates: counted(...duplicated.filter((place) => predicted.has(place))),
  };
  for (const group of groups.values()) {
    if (group.model === 'zombie') races.stopped_owners++;
    else {
      races.rounds++;
      races.overlaps[group.overlap] = (races.overlaps[group.overlap] ?? 0) + 1;
    }
  }
  return races;
}

export function sumOfRaces(left: Races, right: Races): Races {
  const overlaps = { ...left.overlaps };
  for (const [overlap, rounds] of Object.entries(right.overlaps)) overlaps[overlap] = (overlaps[overlap] ?? 0) + rounds;
  return {
    rounds: left.rounds + right.rounds,
    overlaps,
    stopped_owners: left.stopped_owners + right.stopped_owners,
    double_effects: left.double_effects + right.double_effects,
    lost_recoveries: left.lost_recoveries + right.lost_recoveries,
    gaps: left.gaps + right.gaps,
    predicted_duplicates: left.predicted_duplicates + right.predicted_duplicates,
  };
}

/** `case/snapshot` of each group of processes. */
function groupsIn(cases: string): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const place of folders(cases).flatMap((name) => folders(join(cases, name)).map((snapshot) => `${name}/${snapshot}`))) {
    const path = join(cases, place, 'group.json');
    if (existsSync(path)) groups.set(place, JSON.parse(readFileSync(path, 'utf8')) as Group);
  }
  return groups;
}

function predictedDuplicates(bundle: string): Set<string> {
  const { cases } = JSON.parse(readFileSync(join(bundle, 'data/plan.json'), 'utf8')) as Plan;
  const arms = cases.flatMap(({ id, arms }) => arms.map((arm) => ({ case: id, snapshot: arm.id, ...arm.expect })));
  return new Set(arms.filter(({ outcome }) => outcome === 'duplicated').map(nameOf));
}

function nameOf(where: { case: string | null; snapshot: string | null }): string {
  return `${where.case}/${where.snapshot}`;
}

function folders(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
