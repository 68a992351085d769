/** Canonical JSON and SHA-256 once more: what the reference leans on is its own. */
import { createHash } from 'node:crypto';

export function hash(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Strings, safe integers, booleans, null, arrays and objects; the names of an object in their order. */
export function canonicalText(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number')
    return JSON.stringify(value);
  if (Array.isArray(value)) return '[' + value.map((item) => canonicalText(item)).join(',') + ']';
  const object = value as Record<string, unknown>;
  const names = Object.keys(object).sort();
  return '{' + names.map((name) => JSON.stringify(name) + ':' + canonicalText(object[name])).join(',') + '}';
}

/** "A reader that serialises it again must get the same bytes." Null where it is no canonical JSON object. */
export function canonicalObject(text: string): Record<string, unknown> | null {
  const value = objectIn(text);
  return value !== null && canonicalText(value) === text ? value : null;
}

/** However it is spelled. */
export function objectIn(text: string): Record<string, unknown> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return value === null || typeof value !== 'object' || Array.isArray(value) ? null : (value as Record<string, unknown>);
}

/** Each type and the members that a payload of it has; those with a question mark may be absent. */
export type Members = Readonly<Record<string, string>>;

/** Whether a payload has the members of its type and no others; what they may hold is asked where it decides something. */
export function hasMembers(payload: Record<string, unknown>, listed: string): boolean {
  const wanted = listed === '' ? [] : listed.split(' ');
  const names = wanted.map((name) => name.replace('?', ''));
  const required = wanted.filter((name) => !name.endsWith('?'));
  return required.every((name) => name in payload) && Object.keys(payload).every((name) => names.includes(name));
}
