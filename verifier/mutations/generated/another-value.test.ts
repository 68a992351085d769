/** The walk over the schemas is held against ajv, over every schema of the contract and every document of the kept bundles. */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, parseJson, type Json } from '../../read/canonical.js';
import { readTree } from '../../read/tree.js';
import { readBundle } from '../../read/bundle.js';
import { others, sampleOf } from './another-value.js';
import { fieldsOf, placesOf, replaced } from './fields.js';
import { isLegal, schemaNames, schemaOf } from './schema.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folders = ['evidence/schema', 'evidence/schema/events', 'evidence/schema/records', 'preregistrations/schema'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.schema.json'))
    .map((file) => ({ name: basename(file, '.schema.json'), path: join(folder, file) })),
);
const ajv = new Ajv2020({ strict: false });
for (const { path } of files) {
  const { $id: _id, ...schema } = JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, Json>;
  ajv.addSchema({ ...schema, $id: `file:///${path}` });
}

function holds(name: string, value: Json): boolean {
  const path = files.find((one) => one.name === name)?.path;
  return ajv.validate(`file:///${path}`, value);
}

const kept = ['sessions-races', 'working-state', 'races'].map((plan) => {
  const folder = join(root, 'evidence/kept', plan);
  return join(folder, readdirSync(folder)[0] ?? '');
});
/** The documents of a bundle by the names of their schemas, and of each schema a few. */
const documents = new Map<string, Json[]>();
const add = (name: string, value: Json): void => {
  const known = documents.get(name) ?? [];
  if (known.length < 8) documents.set(name, [...known, value]);
};
const byFile = new Map([
  ['plan.json', 'plan'],
  ['execution.json', 'execution'],
  ['case.json', 'case'],
  ['process.json', 'process'],
  ['group.json', 'group'],
  ['inspector.json', 'inspector'],
  ['answer.json', 'answer'],
  ['inspection.json', 'answer'],
  ['format.json', 'format'],
  ['checkpoint.jsonl', 'checkpoint-line'],
  ['receipts.jsonl', 'receipt'],
]);
for (const path of kept) {
  const tree = readTree(path);
  for (const [file, bytes] of tree.files) {
    const name = byFile.get(basename(file));
    if (name === undefined) continue;
    const lines = file.endsWith('.jsonl') ? decodeUtf8(bytes).split('\n').slice(0, -1) : [decodeUtf8(bytes)];
    for (const line of lines) add(name, name === 'plan' ? (JSON.parse(line) as Json) : parseJson(line.trimEnd()));
  }
  for (const { ledger, log } of readBundle(tree).cases.flatMap(({ snapshots }) => snapshots)) {
    for (const event of ledger.value?.events ?? []) add(event.type, event.payload as Json);
    for (const frame of log.value?.frames ?? []) add(frame.type, frame.payload as unknown as Json);
  }
}

describe('fields', () => {
  it.each(schemaNames())('of %s are found once each, and a sample of it is legal', (name) => {
    const paths = fieldsOf(name).map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(new Set(paths).size).toBe(paths.length);
    const sample = sampleOf(schemaOf(name));
    expect([holds(name, sample), isLegal(schemaOf(name), sample)]).toEqual([true, true]);
  });

  it('have the names that a reader of the contract would give them', () => {
    expect(fieldsOf('context.compilation_requested').map(({ path }) => path)).toContain('offered[].size.tokenizer.name');
    expect(fieldsOf('receipt').map(({ path }) => path)).toEqual(
      expect.arrayContaining(['<received>.headers{}', '<settled>.effect.replayed', '<delayed>.delayed']),
    );
    expect(fieldsOf('plan').map(({ path }) => path)).toContain('cases[].arms[].crash<zombie>.stop.occurrence');
  });

  it('of a document are fields of its schema', () => {
    for (const [name, values] of documents) {
      const paths = new Set(fieldsOf(name).map(({ path }) => path));
      for (const value of values) expect(placesOf(name, value).filter(({ path }) => !paths.has(path))).toEqual([]);
    }
  });
});

describe('another value', () => {
  it('is legal, and differs', () => {
    let made = 0;
    for (const [name, values] of documents)
      for (const value of values) {
        const places = placesOf(name, value);
        const step = Math.max(1, Math.floor(places.length / 40));
        for (const place of places.filter((_place, index) => index % step === 0))
          for (const { did, value: other } of others(place.node, place.value, place.isOptional)) {
            const mutant = replaced(value, place.at, other);
            made += 1;
            if (!holds(name, mutant)) expect({ name, path: place.path, did, other }).toBe('legal');
            if (JSON.stringify(mutant) === JSON.stringify(value)) expect({ name, path: place.path, did }).toBe('another');
          }
      }
    expect(made).toBeGreaterThan(5000);
  });

  it('is there for every field that is no word alone', () => {
    const without = schemaNames().flatMap((name) => {
      const sample = sampleOf(schemaOf(name));
      return placesOf(name, sample)
        .filter(({ node, value, isOptional }) => others(node, value, isOptional).length === 0)
        .filter(({ node: { schema } }) => schema.const === undefined && schema.enum?.length !== 1 && schema.type !== 'object')
        .map(({ path }) => `${name} ${path}`);
    });
    expect(without).toEqual([]);
  });

  it('is judged as ajv judges it, legal or not', () => {
    const wrong: Json[] = [null, true, -1, 1.5 as Json, '', 'a b', [], [[]], {}, { another: 1 }, Number.MAX_SAFE_INTEGER + 1];
    for (const [name, [value = null]] of documents) {
      for (const place of placesOf(name, value).slice(0, 120))
        for (const other of wrong) {
          const mutant = replaced(value, place.at, other);
          if (isLegal(schemaOf(name), mutant) !== holds(name, mutant))
            expect({ name, path: place.path, other }).toBe('judged alike');
        }
    }
  });
});
