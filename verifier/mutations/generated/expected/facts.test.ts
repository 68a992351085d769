/** The table about facts against the schemas: every field of each has a row, and every row that names a field names one that is there. */
import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../fields.js';
import { rowOf, rowsOf } from './all.js';
import { facts } from './facts.js';

const schemas: Readonly<Record<string, string>> = {
  'process.json': 'process',
  'group.json': 'group',
  'inspector.json': 'inspector',
  'execution.json': 'execution',
  'case.json': 'case',
  'answer.json': 'answer',
  'derivation.json': 'derivation',
  'states.jsonl': 'derived-state',
  'checkpoint.jsonl': 'checkpoint-line',
  'receipts.jsonl': 'receipt',
  'plan.json': 'plan',
};
/** What an inspector exports is told of by the table about records. */
const exported = /^(?:projections|events|artifacts|session|log)\b/;

describe.each(Object.entries(schemas))('%s', (document, schema) => {
  const fields = fieldsOf(schema).map(({ path }) => path);

  it('has a row for every field of its schema', () => {
    expect(fields.filter((field) => rowsOf({ document, field }, facts).length === 0)).toEqual([]);
  });

  it('has no row of a field that is not there', () => {
    const keys = facts.flatMap((table) => Object.keys(table[document] ?? {})).filter((key) => !key.startsWith('('));
    const isThere = (key: string): boolean =>
      key.endsWith('*') ? fields.some((field) => field.startsWith(key.slice(0, -1))) : fields.includes(key);
    expect(keys.filter((key) => !isThere(key))).toEqual([]);
  });
});

it('has a row for every field of an inspection that is no export', () => {
  const fields = fieldsOf('answer').map(({ path }) => path);
  const own = fields.filter((field) => !exported.test(field));
  expect(own.filter((field) => rowsOf({ document: 'inspection.json', field }, facts).length === 0)).toEqual([]);
});

describe('a row', () => {
  const table = { d: { 'a*': { by: ['case-missing' as const] }, 'a.b': [{ of: ['x'], when: ['t', '!u'], free: 'why' }] } };
  const asked = { operator: 'x', document: 'd', field: 'a.b', traits: ['t'] };

  it('is found by its field before one that stands for many', () => {
    expect(rowOf(asked, [table])).toMatchObject({ free: 'why' });
    expect(rowOf({ ...asked, field: 'a.c' }, [table])).toMatchObject({ by: ['case-missing'] });
  });

  it('fits only its operators and traits', () => {
    expect(rowOf({ ...asked, operator: 'y' }, [table])).toBeUndefined();
    expect(rowOf({ ...asked, traits: ['t', 'u'] }, [table])).toBeUndefined();
    expect(rowOf({ ...asked, traits: [] }, [table])).toBeUndefined();
  });
});
