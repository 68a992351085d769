/**
 * Text that a model, a tool or somebody else chose, for a person to read: nothing in it moves the cursor, colours, hides or reorders what
 * stands on the screen, and it is as long as it is said to be. Pure.
 */

/** What is not seen or is no character: controls, formats (directions too), separators of lines, halves of pairs, what has no meaning yet. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;
const short: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` };

/** On one line; what is cut off is counted. */
export function oneLine(text: string, most: number): string {
  const characters = Array.from(text);
  const told = characters.slice(0, most).join('').replace(unseen, escaped);
  return characters.length <= most ? told : `${told}… (${characters.length - most} more characters)`;
}

/** On as many lines as it has. */
export function linesOfText(text: string, most: number): string[] {
  const lines = text.split('\n');
  const rest = lines.length - most;
  const told = lines.slice(0, most).map((line) => oneLine(line, 1000));
  return rest > 0 ? [...told, `… (${rest} more ${rest === 1 ? 'line' : 'lines'})`] : told;
}

function escaped(character: string): string {
  return short[character] ?? String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
