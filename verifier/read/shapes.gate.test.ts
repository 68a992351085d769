/**
 * The validators that are shipped are a short form of what the schemas say. Here both judge every document of the good bundle, whole
 * and with each of its parts replaced, left out or added to; what the one accepts the other must accept, and nothing else.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import * as shape from '../contract/validators.js';
import { goodBundle } from '../testing/bundle.js';
import { verify } from '../verdict.js';
import { parseJson, type Json } from './canonical.js';
import { eventShapes } from './events.js';

const root = new URL('../../', import.meta.url);
const folders = ['evidence/schema/', 'evidence/schema/events/', 'preregistrations/schema/'];
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
for (const folder of folders)
  for (const file of readdirSync(new URL(folder, root)).filter((name) => name.endsWith('.schema.json')))
    ajv.addSchema({ ...JSON.parse(readFileSync(new URL(folder + file, root), 'utf8')), $id: `file:///${folder}${file}` });

type Pair = [schema: string, validate: shape.Validator<unknown>];
const files: [RegExp, ...Pair][] = [
  [/\/(answer|inspection)\.json$/, 'evidence/schema/answer', shape.validateAnswer],
  [/\/case\.json$/, 'evidence/schema/case', shape.validateCase],
  [/\/checkpoint\.jsonl$/, 'evidence/schema/checkpoint-line', shape.validateCheckpointLine],
  [/\/derivation\.json$/, 'evidence/schema/derivation', shape.validateDerivation],
  [/\/states\.jsonl$/, 'evidence/schema/derived-state', shape.validateDerivedState],
  [/execution\.json$/, 'evidence/schema/execution', shape.validateExecution],
  [/\/format\.json$/, 'evidence/schema/format', shape.validateFormat],
  [/\/group\.json$/, 'evidence/schema/group', shape.validateGroup],
  [/\/inspector\.json$/, 'evidence/schema/inspector', shape.validateInspector],
  [/\/process\.json$/, 'evidence/schema/process', shape.validateProcess],
  [/\/receipts\.jsonl$/, 'evidence/schema/receipt', shape.validateReceipt],
  [/\/plan\.json$/, 'preregistrations/schema/plan', shape.validatePlan],
];

/** One document of each structure: more of the same would be judged the same. */
function documents(): [Pair, Json][] {
  const found = new Map<string, [Pair, Json]>();
  const take = (pair: Pair, value: Json): void => void found.set(pair[0] + outline(value), [pair, value]);
  const takePayload = (type: string, payload: Json): void => {
    const validate = eventShapes[type];
    if (validate !== undefined) take([`evidence/schema/events/${type}`, validate], payload);
  };
  const good = goodBundle();
  for (const [path, bytes] of good.files) {
    const row = files.find(([pattern]) => pattern.test(path));
    if (row === undefined) continue;
    const texts = path.endsWith('.jsonl') ? bytes.toString().trimEnd().split('\n') : [bytes.toString()];
    for (const text of texts.filter((line) => line !== '')) {
      const value = parseJson(text) as { [name: string]: Json };
      for (const part of path === 'data/plan.json' ? casesApart(value) : [value]) take([row[1], row[2]], part);
      for (const { type, payload } of (value.events ?? []) as { type: string; payload: Json }[]) takePayload(type, payload);
    }
  }
  const { payloads } = JSON.parse(readFileSync(new URL('evidence/schema/vectors/work-state.json', root), 'utf8')) as {
    payloads: Record<string, Json>;
  };
  for (const [type, payload] of Object.entries(payloads)) takePayload(type, payload);
  take(['evidence/schema/verdict', shape.validateVerdict], verify(good).verdict as unknown as Json);
  return [...found.values()];
}

/** A plan with one case each: every change is judged with the whole document, so it should not be longer than it must. */
function casesApart(plan: { [name: string]: Json }): Json[] {
  const firstOf = (members: Json): Json => Object.fromEntries(Object.entries(members as object).slice(0, 1)) as Json;
  const short = { ...plan, scenarios: firstOf(plan.scenarios as Json), providers: {} };
  const cases = (plan.cases as Json[]).map((one) => ({ ...short, cases: [one] }));
  return [{ ...plan, cases: (plan.cases as Json[]).slice(0, 1) }, ...cases];
}

function outline(value: Json): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(outline))].join()}]`;
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return `{${Object.entries(value)
    .map(([name, member]) => `${name}:${outline(member)}`)
    .join()}}`;
}

const replacements: Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  '',
  'x',
  '\n',
  'a'.repeat(64),
  'a'.repeat(200),
  [],
  [null],
  {},
  { x: 1 },
];

/** The value with one part changed, for every part and change. */
function* changed(value: Json): Generator<Json> {
  yield* replacements;
  if (Array.isArray(value)) {
    yield [...value, ...value.slice(0, 1)];
    for (const [at, item] of value.slice(0, 3).entries()) {
      yield value.toSpliced(at, 1);
      for (const other of changed(item)) yield value.with(at, other);
    }
  } else if (value !== null && typeof value === 'object') {
    yield { ...value, unexpected: null };
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _left, ...rest } = value;
      yield rest;
      for (const other of changed(member)) yield { ...value, [name]: other };
    }
  }
}

const all = documents();

it('meets every shape', () => {
  const met = new Set(all.map(([[schema]]) => schema));
  const named = [
    ...files.map(([, schema]) => schema),
    ...Object.keys(eventShapes).map((type) => `evidence/schema/events/${type}`),
  ];
  expect(named.filter((schema) => !met.has(schema))).toEqual([]);
});

it.each(all.map(([pair, value], index) => ({ schema: pair[0], index, validate: pair[1], value })))(
  '$schema ($index) is judged as its schema says, whatever is changed in it',
  ({ schema, validate, value }) => {
    const whole = ajv.getSchema(`file:///${schema}.schema.json`);
    if (whole === undefined) throw new Error(`There is no schema ${schema}.`);
    expect([validate(value), whole(value)]).toEqual([true, true]);
    let [accepted, refused] = [0, 0];
    for (const other of changed(value)) {
      const verdict: boolean = whole(other) === true;
      if (validate(other) !== verdict)
        expect.fail(`${verdict ? 'refused' : 'accepted'}: ${JSON.stringify(other).slice(0, 2000)}`);
      if (verdict) accepted += 1;
      else refused += 1;
    }
    expect(refused).toBeGreaterThan(replacements.length / 2);
    expect(accepted + refused).toBeGreaterThan(replacements.length);
  },
);
