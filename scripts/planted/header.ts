/**
 * The header of a patch: which plan must find the planted defect, and by which codes. Pure.
 *
 * A patch file begins with comment lines, one field each, a longer text going on in lines that are indented:
 *
 *     # Plan: races                        the plan, by its name in preregistrations/
 *     # Cases: one, two                    optional: only these cases of it run
 *     # Must find: race-doubled            codes of findings, all of which must be there
 *     # In each: forced race               optional: not somewhere but in every place of this kind
 *     # Outcome: duplicated                optional: what the verifier must derive in every such place
 *     # Why: what goes wrong with it
 */

/** Kinds of places of a plan in each of which a defect can be demanded to show itself. */
const placeKinds = ['case', 'forced race'] as const;
export type PlaceKind = (typeof placeKinds)[number];

export interface Header {
  readonly plan: string;
  /** Empty: the whole plan. */
  readonly cases: readonly string[];
  readonly mustFind: readonly string[];
  readonly inEach: PlaceKind | null;
  readonly outcome: string | null;
  readonly why: string;
}

const fields = ['Plan', 'Cases', 'Must find', 'In each', 'Outcome', 'Why'];

/** Throws a sentence for people where a field is missing, twice there, empty or unknown. */
export function parseHeader(text: string): Header {
  const found = fieldsOf(text, fields);
  const demanded = (name: string): string => demandedOf(found, name);
  const inEach = found.get('In each') ?? null;
  if (inEach !== null && !isPlaceKind(inEach))
    throw new Error(`"In each" is "${inEach}"; it may be one of: ${placeKinds.join(', ')}.`);
  const outcome = found.get('Outcome') ?? null;
  if (outcome !== null && inEach === null) throw new Error('"Outcome" says nothing without "In each".');
  return {
    plan: demanded('Plan'),
    cases: found.has('Cases') ? listed(demanded('Cases')) : [],
    mustFind: listed(demanded('Must find')),
    inEach,
    outcome,
    why: demanded('Why'),
  };
}

/** The fields of the comment lines with which a text begins. */
export function fieldsOf(text: string, known: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let last: string | undefined;
  for (const line of commentLines(text)) {
    const [, name, value] = /^# ([A-Z][a-z ]*):\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) {
      if (!known.includes(name)) throw new Error(`The header has a field "${name}"; it may have ${known.join(', ')}.`);
      if (found.has(name)) throw new Error(`The header has "${name}" twice.`);
      found.set(name, value.trim());
      last = name;
    } else if (last !== undefined && /^# {2,}\S/.test(line)) {
      found.set(last, `${found.get(last)} ${line.slice(1).trim()}`.trim());
    } else throw new Error(`The header has a line that is no field: "${line}".`);
  }
  return found;
}

export function demandedOf(found: ReadonlyMap<string, string>, name: string): string {
  const value = found.get(name) ?? '';
  if (value === '') throw new Error(`The header lacks "# ${name}:".`);
  return value;
}

function commentLines(text: string): string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  return lines.slice(0, end < 0 ? lines.length : end);
}

function listed(value: string): string[] {
  return value.split(/[,\s]+/).filter(Boolean);
}

function isPlaceKind(value: string): value is PlaceKind {
  return placeKinds.some((kind) => kind === value);
}
