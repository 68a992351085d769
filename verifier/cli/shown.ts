/**
 * A text that a bundle or a command line brought along → the same for a terminal: whatever would move a cursor, change a colour, turn the direction
 * of what follows or begin a line of its own is told by its number.
 */
const unshown = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

export function shown(text: string): string {
  return text.replace(unshown, (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Line by line, for what has lines of its own. */
export function shownLines(text: string): string {
  return text.split('\n').map(shown).join('\n');
}
