/**
 * The bytes of a name → a text that tells them apart and does nothing where it is shown. Printable ASCII stays what it is, but for the backslash;
 * every other character becomes `\u{…}`, every byte that is part of none `\x{…}`. So a composed letter and a decomposed one look different, and no
 * name moves a cursor.
 */
import { isUtf8 } from 'node:buffer';

const plain = /^[ -[\]-~]*$/;

export function nameOf(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (plain.test(text)) return text;
  if (isUtf8(bytes)) return Array.from(bytes.toString('utf8'), (letter) => shown(letter, 'u')).join('');
  return Array.from(text, (letter) => shown(letter, letter < '\u0080' ? 'u' : 'x')).join('');
}

function shown(letter: string, kind: 'u' | 'x'): string {
  if (letter === '\\') return '\\\\';
  return plain.test(letter) ? letter : `\\${kind}{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
}
