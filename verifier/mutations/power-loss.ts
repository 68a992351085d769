/** Breaks in what was derived of a power loss, and in what a subject is said to have made of it. */
import type { DerivedState, Derivation as Counted } from '../contract/types.js';
import { modelOf } from '../checks/all.js';
import type { FindingCode } from '../checks/check.js';
import { promisesOf, readingsOf } from '../checks/lost-states.js';
import type { Snapshot } from '../read/bundle.js';
import { canonical, decodeUtf8, parseJson } from '../read/canonical.js';
import type { Beginning } from '../read/power-loss-arm.js';
import type { LostState } from '../read/power-loss/derive.js';
import type { Editor, Mutable, Mutation } from './editor.js';
import { onPlace, type Place } from './places.js';
import { otherExit } from './traces.js';

type Codes = readonly FindingCode[];
type Line = Mutable<DerivedState>;
type Held = NonNullable<DerivedState['opened']>;

const missed = ['power-state-missed'] as const;
/** Places of what leaves the role: each costs a derivation. */
const mostTried = 4;

/** An arm of which something was looked at. */
const lost: Place = (editor) => editor.findAny(({ loss }) => (loss?.sample.length ?? 0) > 0);

function write(editor: Editor, arm: Snapshot, lines: readonly Line[]): true {
  editor.text(arm.file('states.jsonl'), () => lines.map((line) => `${canonical(line)}\n`).join(''));
  return true;
}

function linesOf(editor: Editor, arm: Snapshot): Line[] {
  const text = decodeUtf8(editor.bytes(arm.file('states.jsonl')));
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => parseJson(line) as unknown as Line);
}

/** The counts of what the lines say follow them. */
function recount(editor: Editor, arm: Snapshot): void {
  const lines = linesOf(editor, arm);
  onCounts(editor, arm, (counts) => {
    counts.examined = lines.length;
    for (const what of ['opened', 'refused', 'remade'] as const)
      counts[what] = lines.filter((line) => line[what] !== null).length;
  });
}

function onCounts(editor: Editor, arm: Snapshot, change: (counts: Mutable<Counted>) => void): true {
  editor.json<Mutable<Counted>>(arm.file('derivation.json'), change);
  return true;
}

/** What is carried on from, as `derivation.json` tells it. */
function beginningsOf({ name: of, loss }: Snapshot): NonNullable<Counted['beginnings']> {
  return (loss?.beginnings ?? []).map(({ name, state, cut, lines }) => ({
    snapshot: `${of}-${name}`,
    state,
    cut,
    receipts: lines,
  }));
}

/** Changes the line of the last state that is of a kind: none of the snapshots that carry on begins with it, or all begin as they did. */
function onLine(
  name: string,
  codes: Codes,
  wanted: (state: LostState, line: Line, arm: Snapshot) => boolean,
  change: (line: Line, state: LostState) => void,
): Mutation {
  return onPlace(lost, name, codes, (editor, arm) => {
    const lines = linesOf(editor, arm);
    const begun = new Set(arm.loss?.beginnings.map(({ state }) => state));
    const states = new Map(arm.loss?.sample.map((state) => [state.number, state]));
    const line = lines.findLast((one) => {
      const state = states.get(one.state);
      return state !== undefined && !begun.has(one.state) && wanted(state, one, arm);
    });
    const state = line === undefined ? undefined : states.get(line.state);
    if (line === undefined || state === undefined) return false;
    change(line, state);
    write(editor, arm, lines);
    recount(editor, arm);
    return true;
  });
}

/**
 * The line of an opened state tells of less than it held, which was not promised yet: of as much as another one from which somebody carries on
 * after as many receipts, wherever it occurs.
 */
