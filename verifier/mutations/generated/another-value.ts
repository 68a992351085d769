/**
 * Other legal values of a place, each with the name of what was done: whatever a forger can write there without being caught by its shape.
 * Deterministic. One word for one kind of change, so that rows of expectations can speak of them.
 */
import type { Json } from '../../read/canonical.js';
import { alternatives, elementOf, fits, followed, isLegal, isNull, isObject, type Node } from './schema.js';

export interface Another {
  readonly did: string;
  /** Undefined where the member is left out. */
  readonly value: Json | undefined;
}

/** What is legal at a place instead of what stands there; `like` are values of places of the same kind. */
export function others(node: Node, value: Json | undefined, isOptional: boolean, like: readonly Json[] = []): Another[] {
  if (value === undefined) return [{ did: 'added', value: sampleOf(node) }];
  const choices = alternatives(node);
  const chosen = choices.find((one) => fits(one, value));
  const further = choices
    .filter((one) => one !== chosen)
    .map((one) => ({ did: isNull(one) ? 'null' : value === null ? 'no longer null' : 'another kind', value: sampleOf(one) }));
  const found: Another[] = [
    ...(chosen === undefined ? [] : changed(chosen, value)),
    ...like.map((one) => ({ did: 'that of another place', value: one })),
    ...further,
  ];
  const text = JSON.stringify(value);
  const legal = found.filter((one) => JSON.stringify(one.value) !== text && isLegal(node, one.value as Json));
  return distinct(isOptional ? [...legal, { did: 'absent', value: undefined }] : legal);
}

function distinct(found: readonly Another[]): Another[] {
  const seen = new Set<string | undefined>();
  return found.filter(({ value }) => {
    const text = JSON.stringify(value);
    return seen.has(text) ? false : seen.add(text);
  });
}

function changed(node: Node, value: Json): Another[] {
  const { schema } = node;
  if (schema.const !== undefined) return [];
  if (schema.enum !== undefined)
    return schema.enum.map((word) => ({ did: word === null ? 'null' : 'another word', value: word }));
  if (typeof value === 'boolean') return [{ did: 'the opposite', value: !value }];
  if (typeof value === 'number') return numbers(value, schema.maximum);
  if (typeof value === 'string') return texts(value);
  if (Array.isArray(value)) return lists(node, value);
  return isObject(value) ? members(node, value) : [];
}

function numbers(value: number, largest = Number.MAX_SAFE_INTEGER): Another[] {
  return [
    { did: 'one more', value: value + 1 },
    { did: 'one less', value: value - 1 },
    { did: 'zero', value: 0 },
    { did: 'the largest', value: largest },
  ];
}

const digest = /^[0-9a-f]{32,}$/;
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function texts(value: string): Another[] {
  if (digest.test(value)) return [{ did: 'another digest', value: value.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) }];
  if (time.test(value))
    return [
      { did: 'a second later', value: shifted(value, 1000) },
      { did: 'a day earlier', value: shifted(value, -86_400_000) },
    ];
  const counted = (step: number): string => value.replace(/\d+(?=\D*$)/, (digits) => String(BigInt(digits) + BigInt(step)));
  return [
    { did: 'one more', value: counted(1) },
    { did: 'one less', value: counted(-1) },
    { did: 'another text', value: `another${value.startsWith('/') ? value : `-${value}`}` },
    { did: 'another text', value: `/another${value}` },
    { did: 'longer', value: `${value}x` },
    { did: 'shorter', value: value.replace(/.$/su, '') },
    { did: 'empty', value: '' },
  ];
}

function shifted(value: string, milliseconds: number): string {
  return new Date(Date.parse(value) + milliseconds).toISOString();
}

function lists(node: Node, value: readonly Json[]): Another[] {
  const [first, second, ...rest] = value;
  const last = value.at(-1);
  const element = elementOf(node);
  const found: Another[] = [
    { did: 'element dropped', value: value.slice(1) },
    { did: 'element dropped', value: value.slice(0, -1) },
    { did: 'emptied', value: [] },
  ];
  if (last !== undefined) found.push({ did: 'element twice', value: [...value, last] });
  if (first !== undefined && second !== undefined) found.push({ did: 'elements swapped', value: [second, first, ...rest] });
  if (element !== undefined) found.push({ did: 'element added', value: [...value, sampleOf(element)] });
  return found;
}

/** Of an object whose members have no names in the schema; those that have are places of their own. */
function members({ schema, file }: Node, value: { readonly [key: string]: Json }): Another[] {
  const { additionalProperties: further, properties = {} } = schema;
  if (further === undefined || further === false) return [];
  const added = typeof further === 'object' ? sampleOf(followed({ schema: further, file })) : true;
  const found: Another[] = [{ did: 'member added', value: { ...value, another: added } }];
  const free = Object.entries(value).filter(([name]) => !Object.hasOwn(properties, name));
  for (const [name, member] of free.slice(0, 1)) {
    const { [name]: _gone, ...rest } = value;
    found.push(
      { did: 'member dropped', value: rest },
      { did: 'member renamed', value: { ...rest, [`another-${name}`]: member } },
    );
  }
  return found;
}

/** Rows may ask which word it became. */
export function wordIn(did: string, value: Json | undefined): string[] {
  return did === 'another word' && typeof value === 'string' ? [`to:${value}`] : [];
}

/** Of each pattern of the contract one of these is a word. */
const words = [
  ...['another', '0'.repeat(64), '0'.repeat(32), '2000-01-01T00:00:00.000Z', '1', 'step-1', 'batch-1', 'another/v1', '/another'],
  ...['another/another/batch-1/another', 'WS-01', 'Another sentence of some length.'],
];

/** The smallest legal value of a place. */
export function sampleOf(node: Node): Json {
  const [{ schema, file } = node] = alternatives(node);
  if (schema.const !== undefined) return schema.const;
  const [word] = schema.enum ?? [];
  if (word !== undefined) return word;
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf({ schema: schema.properties?.[name] ?? {}, file })]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf({ schema: schema.items ?? {}, file }));
    case 'integer':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'string':
      return words.find((one) => fits({ schema, file }, one)) ?? '';
    case 'null':
    case undefined:
      break;
  }
  return null;
}
