/**
 * What a kept bundle was found to be, frozen: each claim with its result and its counts, each outcome, and the formats that it is written in. A
 * later verifier may know more guarantees, and so make more claims; what was claimed before stays as it was.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const home = 'evidence/frozen';
const kept = 'evidence/kept';

/** Of a verdict document, what is frozen. */
export interface Judged {
  verdict: string;
  confirmatory: boolean;
  cases: number;
  void: number;
  plan: { id: string; sha256: string };
  run: { id: string; root_sha256: string };
  results: { guarantee: string; scope: string; result: string; expected: number; seen: number }[];
  outcomes: { case: string; snapshot: string; outcome: string }[];
}

export interface Frozen {
  bundle: string;
  formats: Formats;
  about: Record<string, string | number | boolean>;
  /** `<guarantee> <scope>` to `<result>, <seen> of <expected>`. */
  claims: Record<string, string>;
  /** `<case>/<snapshot>` to its outcome. */
  outcomes: Record<string, string>;
}

/** The versions of what a bundle consists of. */
export interface Formats {
  execution: string;
  plan: string;
  model: string;
  storage: string[];
}

/** Where the frozen verdict of a bundle lies. */
export function frozenPath(bundle: string): string {
  return join(home, `${relative(kept, bundle)}.json`);
}

export function readFrozen(bundle: string): Frozen | null {
  const path = frozenPath(bundle);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Frozen) : null;
}

/** The bundles whose verdicts are frozen, whether or not they are still there. */
export function frozenBundles(): string[] {
  if (!existsSync(home)) return [];
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  return names.map((name) => join(kept, name.replace(/\.json$/, ''))).sort();
}

export function frozenOf(bundle: string, formats: Formats, judged: Judged): Frozen {
  const { verdict, confirmatory, cases, void: voids, plan, run } = judged;
  return {
    bundle,
    formats,
    about: {
      verdict,
      confirmatory,
      cases,
      void: voids,
      plan: plan.id,
      plan_sha256: plan.sha256,
      run: run.id,
      root_sha256: run.root_sha256,
    },
    claims: Object.fromEntries(
      judged.results.map(({ guarantee, scope, result, expected, seen }) => [
        `${guarantee} ${scope}`,
        `${result}, ${seen} of ${expected}`,
      ]),
    ),
    outcomes: Object.fromEntries(judged.outcomes.map(({ case: id, snapshot, outcome }) => [`${id}/${snapshot}`, outcome])),
  };
}

/** A sentence for each thing that is no longer as it was frozen; none for claims of guarantees that are new. */
export function changesIn(frozen: Frozen, now: Frozen): string[] {
  const guarantees = new Set(Object.keys(frozen.claims).map(guaranteeOf));
  return [
    ...differences('The frozen', frozen.about, now.about),
    ...differences('The frozen outcome of', frozen.outcomes, now.outcomes),
    ...differences('The frozen claim', frozen.claims, now.claims),
    ...Object.keys(now.claims)
      .filter((name) => !(name in frozen.claims) && guarantees.has(guaranteeOf(name)))
      .map((name) => `The claim ${name} is new, of a guarantee that was frozen without it.`),
    ...Object.keys(now.outcomes)
      .filter((name) => !(name in frozen.outcomes))
      .map((name) => `The outcome of ${name} is new.`),
  ];
}

type Values = Readonly<Record<string, string | number | boolean>>;

function differences(what: string, before: Values, after: Values): string[] {
  return Object.entries(before)
    .filter(([name, value]) => after[name] !== value)
    .map(([name, value]) => `${what} ${name} was "${value}" and is ${name in after ? `"${after[name]}"` : 'gone'}.`);
}

function guaranteeOf(name: string): string {
  return name.split(' ')[0] ?? '';
}

/** As its own records name them. */
export function formatsOf(bundle: string): Formats {
  const json = (path: string): Record<string, string> => JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  const states = readdirSync(bundle, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('/state/format.json'));
  const storages = new Set(states.map((path) => json(join(bundle, path)).storage ?? ''));
  const plan = json(join(bundle, 'data/plan.json'));
  return {
    execution: json(join(bundle, 'data/execution.json')).version ?? '',
    plan: plan.version ?? '',
    model: plan.model ?? 'calls/v1',
    storage: [...storages].sort(),
  };
}

/** The folder that a frozen verdict is written into. */
export function frozenFolder(bundle: string): string {
  return dirname(frozenPath(bundle));
}
