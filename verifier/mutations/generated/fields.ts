/**
 * The fields of a schema as classes of paths, and the places of a document that are of them.
 *
 * `offered[].size.tokens` is a member of a member of each element; `headers{}` any member of an object that names none; `<settled>.status` a
 * member of one of several alternatives, which is named by the word that tells it from the others.
 */
import type { Json } from '../../read/canonical.js';
import {
  alternatives,
  elementOf,
  fits,
  followed,
  isNull,
  isObject,
  memberOf,
  schemaOf,
  wordOf,
  type Node,
  type Schema,
} from './schema.js';

export interface Field {
  readonly path: string;
  readonly isOptional: boolean;
  readonly node: Node;
}

/** How to get to a value from the document that holds it. */
export type At = readonly (string | number)[];

export interface Place extends Field {
  readonly at: At;
  /** Undefined where an optional member is absent. */
  readonly value: Json | undefined;
}

/** Every field of a schema, containers among them, once each. */
export function fieldsOf(name: string): Field[] {
  const found = new Map<string, Field>();
  const visit = (field: Field, above: readonly Schema[]): void => {
    if (field.path !== '') found.set(field.path, found.get(field.path) ?? field);
    for (const { node, path } of chosen(field)) {
      if (above.includes(node.schema)) continue;
      for (const child of children(node, path)) visit(child, [...above, node.schema]);
    }
  };
  visit({ path: '', isOptional: false, node: schemaOf(name) }, []);
  return [...found.values()];
}

/** Every place of a document of that schema, in the order of the schema; absent optional members are places too. */
export function placesOf(name: string, document: Json): Place[] {
  const found: Place[] = [];
  const visit = (place: Place): void => {
    if (place.path !== '') found.push(place);
    const { value, at } = place;
    const here = value === undefined ? undefined : chosen(place).find(({ node }) => fits(node, value));
    if (here === undefined || value === undefined) return;
    if (Array.isArray(value)) {
      for (const field of children(here.node, here.path))
        for (const [index, one] of value.entries()) visit({ ...field, at: [...at, index], value: one });
    } else if (isObject(value)) {
      for (const field of children(here.node, here.path))
        for (const member of membersOf(field, here.node, value))
          visit({ ...field, at: [...at, member], value: Object.hasOwn(value, member) ? value[member] : undefined });
    }
  };
  visit({ path: '', isOptional: false, node: schemaOf(name), at: [], value: document });
  return found;
}

/** The document with another value at a place; without one, the member is left out. */
export function replaced(document: Json, at: At, value: Json | undefined): Json {
  const [step, ...rest] = at;
  if (step === undefined) return value ?? null;
  if (Array.isArray(document)) return document.map((one, index) => (index === step ? replaced(one, rest, value) : one));
  if (!isObject(document)) throw new Error('The place is not in the document.');
  const { [String(step)]: old, ...others } = document;
  if (rest.length === 0 && value === undefined) return others;
  return { ...document, [String(step)]: rest.length === 0 ? (value as Json) : replaced(old as Json, rest, value) };
}

/** What may stand at a field, each with the path that its members have. */
function chosen({ node, path }: Field): { node: Node; path: string }[] {
  const choices = alternatives(node).filter((one) => !isNull(one));
  return choices.map((one) => ({ node: one, path: choices.length > 1 ? `${path}<${wordOf(one, choices)}>` : path }));
}

function children(node: Node, path: string): Field[] {
  const { schema, file } = node;
  const element = elementOf(node);
  if (element !== undefined) return [{ path: `${path}[]`, isOptional: false, node: element }];
  const named = Object.keys(schema.properties ?? {}).map((name) => ({
    path: path === '' ? name : `${path}.${name}`,
    isOptional: schema.required?.includes(name) !== true,
    node: memberOf(node, name) ?? node,
  }));
  const further = schema.additionalProperties;
  if (typeof further !== 'object') return named;
  return [...named, { path: `${path}{}`, isOptional: false, node: followed({ schema: further, file }) }];
}

function membersOf({ path }: Field, { schema }: Node, value: { readonly [key: string]: Json }): string[] {
  const { properties = {} } = schema;
  if (path.endsWith('{}')) return Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  return [path.replace(/^.*\./, '')];
}
