/**
 * The contract's schemas as a mutation reads them: references followed, alternatives told apart, and whether a value is legal at a place. It
 * knows the few keywords that the contract uses, and ends at any other, so that nothing is called legal that was not looked at. A test holds it
 * against ajv.
 */
import { schemas } from '../../contract/schemas.js';
import type { Json } from '../../read/canonical.js';

type Kind = 'object' | 'array' | 'string' | 'integer' | 'boolean' | 'null';

export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly type?: Kind;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

/** A place in a schema, and the file whose definitions it means by `#`. */
export interface Node {
  readonly schema: Schema;
  readonly file: string;
}

const keywords: ReadonlySet<string> = new Set([
  ...['$ref', '$defs', 'anyOf', 'oneOf', 'const', 'enum', 'type', 'pattern', 'minimum', 'maximum', 'items', 'minItems'],
  ...['required', 'properties', 'additionalProperties'],
]);

/** `process`, `attempt.observed`, `tool_result`, `plan`, … */
export function schemaOf(file: string): Node {
  const schema = schemas[file];
  if (schema === undefined) throw new Error(`The contract has no schema of the name ${file}.`);
  return followed({ schema, file });
}

export function schemaNames(): string[] {
  return Object.keys(schemas).filter((name) => name !== 'common');
}

/** What a reference leads to, at last. */
export function followed({ schema, file }: Node): Node {
  for (const name of Object.keys(schema)) if (!keywords.has(name)) throw new Error(`The keyword ${name} is not known here.`);
  if (schema.$ref === undefined) return { schema, file };
  const [path = '', pointer = ''] = schema.$ref.split('#');
  const target = path === '' ? file : path.replace(/^.*\//, '').replace('.schema.json', '');
  let here: unknown = schemas[target];
  for (const step of pointer.split('/').slice(1)) here = (here as Record<string, unknown> | undefined)?.[step];
  if (here === undefined) throw new Error(`The reference ${schema.$ref} leads nowhere.`);
  return followed({ schema: here as Schema, file: target });
}

/** Everything that may stand at a place, one by one; a place without a choice has one. */
export function alternatives(node: Node): Node[] {
  const { schema, file } = followed(node);
  const choice = schema.anyOf ?? schema.oneOf;
  return choice === undefined ? [{ schema, file }] : choice.flatMap((one) => alternatives({ schema: one, file }));
}

export function isNull({ schema }: Node): boolean {
  return schema.type === 'null';
}

/** The word by which an alternative is told from others: that of its first member that is a word. */
export function wordOf({ schema }: Node, others: readonly Node[]): string {
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const word = member.const ?? member.enum?.[0];
    const isShared = others.every((other) => other.schema.properties?.[name]?.const === word);
    if (typeof word === 'string' && !isShared) return word;
  }
  return '';
}

export function memberOf({ schema, file }: Node, name: string): Node | undefined {
  const { additionalProperties: further, properties = {} } = schema;
  const member = Object.hasOwn(properties, name) ? properties[name] : typeof further === 'object' ? further : undefined;
  return member === undefined ? undefined : followed({ schema: member, file });
}

export function elementOf({ schema, file }: Node): Node | undefined {
  return schema.items === undefined ? undefined : followed({ schema: schema.items, file });
}

export function isLegal(node: Node, value: Json): boolean {
  return alternatives(node).filter((one) => fits(one, value)).length > 0;
}

/** Whether a value is legal as this alternative. */
export function fits(node: Node, value: Json): boolean {
  const { schema } = node;
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  switch (schema.type) {
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return (
        Number.isSafeInteger(value) &&
        Number(value) >= (schema.minimum ?? -Infinity) &&
        Number(value) <= (schema.maximum ?? Infinity)
      );
    case 'string':
      return typeof value === 'string' && new RegExp(schema.pattern ?? '', 'u').test(value);
    case 'array':
      return Array.isArray(value) && value.length >= (schema.minItems ?? 0) && value.every((one) => isElement(node, one));
    case 'object':
      return isObject(value) && hasRequired(schema, value) && Object.entries(value).every((member) => isMember(node, member));
    case undefined:
      break;
  }
  throw new Error(`A schema of ${node.file} says nothing that is known here.`);
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isElement(node: Node, value: Json): boolean {
  const element = elementOf(node);
  return element === undefined || isLegal(element, value);
}

function hasRequired({ required = [] }: Schema, value: { [key: string]: Json }): boolean {
  return required.every((name) => Object.hasOwn(value, name));
}

function isMember(node: Node, [name, value]: [string, Json]): boolean {
  const member = memberOf(node, name);
  return member === undefined ? node.schema.additionalProperties !== false : isLegal(member, value);
}
