/**
 * What `JSON.parse` hides in a valid document: a name that is given twice in one object (the last one wins, silently), a name that
 * JavaScript gives a meaning of its own, and depth that makes recursive readers fail. Pure, and not recursive itself.
 *
 * Harness and verifier must not be able to read two different plans in the same bytes.
 */
export interface Oddity {
  pointer: string;
  sentence: string;
}

export const maxDepth = 64;

interface Level {
  /** Names seen so far; null in an array. */
  names: Set<string> | null;
  step: string;
  index: number;
}

/** One token: a string, a bracket, a comma or a colon. Numbers and words need no look. */
const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]/g;

/** `text` is valid JSON: the parser has seen it. */
export function odditiesIn(text: string): Oddity[] {
  const found: Oddity[] = [];
  const levels: Level[] = [];
  let last = '';
  const pointer = (): string => levels.map(({ step }) => `/${step}`).join('');
  for (const [piece] of text.matchAll(token)) {
    const level = levels.at(-1);
    if (piece === '{' || piece === '[') {
      if (levels.length === maxDepth) return [...found, { pointer: '', sentence: `is nested more than ${maxDepth} deep` }];
      levels.push({ names: piece === '{' ? new Set() : null, step: piece === '{' ? '' : '0', index: 0 });
    } else if (piece === '}' || piece === ']') levels.pop();
    else if (piece === ',' && level?.names === null) level.step = String((level.index += 1));
    else if (piece === ':' && level?.names) {
      const name = JSON.parse(last) as string;
      level.step = name.replaceAll('~', '~0').replaceAll('/', '~1');
      if (level.names.has(name)) found.push({ pointer: pointer(), sentence: 'is given twice; only one of the two would count' });
      if (name === '__proto__') found.push({ pointer: pointer(), sentence: 'is a name that a plan cannot use' });
      level.names.add(name);
    }
    last = piece;
  }
  return found;
}
