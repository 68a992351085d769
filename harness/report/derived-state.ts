/**
 * A state that a power loss may have left, and the shortest story of one that fails, in words or as one JSON document. Pure.
 */
import type { DerivedState, ServeAnswer } from '../contract/types.js';
import type { NumberedState, State, Survey } from '../power-loss/derive.js';
import type { Item } from '../power-loss/items.js';
import type { Story } from '../power-loss/reduce.js';
import type { Keeping } from '../power-loss/rules.js';
import { keepingWords, pieceWords, wordsOf } from '../power-loss/words.js';
import { oneLine } from './foreign-text.js';

export interface Replayed {
  readonly state: NumberedState;
  /** Where it is looked at. */
  readonly shown: State;
  readonly survey: Survey;
  readonly recorded: DerivedState | null;
  readonly answer: ServeAnswer;
  readonly to: string | null;
}

export interface ReducedStory extends Story {
  readonly cut: number;
  /** Of its items. */
  readonly lines: readonly string[];
  readonly effects: readonly Item[];
}

const longestLine = 300;

export function replayText({ state: { number }, shown, survey, recorded, answer, to }: Replayed, json: boolean): string {
  const { cut, choice, pending, sha256, files } = shown;
  const operations = pending.map((piece, place) => ({
    item: piece.item,
    operation: pieceWords(piece),
    kept: keepingWords(choice.kept[place] ?? false),
  }));
  if (json) {
    const told = [...files].map(([name, { size }]) => ({ name, size }));
    return `${JSON.stringify({ answer, at: choice.at, cut, files: told, operations, recorded, rule: choice.rule, sha256, state: number, to })}\n`;
  }
  const rows = operations.map(({ item, operation, kept }) => `  ${String(item).padStart(6)}  ${kept.padEnd(4)}  ${operation}`);
  const lines = [
    `State ${number}: the power went behind item ${cut} of ${survey.items}, by the rule ${choice.rule}${choice.at === 0 ? '' : ` ${choice.at}`}.`,
    operations.length === 0 ? 'Everything up to there was durable.' : 'What no sync had covered by then, by item:',
    ...rows,
    ...[...files].map(([name, { size }]) => `  file    ${name}, ${size} bytes`),
    `Digest ${sha256}.`,
    `The subject ${madeOf(answer)}.`,
    recordedWords(recorded, answer, sha256),
    ...(to === null ? [] : [`It is in ${to}.`]),
  ];
  return `${lines.map((line) => oneLine(line, longestLine)).join('\n')}\n`;
}

export interface Reduced {
  readonly state: NumberedState;
  /** What the subject made of the state itself. */
  readonly answer: ServeAnswer;
  readonly story: ReducedStory | null;
  readonly promised: number | null;
}

/** Findings about a state for which nobody looks here. */
const notLookedFor = ['record-forked', 'recovery-misread'] as const;

export function storyText({ state, answer, story, promised }: Reduced, json: boolean): string {
  const operations = story === null ? [] : operationsOf(story);
  if (json)
    return `${JSON.stringify({ cut: story?.cut ?? null, failure: story?.failure ?? null, not_looked_for: notLookedFor, operations, promised, state: state.number, tried: story?.tried ?? 0 })}\n`;
  if (story === null) {
    const asked =
      promised === null
        ? 'that is no failure unless more was promised (--promised)'
        : `that is no fewer than the ${promised} that were promised`;
    return [
      `State ${state.number} fails in no way that is looked for here: the subject ${madeOf(answer)}; ${asked}.`,
      `Not looked for are ${notLookedFor.join(' and ')}: killpoint verify judges these, and replay shows the state.`,
      '',
    ].join('\n');
  }
  const rows = operations.map(
    ({ item, operation, outcome }, index) =>
      `  ${String(index + 1).padStart(3)}. ${operation}${outcome === '' ? '' : ` (${outcome})`}, item ${item}`,
  );
  const lines = [
    `State ${state.number} fails at cut ${story.cut} (${story.failure}${story.withoutLoss ? ', with nothing lost too' : ''}), and so does this, of which no operation can be left out and no loss spared:`,
    ...rows,
    `${String(operations.length + 1).padStart(5)}. the power goes`,
    `${story.tried} stories were tried.`,
  ];
  return `${lines.map((line) => oneLine(line, longestLine)).join('\n')}\n`;
}

function operationsOf({ items, lines, effects, state }: ReducedStory): { item: number; operation: string; outcome: string }[] {
  const outcomes = new Map<number, string[]>();
  for (const [place, piece] of state.pending.entries()) {
    const keep: Keeping = state.kept[place] ?? false;
    if (keep === true) continue;
    const effect = effects[piece.item - 1];
    const part = (effect?.pieces.length ?? 0) > 1 ? ` ${piece.kind === 'size' ? 'the size' : 'the bytes'}` : '';
    outcomes.set(piece.item, [...(outcomes.get(piece.item) ?? []), `${keepingWords(keep)}${part}`]);
  }
  return effects.map((effect, index) => ({
    item: items[index] ?? 0,
    operation: wordsOf(lines[index] ?? '', effect),
    outcome: (outcomes.get(effect.number) ?? []).join(', '),
  }));
}

function madeOf({ opened, refused, remade }: ServeAnswer): string {
  const holds = ({ entries }: { entries: number }): string => (entries === 1 ? '1 entry' : `${entries} entries`);
  if (opened !== null) return `opened it, and it holds ${holds(opened)}`;
  const made = remade === null ? '' : ` and made it anew, with ${holds(remade)}`;
  return `refused it (${refused?.error ?? 'no reason'})${made}`;
}

function recordedWords(recorded: DerivedState | null, answer: ServeAnswer, sha256: string): string {
  if (recorded === null) return 'The bundle says nothing of it: it was not in the sample.';
  const same = recorded.sha256 === sha256 && madeOf(recorded) === madeOf(answer);
  return same
    ? 'The bundle says the same.'
    : `The bundle says otherwise: digest ${recorded.sha256}, the subject ${madeOf(recorded)}.`;
}
