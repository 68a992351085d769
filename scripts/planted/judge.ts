/**
 * Was a planted defect found? Pure: from the header of the patch, the plan and the report of the run.
 *
 * Only `invalid` with every demanded code counts. A void case proves nothing about the defect, and an unknown verdict is no finding. Findings
 * beyond those demanded are welcome: a defect may break more than one guarantee.
 */
import type { Header, PlaceKind } from './header.js';

/** What of `killpoint run --json` is read here, with the outcomes of its verdict document. */
export interface Report {
  readonly verdict: string;
  readonly cases: number;
  readonly kills: number;
  readonly findings: readonly { code: string; where: Where }[];
  readonly voids: readonly { case: string; snapshot: string; reason: string; detail: string }[];
  readonly outcomes: readonly { case: string; snapshot: string; outcome: string }[];
}

interface Where {
  readonly case: string | null;
  readonly snapshot: string | null;
}

export interface Plan {
  readonly cases: readonly {
    readonly id: string;
    readonly arms: readonly { readonly id: string; readonly crash?: { readonly model: string; readonly forced?: boolean } }[];
  }[];
}

interface Place {
  readonly case: string;
  /** Null: anywhere in the case. */
  readonly snapshot: string | null;
}

/** What keeps the defect from counting as found, in sentences; empty where it was found. */
export function problemsOf(header: Header, plan: Plan, report: Report): string[] {
  if (report.voids.length > 0)
    return report.voids.map((one) => `${one.case}/${one.snapshot} is void (${one.reason}): ${one.detail}`);
  if (report.verdict !== 'invalid') return [`The defect was not found: the verdict is ${report.verdict}.`];
  if (header.inEach === null) {
    const codes = new Set(report.findings.map(({ code }) => code));
    return header.mustFind.filter((code) => !codes.has(code)).map((code) => `There is no finding ${code}.`);
  }
  const places = placesOf(header, plan, header.inEach);
  if (places.length === 0) return [`No ${header.inEach} ran, so none could show the defect.`];
  return places.flatMap((place) => [...codesMissing(header, report, place), ...outcomeMissing(header, report, place)]);
}

function codesMissing({ mustFind }: Header, { findings }: Report, place: Place): string[] {
  return mustFind
    .filter((code) => !findings.some((finding) => finding.code === code && isAt(finding.where, place)))
    .map((code) => `There is no finding ${code} in ${nameOf(place)}.`);
}

function outcomeMissing({ outcome }: Header, { outcomes }: Report, place: Place): string[] {
  const derived = outcomes.filter((one) => isAt(one, place)).map((one) => one.outcome);
  if (outcome === null || derived.includes(outcome)) return [];
  return [`${nameOf(place)} is ${derived.join(', ') || 'without an outcome'}, not ${outcome}.`];
}

/** The places of a kind, among the cases that ran. */
export function placesOf(header: Pick<Header, 'cases'>, plan: Plan, kind: PlaceKind): Place[] {
  const ran = plan.cases.filter(({ id }) => header.cases.length === 0 || header.cases.includes(id));
  if (kind === 'case') return ran.map(({ id }) => ({ case: id, snapshot: null }));
  return ran.flatMap(({ id, arms }) =>
    arms.filter(({ crash }) => crash?.model === 'race' && crash.forced === true).map((arm) => ({ case: id, snapshot: arm.id })),
  );
}

function isAt(where: Where, place: Place): boolean {
  return where.case === place.case && (place.snapshot === null || where.snapshot === place.snapshot);
}

function nameOf(place: Place): string {
  return place.snapshot === null ? place.case : `${place.case}/${place.snapshot}`;
}
