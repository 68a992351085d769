/** The tables as one, and how a row is found in it. */
import type { Row, Site, Table } from '../operator.js';
import { facts } from './facts.js';
import { records } from './records.js';
import { byTrace } from './words.js';

export const tables: readonly Table[] = [...facts, ...records];

export type Asked = Pick<Site, 'operator' | 'document' | 'field' | 'traits'>;

/** Undefined where nobody has decided yet: that is a mistake of the table, not of the verifier. */
export function rowOf(site: Asked, all: readonly Table[] = tables): Row | undefined {
  const row = rowsOf(site, all).find((one) => isMet(one, site));
  const isOfRecord = records.some(({ [site.document]: rows }) => rows !== undefined);
  return row !== undefined && !('by' in row) && isOfRecord ? { ...row, or: [...(row.or ?? []), ...byTrace] } : row;
}

export function rowsOf({ document, field }: Pick<Site, 'document' | 'field'>, all: readonly Table[] = tables): readonly Row[] {
  const fields = all.map((table) => table[document] ?? {});
  const exact = fields.flatMap((rows) => rows[field] ?? []);
  if (exact.length > 0) return exact;
  const starred = fields
    .flatMap((rows) => Object.keys(rows))
    .filter((key) => key.endsWith('*') && field.startsWith(key.slice(0, -1)));
  const [longest] = starred.sort((left, right) => right.length - left.length);
  return longest === undefined ? [] : fields.flatMap((rows) => rows[longest] ?? []);
}

function isMet({ of, when = [] }: Row, { operator, traits }: Asked): boolean {
  if (of !== undefined && !of.includes(operator)) return false;
  return when.every((trait) => (trait.startsWith('!') ? !traits.includes(trait.slice(1)) : traits.includes(trait)));
}
