/**
 * JSON in any layout that every reader reads alike. What need not be canonical can still say a name twice, of which one reader takes the first and
 * another the last; write a number that two programs round apart; hold half of a character. None of it is taken.
 */
import { EvidenceError } from '../errors.js';
import { endOfString, parseJson, type Json } from './canonical.js';

const deepest = 256;
const loneSurrogate = /\p{Surrogate}/u;
const integer = /^(?:0|-?[1-9]\d*)$/;
const number = /[-+.eE0-9]+/y;
const space = /[ \t\n\r]*/y;

export function parseOneReading(text: string): Json {
  const value = parseJson(text);
  demandOneReading(text);
  return value;
}

/** The text is JSON. */
function demandOneReading(text: string): void {
  /** The names of each object that is open; null for an array. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (letter === '"') {
      const end = endOfString(text, at);
      demandString(text, at, end, open.at(-1) ?? null);
      at = end;
    } else if (letter === '{' || letter === '[') {
      open.push(letter === '{' ? new Set() : null);
      if (open.length > deepest) throw new EvidenceError('not-canonical', `The value is nested deeper than ${deepest} levels.`);
    } else if (letter === '}' || letter === ']') open.pop();
    else if (letter === '-' || (letter >= '0' && letter <= '9')) at = endOfNumber(text, at) - 1;
  }
}

function demandString(text: string, begin: number, end: number, names: Set<string> | null): void {
  const said = JSON.parse(text.slice(begin, end + 1)) as string;
  if (loneSurrogate.test(said)) throw new EvidenceError('ill-formed-text', 'A string holds a lone surrogate.');
  space.lastIndex = end + 1;
  space.test(text);
  if (names === null || text[space.lastIndex] !== ':') return;
  if (names.has(said)) throw new EvidenceError('not-canonical', 'An object has a name twice.');
  names.add(said);
}

function endOfNumber(text: string, begin: number): number {
  number.lastIndex = begin;
  const [said = ''] = number.exec(text) ?? [];
  if (!integer.test(said) || !Number.isSafeInteger(Number(said)))
    throw new EvidenceError('not-canonical', 'A number is not a safe integer, written as one.');
  return begin + said.length;
}
