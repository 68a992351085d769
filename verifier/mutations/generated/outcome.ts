/** What became of one site: the verdict on its mutant against the row that a person wrote for it. */
import type { FindingCode } from '../../checks/check.js';
import { rowOf } from './expected/all.js';
import { mutantOf } from './mutant.js';
import type { Good, Row, Site } from './operator.js';
import { judgedShort, judgedWhole, type Judged } from './rejudge.js';

/**
 * `rejected` and `equivalent` (found valid, as its row says) are as they should be, `unchanged` is no mutant. The others survived: found valid
 * (`missed`), rejected for other reasons (`other codes`), rejected though an honest run could have left it (`cried`), without a row
 * (`undecided`), judged otherwise by the short way than by the whole (`ways differ`), or never made (`failed`).
 */
export type Result =
  'rejected' | 'equivalent' | 'unchanged' | 'missed' | 'other codes' | 'cried' | 'undecided' | 'ways differ' | 'failed';

export interface Outcome extends Pick<Site, 'operator' | 'document' | 'field' | 'place'> {
  readonly result: Result;
  readonly digest: string | null;
  readonly given: readonly FindingCode[];
  /** The row, in words. */
  readonly expected: string;
}

/** Every how many-th mutant is judged the long way as well. */
const heldAgainstWhole = 50;

export function outcomeOf(good: Good, site: Site, index: number): Outcome {
  const { operator, document, field, place } = site;
  const row = rowOf(site);
  const told = { operator, document, field, place, expected: wordsOf(row) };
  try {
    const mutant = mutantOf(good, site);
    if (mutant === null) return { ...told, result: 'unchanged', digest: null, given: [] };
    const judged = judgedShort(good, mutant);
    const { given } = judged;
    const isSame = index % heldAgainstWhole !== 0 || agrees(judged, judgedWhole(good, mutant));
    return { ...told, digest: mutant.digest, given, result: isSame ? resultOf(row, judged) : 'ways differ' };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { ...told, result: 'failed', digest: null, given: [], expected: `${told.expected} (${words})` };
  }
}

export function agrees(one: Judged, other: Judged): boolean {
  return one.verdict === other.verdict && one.given.join() === other.given.join();
}

export function resultOf(row: Row | undefined, { verdict, given }: Judged): Result {
  if (row === undefined) return 'undecided';
  if ('free' in row || 'unknown' in row) {
    if (verdict === ('free' in row ? 'valid' : 'unknown')) return 'equivalent';
    if (verdict === 'invalid' && given.every((code) => row.or?.includes(code))) return 'rejected';
    return verdict === 'valid' ? 'missed' : 'cried';
  }
  if (verdict !== 'invalid') return 'missed';
  const { by, with: more = [] } = row;
  const isAllowed = (code: FindingCode): boolean => more === 'any' || by.includes(code) || more.includes(code);
  return given.some((code) => by.includes(code)) && given.every(isAllowed) ? 'rejected' : 'other codes';
}

function wordsOf(row: Row | undefined): string {
  if (row === undefined) return 'nobody has decided';
  const or = 'by' in row || row.or === undefined ? '' : `; or ${row.or.join(', ')}`;
  if ('free' in row) return `equivalent: ${row.free}${or}`;
  if ('unknown' in row) return `unknown: ${row.unknown}${or}`;
  const more = row.with === undefined ? '' : `, with ${[row.with].flat().join(', ')}`;
  return `${row.by.join(' or ')}${more}`;
}