function foundLess(editor: Editor, arm: Snapshot): boolean {
  const { loss } = arm;
  const promised = promisedIn(editor, arm);
  const lines = linesOf(editor, arm);
  const begun = loss?.beginnings.filter(({ isMade }) => isMade) ?? [];
  const states = new Map(loss?.sample.map((state) => [state.number, state]));
  const placeOf = ({ state, cut }: Beginning): number =>
    states.get(state)?.occurrences.find((one) => one.cut === cut)?.place ?? Number.MAX_SAFE_INTEGER;
  for (const state of loss?.sample ?? []) {
    const line = lines.find((one) => one.state === state.number);
    if (line === undefined || line.opened === null || begun.some((one) => one.state === state.number)) continue;
    const held = line.opened.entries;
    const met = new Map(state.occurrences.toReversed().map(({ cut, place }) => [loss?.lines[cut], place]));
    const isBegunBefore = ({ entries }: Held): boolean =>
      [...met].every(([receipts, place]) =>
        begun.some((one) => one.lines === receipts && placeOf(one) < place && openedIn(lines, one.state)?.entries === entries),
      );
    const less = begun
      .flatMap((one) => openedIn(lines, one.state) ?? [])
      .find((opened) => opened.entries < held && promised(state) <= opened.entries && isBegunBefore(opened));
    if (less === undefined) continue;
    line.opened = { ...less };
    return write(editor, arm, lines);
  }
  return false;
}

function openedIn(lines: readonly Line[], state: number): Held | null {
  return lines.find((line) => line.state === state)?.opened ?? null;
}

/** How much had been promised wherever a state occurs. */
function promisedIn(editor: Editor, arm: Snapshot): (state: LostState) => number {
  const derivation = arm.loss?.derivation.value;
  const promises = derivation === undefined ? [] : promisesOf(arm, derivation, modelOf(editor.bundle));
  return ({ occurrences }) => Math.max(...occurrences.map(({ cut }) => promises[cut] ?? 0));
}

/** What leaves the role stands before the last sync that precedes it; what follows of the states is made good again. */
const early =
  (leaves: RegExp, leavesReceipts: boolean) =>
  (editor: Editor, arm: Snapshot): boolean => {
    const before = new Map(editor.files);
    const trace = decodeUtf8(editor.bytes(arm.file('trace.txt'))).split('\n');
    const places = trace.flatMap((line, at) => (leaves.test(line) ? [at] : [])).slice(0, mostTried);
    return places.some((at) => {
      for (const [path, bytes] of before) editor.files.set(path, bytes);
      return leavesEarly(editor, arm, { trace, at, leavesReceipts });
    });
  };

interface Leaving {
  readonly trace: readonly string[];
  readonly at: number;
  readonly leavesReceipts: boolean;
}

