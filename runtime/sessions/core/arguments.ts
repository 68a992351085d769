/**
 * Are these the arguments of that tool? The text comes from a model and may be anything.
 *
 * A tool's arguments are a flat object of declared members, so the text is read as exactly that and as nothing else: nesting ends the
 * reading at its first bracket, however deep it goes. JSON.parse alone would keep the last of two members of one name, and would take
 * 1.00000000000000000001 for an integer; the program behind the tool may then see something else than was checked.
 */
import type { Tool } from './vocabulary.js';

type Type = Tool['arguments'][number]['type'];
const space = /[ \t\n\r]*/y;
const word = /"(?:[^"\\]|\\.)*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|[{}:,]/y;

/** What is wrong with the arguments, in words; null where nothing is. */
export function argumentsProblem(text: string, declared: Tool['arguments']): string | null {
  if (!text.isWellFormed()) return 'they are not well-formed Unicode';
  const members = flatMembers(text);
  if (members === null) return 'they are not a JSON object of texts, integers and truth values';
  for (const name of members.keys())
    if (!declared.some((argument) => argument.name === name)) return 'they hold a member that the tool does not declare';
  for (const { name, type, required } of declared) {
    const token = members.get(name);
    if (token === undefined && required) return `${name} is missing`;
    if (token !== undefined && !isOfType(token, type)) return `${name} is no ${type}`;
  }
  return null;
}

/** Name and token of each member; null for anything but a flat object whose names differ. */
function flatMembers(text: string): Map<string, string> | null {
  const next = tokens(text);
  const members = new Map<string, string>();
  if (next() !== '{') return null;
  for (let name = next(), first = true; ; name = next(), first = false) {
    if (first && name === '}') break;
    if (name === null || name[0] !== '"' || next() !== ':') return null;
    const value = next();
    const decoded = decode(name);
    if (value === null || '{}:,'.includes(value) || decoded === null || members.has(decoded)) return null;
    members.set(decoded, value);
    const after = next();
    if (after === '}') break;
    if (after !== ',') return null;
  }
  return next() === '' ? members : null;
}

/** One token a call: '' at the end, null where there is none. */
function tokens(text: string): () => string | null {
  let at = 0;
  return () => {
    space.lastIndex = at;
    space.exec(text);
    word.lastIndex = space.lastIndex;
    const start = space.lastIndex;
    if (start === text.length) return '';
    const found = word.exec(text);
    at = start + (found?.[0].length ?? 0);
    return found?.[0] ?? null;
  };
}

/** The string of a token; null where it is none, or half of a surrogate pair: an escape can write that, and no bytes can hold it. */
function decode(token: string): string | null {
  try {
    const value = JSON.parse(token) as string;
    return value.isWellFormed() ? value : null;
  } catch {
    return null;
  }
}

function isOfType(token: string, type: Type): boolean {
  if (type === 'boolean') return token === 'true' || token === 'false';
  if (type === 'string') return token[0] === '"' && decode(token) !== null;
  return isSafeInteger(token);
}

/** By the digits that were written, not by the number that they are rounded to. */
function isSafeInteger(token: string): boolean {
  const parts = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(token);
  if (parts === null || !Number.isSafeInteger(Number(token))) return false;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = `${whole}${fraction}`.replace(/0+$/, '');
  return digits === '' || digits.length <= whole.length + Number(exponent);
}
