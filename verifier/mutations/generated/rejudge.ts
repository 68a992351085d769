/**
 * Judges a mutant of a bundle that is valid. One whose changed files are all of one case is judged the short way: what is said of the bundle,
 * of that case, and what looks across cases; of every other case nothing can be found that was not there before. A test, and one in fifty of
 * each run, judges the long way as well.
 */
import { checksOf, modelOf } from '../../checks/all.js';
import type { FindingCode } from '../../checks/check.js';
import { judge, type Claim } from '../../judge.js';
import { readBundle } from '../../read/bundle.js';
import { overall } from '../../verdict.js';
import type { Good } from './operator.js';
import type { Mutant } from './mutant.js';

export interface Judged {
  readonly verdict: 'valid' | 'invalid' | 'unknown';
  /** In order, once each. */
  readonly given: readonly FindingCode[];
}

export function judgedShort({ memory, bundle: good }: Good, { tree, changed }: Mutant): Judged {
  const [first, ...more] = new Set(changed.map(caseOf));
  if (first === undefined || first === null || more.length > 0) return judgedWhole({ memory }, { tree });
  const others = good.cases.filter(({ id }) => id !== first);
  const bundle = readBundle(tree, memory, others);
  const all = checksOf(modelOf(bundle).name);
  const [own, across] = [bundle.cases.filter(({ id }) => id === first), bundle.cases];
  return summed(all.flatMap((check) => judge(bundle, [check], check.scope === 'case' && check.across !== true ? own : across)));
}

export function judgedWhole({ memory }: Pick<Good, 'memory'>, { tree }: Pick<Mutant, 'tree'>): Judged {
  return summed(judge(readBundle(tree, memory)));
}

/** A good bundle has no void case, so a claim of one is unknown only by the break. */
function summed(claims: readonly Claim[]): Judged {
  const given = new Set(claims.flatMap(({ findings }) => findings.map(({ code }) => code)));
  return { verdict: overall(claims, 0), given: [...given].sort() };
}

function caseOf(path: string): string | null {
  const [, id] = /^data\/cases\/([^/]+)\//.exec(path) ?? [];
  return id ?? null;
}