function leavesEarly(editor: Editor, arm: Snapshot, { trace, at, leavesReceipts }: Leaving): boolean {
  const sync = trace.findLastIndex((line, index) => index < at && /^\d+ f(?:data)?sync\(/.test(line));
  if (sync < 0) return false;
  const moved = [...trace.slice(0, sync), trace[at], ...trace.slice(sync, at), ...trace.slice(at + 1)];
  editor.text(arm.file('trace.txt'), () => moved.join('\n'));
  coverStates(editor, arm);
  const after = editor.again(arm);
  const names = ({ loss }: Snapshot): string[] => (loss?.beginnings ?? []).map(({ name }) => name);
  // What was not yet durable now meets the receipts of the request too, and nobody carried on from that.
  const known = new Set(names(arm));
  const isMissing = names(after).some((name) => !known.has(name));
  if (
    isMissing !== leavesReceipts ||
    names(after)
      .filter((name) => known.has(name))
      .join() !== [...known].join()
  )
    return false;
  // A sync that covered what another one had covered kept no promise.
  const promised = promisedIn(editor, after);
  const held = new Map(linesOf(editor, after).map(({ state, opened }) => [state, opened?.entries ?? 0]));
  return (after.loss?.sample ?? []).some((state) => promised(state) > (held.get(state.number) ?? 0));
}

/** Makes the lines and the counts those of the states that the trace now gives; of a new one the subject finds what is in it. */
function coverStates(editor: Editor, arm: Snapshot): void {
  const { loss } = editor.again(arm);
  const derivation = loss?.derivation.value;
  if (loss === undefined || derivation === undefined) return;
  const before = new Map(linesOf(editor, arm).map((line) => [line.sha256, line]));
  const unmade = [...before.values()].find(({ remade }) => remade !== null);
  const readings = readingsOf(loss, derivation, modelOf(editor.bundle));
  const lines = loss.sample.map(({ number, sha256, occurrences: [{ cut, rule, at }], isMade }): Line => {
    const { entries = 0, digest = '' } = readings.get(number) ?? {};
    const { refused = null, remade = null } = unmade ?? {};
    const found = isMade ? { opened: { entries, digest }, refused: null, remade: null } : { opened: null, refused, remade };
    return { ...(before.get(sha256) ?? { ...found, sha256 }), cut, rule, at, state: number };
  });
  write(editor, arm, lines);
  onCounts(editor, arm, (counts) => void Object.assign(counts, derivation.counts));
  recount(editor, arm);
  const beginnings = beginningsOf(editor.again(arm));
  onCounts(editor, arm, (counts) => {
    if (counts.beginnings !== undefined) counts.beginnings = beginnings;
  });
}

const isOpened = (state: LostState, line: Line): boolean => state.isMade && line.opened !== null;
const isUnmade = ({ isMade }: LostState): boolean => !isMade;

export const powerLossMutations = {
  'kill-unproven': [
    onPlace(lost, 'the tracer of a power loss tells of another exit than was seen', ['kill-unproven'], otherExit),
  ],
  'power-state-missed': [
    onPlace(lost, 'a count of states is lower than it was', missed, (editor, arm) =>
      onCounts(editor, arm, (counts) => void (counts.derived -= 1)),
    ),
    onPlace(lost, 'a cut is said to have been left out', missed, (editor, arm) =>
      onCounts(editor, arm, (counts) => {
        counts.cuts -= 1;
        counts.left_out = 1;
      }),
    ),
    onPlace(lost, 'the last state was not looked at', missed, (editor, arm) => {
      const lines = linesOf(editor, arm);
      if (arm.loss?.beginnings.some(({ state }) => state === lines.at(-1)?.state) !== false) return false;
      write(editor, arm, lines.slice(0, -1));
      recount(editor, arm);
      return true;
    }),
    onLine('a state that was looked at had other bytes', missed, isOpened, (line) => void (line.sha256 = '0'.repeat(64))),
    onLine('a state is said to occur at another cut', missed, isOpened, (line) => void (line.cut += 1)),
    onPlace(lost, 'the trace lacks the answer of the role', missed, (editor, arm) => {
      const trace = decodeUtf8(editor.bytes(arm.file('trace.txt')));
      const without = trace.replace(/^\d+ answer\(\) = \?\n/m, '');
      if (without === trace) return false;
      editor.text(arm.file('trace.txt'), () => without);
      coverStates(editor, arm);
      return true;
    }),
    onPlace(lost, 'nobody is said to have looked at the states', missed, (editor, arm) =>
      onCounts(editor, arm, (counts) => void (counts.workers = 0)),
    ),
    onPlace(lost, 'what carries on is said to have met the receipts of another cut', missed, (editor, arm) => {
      if ((arm.loss?.counted.value?.beginnings ?? []).length === 0) return false;
      return onCounts(editor, arm, ({ beginnings }) => {
        const last = beginnings?.at(-1);
        if (last !== undefined) last.cut += 1;
      });
    }),
  ],
  'state-refused': [
    onLine('a state that was made was refused', ['state-refused'], isOpened, (line) => {
      line.opened = null;
      line.refused = { error: 'state-damaged' };
    }),
    onLine('a state that was never made was not made anew', ['state-refused'], isUnmade, (line) => void (line.remade = null)),
    onLine('a state that was never made was refused for another reason', ['state-refused'], isUnmade, (line) => {
      line.refused = { error: 'state-damaged' };
    }),
  ],
  'promise-lost': [
    onPlace(
      lost,
      'a request left before its intent was durable',
      ['promise-lost', 'case-missing', 'record-malformed'],
      early(/^\d+ request\("POST", "\/(?!keys\/)/, true),
    ),
    onPlace(lost, 'the role answered before its record was durable', ['promise-lost'], early(/^\d+ answer\(/, false)),
  ],
  'record-forked': [
    onLine('a state held another record', ['record-forked', 'recovery-misread'], isOpened, ({ opened }) => {
      if (opened !== null) opened.digest = 'f'.repeat(64);
    }),
  ],
  'recovery-misread': [
    onPlace(lost, 'the subject did not find all that a state held', ['recovery-misread'], foundLess),
    onLine('a state that was made anew is said to hold more', ['recovery-misread'], isUnmade, ({ remade }) => {
      if (remade !== null) remade.entries += 5;
    }),
  ],
} as const;
