/**
 * Turns the data contract into code inside each program: types, stand-alone validators and constant data.
 *
 * Reads `evidence/schema/` and `preregistrations/schema/`, writes `<program>/contract/` (not in git). Each program gets only
 * what it needs, so that no program reaches into another for a shape. A validator that would need a package at run time fails
 * the build: the verifier must run with `evidence/schema/` and its own short list of packages alone.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import ts from 'typescript';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const schemaRoot = 'evidence/schema';
const planSchema = 'preregistrations/schema/plan.schema.json';
const calls = readdirSync(join(schemaRoot, 'events')).map((file) => `events/${file}`);
const ofSessions = ['frame', 'session-state'].map(named);
const sessions = [named('common'), ...ofSessions, ...readdirSync(join(schemaRoot, 'records')).map((file) => `records/${file}`)];
const needsSessions: Record<string, string[]> = { runtime: sessions, verifier: sessions };
const notOfCalls = new Set([named('requirements'), ...ofSessions]);

/** Schema files that each program needs, relative to the schema root; those of sessions become validators of their own. */
const needs: Record<string, string[]> = {
  runtime: ['common', 'event', 'work-state', 'format', 'checkpoint-line', 'answer', 'serve-answer'].map(named).concat(calls),
  'synthetic-provider': ['common', 'receipt', 'provider-script'].map(named),
  harness: [
    ...['common', 'answer', 'case', 'checkpoint-line', 'execution', 'format', 'inspector', 'process', 'provider-script'].map(
      named,
    ),
    ...['derivation', 'derived-state', 'group', 'serve-answer', 'session-state', 'subject', 'verdict', 'work-state'].map(named),
    relative(schemaRoot, planSchema),
  ],
  verifier: [
    ...readdirSync(schemaRoot).filter((file) => file.endsWith('.schema.json') && !notOfCalls.has(file)),
    ...calls,
    relative(schemaRoot, planSchema),
  ],
};

/** Constant data that each program embeds, by export name. */
const embedded = {
  ledgerV1: 'ledger-v1.json',
  sessionLogV1: 'session-log-v1.json',
  features: 'features.json',
  checkpoints: 'checkpoints.json',
};
const traced = { syscalls: 'syscalls.json' };
const data: Record<string, Record<string, string>> = {
  runtime: embedded,
  'synthetic-provider': {},
  harness: traced,
  verifier: { ...embedded, ...traced },
};

function named(name: string): string {
  return `${name}.schema.json`;
}

function load(path: string): Json {
  return JSON.parse(readFileSync(path, 'utf8')) as Json;
}

function atPointer(document: Json, pointer: string): Json {
  let here = document;
  for (const step of pointer.split('/').slice(1)) here = (here as Record<string, Json>)[step] ?? missing(pointer);
  return here;
}

function missing(pointer: string): never {
  throw new Error(`The schema reference ${pointer} leads nowhere.`);
}

/** Replaces references into other files by what they name; references within the file stay. */
function inlined(node: Json, path: string): Json {
  if (Array.isArray(node)) return node.map((item) => inlined(item, path));
  if (node === null || typeof node !== 'object') return node;
  const reference = node.$ref;
  if (typeof reference === 'string' && !reference.startsWith('#')) {
    const [file = '', pointer = ''] = reference.split('#');
    const target = resolve(dirname(path), file);
    const { $schema: _dialect, $id: _id, ...named } = atPointer(load(target), pointer) as Record<string, Json>;
    return inlined(named, target);
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, path)]));
}

