/**
 * What a caller says, refused before anything is opened, appended or sent.
 *
 * Also where the caller's types were not checked: a member that nobody knows is a mistake in a name, and going on without it would do
 * something else than was asked for.
 */
import { RuntimeError } from './errors.js';

/** Of a type each member, or the compiler says which is missing. */
export type Members<T> = Record<keyof T, true>;

/** An object with these members and no others; `prefix` stands before a member's name. */
export function demandMembers(
  name: string,
  value: unknown,
  members: readonly string[],
  prefix = `${name}.`,
): asserts value is object {
  demand(typeof value === 'object' && value !== null && !Array.isArray(value), `${name} is not an object.`);
  const unknown = Object.keys(value).find((member) => !members.includes(member));
  demand(unknown === undefined, `${prefix}${unknown} is not known. Known are ${members.join(', ')}.`);
}

export function demand(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new RuntimeError('input-invalid', sentence);
}
