/** Nobody forgot a field: each of every event and every record has a row, and each row is about a field that there is. */
import { describe, expect, it } from 'vitest';
import { eventShapes } from '../../../read/events.js';
import { payloadShapes } from '../../../read/session-records.js';
import { fieldsOf } from '../fields.js';
import { rowsOf } from './all.js';
import { records } from './records.js';

const exported = /^(?:projections|events|artifacts|session|log)\b/;
const ofRow = new Set(['type', 'task_id', 'call_id', 'attempt_id', 'compilation_id', 'recorded_at']);
const ofHeader = new Set(['kind', 'type', 'fence', 'synced', 'features', 'features[]']);

const schemaOf = new Map<string, string[]>([
  ...Object.keys(eventShapes).map((type): [string, string[]] => [`event ${type}`, fieldPaths(type)]),
  ...Object.keys(payloadShapes).map((type): [string, string[]] => [`record ${type}`, fieldPaths(type)]),
  ['event (row)', fieldPaths('event').filter((path) => ofRow.has(path))],
  ['frame (header)', fieldPaths('frame').filter((path) => ofHeader.has(path))],
  ['format.json', fieldPaths('format').filter((path) => path !== 'product')],
  [
    'inspection.json',
    [
      ...fieldPaths('answer').filter((path) => exported.test(path)),
      ...fieldPaths('session-state').map((path) => `session.${path}`),
      ...fieldPaths('frame').map((path) => `log.frames[].${path}`),
    ],
  ],
]);

function fieldPaths(name: string): string[] {
  return fieldsOf(name).map(({ path }) => path);
}

const isField = (paths: readonly string[], key: string): boolean =>
  key.endsWith('*') ? paths.some((path) => path.startsWith(key.slice(0, -1))) : paths.includes(key);

describe('the table of records', () => {
  it.each([...schemaOf])('has a row for every field of %s', (document, paths) => {
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((field) => rowsOf({ document, field }).length === 0)).toEqual([]);
  });

  it('has no row for a field that no schema has', () => {
    const stray = records.flatMap((table) =>
      Object.entries(table).flatMap(([document, rows]) => {
        const paths = schemaOf.get(document);
        return Object.keys(rows)
          .filter((key) => paths !== undefined && !key.startsWith('(') && !isField(paths, key))
          .map((key) => `${document} ${key}`);
      }),
    );
    expect(stray).toEqual([]);
  });

  it('ends with a row that fits whatever was done', () => {
    const open = records.flatMap((table) =>
      Object.entries(table).flatMap(([document, rows]) =>
        Object.entries(rows)
          .filter(([, row]) => {
            const last = [row].flat().at(-1);
            return last?.of !== undefined || last?.when !== undefined;
          })
          .map(([field]) => `${document} ${field}`),
      ),
    );
    // Whole artifacts are broken in these ways only.
    expect(open.filter((one) => !one.endsWith('(artifact)'))).toEqual([]);
  });
});