/** `events/attempt.observed.schema.json` → `attempt.observed`. */
function stemOf(file: string): string {
  return file.replace(/^.*\//, '').replace('.schema.json', '');
}

/** `events/attempt.observed.schema.json` → `AttemptObserved`. */
function typeName(file: string): string {
  return stemOf(file).replaceAll(/(?:^|[._-])([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

async function typesOf(schemas: Map<string, Json>): Promise<string> {
  const parts: string[] = [];
  for (const [file, schema] of schemas) {
    if (file === 'common.schema.json') continue;
    const { $id: _id, title: _title, ...rest } = schema as Record<string, Json>;
    parts.push(
      await compile(rest as unknown as JSONSchema, typeName(file), {
        bannerComment: '',
        format: false,
        additionalProperties: false,
        ignoreMinAndMaxItems: true,
      }),
    );
  }
  const { $defs } = schemas.get('common.schema.json') as { $defs: Record<string, { enum?: string[] }> };
  for (const [name, definition] of Object.entries($defs)) {
    const { $schema: _dialect, ...rest } = inlined(definition as Json, resolve(schemaRoot, 'common.schema.json')) as Record<
      string,
      Json
    >;
    parts.push(
      await compile(rest as unknown as JSONSchema, `Shared${typeName(name)}`, {
        bannerComment: '',
        format: false,
        additionalProperties: false,
      }),
    );
  }
  // The generator numbers repeated helper types per call; a second definition of one name would not compile.
  return `/* Generated by scripts/contract.ts. */\n${parts.join('\n')}`;
}

/**
 * Roles and the verifier start hundreds of times a run, and most of a start is code that is parsed and compiled. They get the compact
 * form: references lead to shared functions where they name more than a word, validation ends at the first error, and an error says
 * where and what. The accepted values are the same. The others tell errors apart by their path into the schema, and get all of it.
 */
const compact = new Set(['runtime', 'verifier']);
/** Keywords of a definition that is cheaper to repeat than to call. */
const repeatedUpTo = 2;

/**
 * The same schema in fewer words: no annotations, and a choice between something and null as one test of its type. Keywords beside
 * `type` speak of values of their own type only, so they let null pass.
 */
function compacted(schema: Json, path: string): Json {
  if (Array.isArray(schema)) return schema.map((item) => compacted(item, path));
  if (schema === null || typeof schema !== 'object') return schema;
  const isSchema = (value: Json): boolean => value !== null && typeof value === 'object';
  const members = Object.entries(schema)
    // A member that a schema describes may have one of these names; then its value is a schema.
    .filter(([name, value]) => !['$schema', 'description', 'title'].includes(name) || isSchema(value))
    .map(([name, value]): [string, Json] => [name, compacted(value, path)]);
  const whole: { [key: string]: Json } = Object.fromEntries(members);
  const [some, none, ...more] = Array.isArray(whole.anyOf) ? whole.anyOf : [];
  if (members.length !== 1 || more.length > 0 || JSON.stringify(none) !== '{"type":"null"}') return whole;
  return orNull(some as { [key: string]: Json }, path) ?? whole;
}

function orNull(schema: { [key: string]: Json }, path: string): Json | null {
  if (typeof schema.$ref === 'string') {
    const target = inlined(schema, path) as { [key: string]: Json };
    const named = compacted(target, path) as { [key: string]: Json };
    return Object.keys(named).length > repeatedUpTo ? null : orNull(named, path);
  }
  if (Array.isArray(schema.enum)) return { ...schema, enum: [...schema.enum, null] };
  return typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : null;
}

/** Leaves of each error its place and its message. */
function withShortErrors(code: string): string {
  const file = ts.createSourceFile('validators.js', code, ts.ScriptTarget.ES2023, false, ts.ScriptKind.JS);
  let short = '';
  let at = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const names = node.properties.map(({ name }) => (name !== undefined && ts.isIdentifier(name) ? name.text : ''));
      const [, first, , , last] = node.properties;
      if (names.join() === 'instancePath,schemaPath,keyword,params,message' && first !== undefined && last !== undefined) {
        short += code.slice(at, first.getStart(file));
        at = last.getStart(file);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return short + code.slice(at);
}

function validatorsOf(program: string, files: string[], schemas: Map<string, Json>): { code: string; declarations: string } {
  const isCompact = compact.has(program);
  const options: Options = { strict: true, allowUnionTypes: true, code: { source: true, esm: true } };
  const dialect = new Ajv2020({ ...options, allErrors: true });
  // Of the two dialects the older one has less to prepare for; in strict mode a keyword that it does not know ends the build.
  const ajv = isCompact ? new Ajv({ ...options, inlineRefs: repeatedUpTo }) : dialect;
  const exported: Record<string, string> = {};
  for (const file of files) {
    const whole = load(resolve(schemaRoot, file)) as Record<string, Json>;
    if (dialect.validateSchema(whole) !== true) throw new Error(`${file} is not a schema of its dialect.`);
    const schema = isCompact ? compacted(whole, resolve(schemaRoot, file)) : schemas.get(file);
    // An id by place, so that relative references lead where they lead on disk.
    const id = isCompact ? `file:///${relative('.', resolve(schemaRoot, file))}` : file;
    ajv.addSchema({ ...(schema as Record<string, Json>), $id: id });
    if (file !== 'common.schema.json') exported[`validate${typeName(file)}`] = id;
  }
  const whole = (standalone as unknown as (a: Ajv | Ajv2020, names: Record<string, string>) => string)(ajv, exported);
  const code = isCompact ? withShortErrors(whole) : whole;
  if (/\brequire\(|^import /m.test(code)) {
    throw new Error('A generated validator needs a package at run time; avoid minLength, maxLength, uniqueItems and format.');
  }
  const names = Object.keys(exported);
  const furtherMembers = isCompact ? '' : ' schemaPath: string; keyword: string; params: Record<string, unknown>;';
  const declarations = [
    `export interface ShapeError { instancePath: string;${furtherMembers} message?: string }`,
    'export interface Validator<T> { (value: unknown): value is T; errors?: ShapeError[] | null }',
    `import type { ${names.map((name) => name.replace('validate', '')).join(', ')} } from './types.js';`,
    ...names.map((name) => `export declare const ${name}: Validator<${name.replace('validate', '')}>;`),
  ].join('\n');
  return { code: `/* Generated by scripts/contract.ts. */\n${code}`, declarations };
}

/** Writes only what changed, and never half of it: other builds may be reading. */
function publish(path: string, text: string): void {
  try {
    if (readFileSync(path, 'utf8') === text) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

/** Without annotations. A member that a schema describes may have one of their names; then its value is a schema. */
function bare(node: Json): Json {
  if (Array.isArray(node)) return node.map(bare);
  if (node === null || typeof node !== 'object') return node;
  const isSchema = (value: Json): boolean => value !== null && typeof value === 'object';
  const kept = Object.entries(node).filter(
    ([name, value]) => !['$schema', '$id', 'description', 'title'].includes(name) || isSchema(value),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, bare(value)]));
}

/** The schemas themselves, by the first part of their file names; what breaks good evidence asks them what else would be legal. */
function publishSchemas(folder: string, files: readonly string[]): void {
  const named = files.map((file): [string, Json] => [stemOf(file), bare(load(resolve(schemaRoot, file)))]);
  if (new Set(named.map(([name]) => name)).size < named.length) throw new Error('Two schemas share a name.');
  const text = JSON.stringify(Object.fromEntries(named), null, 2);
  publish(
    join(folder, 'schemas.ts'),
    `/* Generated by scripts/contract.ts. */\nexport const schemas: Readonly<Record<string, object>> = ${text};\n`,
  );
}

function loaded(files: readonly string[]): Map<string, Json> {
  return new Map(
    files.map((file) => {
      const path = resolve(schemaRoot, file);
      return [file, inlined(load(path), path)];
    }),
  );
}

function publishValidators(folder: string, name: string, program: string, files: string[]): void {
  const { code, declarations } = validatorsOf(program, files, loaded(files));
  publish(join(folder, `${name}.js`), code);
  publish(join(folder, `${name}.d.ts`), declarations);
}

for (const [program, files] of Object.entries(needs)) {
  const folder = join(program, 'contract');
  const further = needsSessions[program] ?? [];
  publish(join(folder, 'types.ts'), await typesOf(loaded([...new Set([...files, ...further])])));
  publishValidators(folder, 'validators', program, files);
  // What every role loads stays small.
  if (further.length > 0) publishValidators(folder, 'session-validators', program, further);
  if (program === 'verifier') publishSchemas(folder, [...new Set([...files, ...further])]);
  const constants = Object.entries(data[program] ?? {}).map(
    ([name, file]) => `export const ${name} = ${JSON.stringify(load(join(schemaRoot, file)), null, 2)} as const;\n`,
  );
  if (constants.length > 0) publish(join(folder, 'data.ts'), `/* Generated by scripts/contract.ts. */\n${constants.join('\n')}`);
}
