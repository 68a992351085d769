/** What the members of a caller's options may be, refused by the name that the caller gave them. */
import { demand } from '../../core/demands.js';
import { idPattern } from '../../core/ids.js';

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
