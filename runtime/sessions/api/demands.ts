/**
 * What a caller says, refused by the name that the caller gave it, before anything is opened, appended or sent.
 *
 * Also where the caller's types were not checked: a member that nobody knows is a mistake in a name, and going on without it would do
 * something else than was asked for.
 */
import { RuntimeError } from '../../core/errors.js';
import { idPattern } from '../../core/ids.js';

/** An object with these members and no others; `prefix` stands before a member's name. */
export function demandMembers(name: string, value: unknown, members: readonly string[], prefix = `${name}.`): void {
  demand(typeof value === 'object' && value !== null && !Array.isArray(value), `${name} is not an object.`);
  const unknown = Object.keys(value).find((member) => !members.includes(member));
  demand(unknown === undefined, `${prefix}${unknown} is not known. Known are ${members.join(', ')}.`);
}

export function demandList(name: string, value: unknown): asserts value is readonly unknown[] {
  demand(Array.isArray(value), `${name} is not a list.`);
}

export function demandFlag(name: string, value: unknown): void {
  demand(typeof value === 'boolean', `${name} is neither true nor false.`);
}

export function demandCount(name: string, value: unknown, most: number = Number.MAX_SAFE_INTEGER): void {
  const isCount = Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most;
  demand(isCount, `${name} is not a whole number between 1 and ${most}.`);
}

/** Says no more of a URL than it must: it may hold a password. */
export function demandUrl(url: unknown): void {
  demand(typeof url === 'string' && URL.canParse(url) && /^https?:/i.test(url), 'providerUrl is not an http or https URL.');
  const { username, password } = new URL(url);
  demand(
    username === '' && password === '' && !/[?#]/.test(url),
    'providerUrl holds credentials, a query or a fragment; a path is appended to it, and it is never recorded.',
  );
}

export function demandId(name: string, id: unknown): void {
  demand(
    typeof id === 'string' && idPattern.test(id),
    `${name} is not an id: letters, digits, dots, dashes and underscores, at most 128.`,
  );
}

export function demandText(name: string, text: unknown): void {
  demand(typeof text === 'string' && text !== '' && text.isWellFormed(), `${name} is not a text, or not well-formed Unicode.`);
}

export function demandOneOf(name: string, value: unknown, allowed: readonly unknown[]): void {
  demand(allowed.includes(value), `${name} is one of ${allowed.join(', ')}.`);
}

export function demand(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new RuntimeError('input-invalid', sentence);
}
