/** JSON from outside: bytes that may be anything. Nothing here throws. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The object that bytes are, in UTF-8; null where they are anything else. */
export function parseObject(bytes: Uint8Array): Record<string, unknown> | null {
  const text = utf8Text(bytes);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The text that bytes are, in UTF-8; null where they are none. */
export function utf8Text(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Not null, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
