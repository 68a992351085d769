/**
 * G47: Whatever a power loss may leave opens, holds everything that had been promised when the power went, and nothing but a beginning of what was
 * recorded.
 * Verified: of every state that was looked at, and at every cut where it occurs: that it was opened, or, never made, refused for that and made anew; that what the
 * subject found reaches to the intent of each request that had left, to the end once the role had answered, and never falls behind what the arm began
 * with; that it is a beginning of the arm's own record, by digest; and that the verifier reads the same in the derived bytes.
 * Not verified: what is in a state with a journal, which a reader of bytes does not roll back; what a recovery appended to a state that was only opened.
 */
import type { DerivedState } from '../contract/types.js';
import type { Snapshot } from '../read/bundle.js';
import { noDigest } from '../read/events.js';
import type { LossEvidence } from '../read/loss.js';
import type { Derivation, LostState, Occurrence } from '../read/power-loss/derive.js';
import { need, perItem, whereOfSnapshot, type CaseCheck, type FindingCode, type Say } from './check.js';
import { promisesOf, readingsOf, type Reading } from './lost-states.js';
import type { SubjectModel } from './subject-model.js';

export const g47: CaseCheck = {
  guarantee: 'G47',
  sentence:
    'Whatever a power loss may leave opens, holds everything that had been promised when the power went, and nothing but a beginning of what was recorded.',
  covers:
    'of every state that was looked at, at every cut where it occurs: that it opened, the number of its entries against the requests and the answer before the cut, its digest against the record of the arm, and both against the verifier’s own reading of the bytes',
  doesNotCover: 'the reading of a state with a journal; what somebody appends to a state that was only opened',
  codes: ['promise-lost', 'record-forked', 'state-refused', 'recovery-misread'],
  scope: 'case',
  check: ({ snapshots }, _bundle, model) =>
    perItem(
      snapshots.filter(({ loss }) => loss !== undefined),
      whereOfSnapshot,
      (arm, say) => armJudged(arm, arm.loss as LossEvidence, model, say),
      ({ loss }) => Math.max(1, loss?.sample.length ?? 0),
    ),
};

function armJudged(arm: Snapshot, loss: LossEvidence, model: SubjectModel, say: Say): number {
  const derivation = need(loss.derivation);
  const told = new Map(need(loss.told).map((line) => [line.state, line]));
  const own = need(model.digests(arm.state));
  const promised = promisesOf(arm, derivation, model);
  const readings = readingsOf(loss, derivation, model);
  const ground = { own, promised, atMaking: model.appends.made };
  let judged = 0;
  for (const state of loss.sample) {
    const line = told.get(state.number);
    // One that has no line is missed (G46).
    if (line === undefined) continue;
    judged += 1;
    const file = arm.file('states.jsonl');
    for (const { code, detail, at } of stateWrong({ ...ground, state, line, reading: readings.get(state.number) }))
      say(code, `${named(state, at)} ${detail} ${lostWords(derivation, at)}`, { file, seq: state.number });
  }
  return judged;
}

/** How a subject refuses what was never made. */
const neverMade: ReadonlySet<string> = new Set(['state-absent', 'state-unfinished']);

interface Judged {
  readonly state: LostState;
  readonly line: DerivedState;
  /** The digests of the arm's own record. */
  readonly own: readonly string[];
  /** By cut: how many entries are promised. */
  readonly promised: readonly number[];
  /** What the verifier reads; undefined where it does not. */
  readonly reading: Reading | undefined;
  /** How many entries a record has when it is made. */
  readonly atMaking: number;
}

interface Wrong {
  readonly code: FindingCode;
  readonly detail: string;
  readonly at: Occurrence;
}

function* stateWrong({ state, line, own, promised, reading, atMaking }: Judged): Generator<Wrong> {
  const { opened, refused, remade } = line;
  const [first] = state.occurrences;
  const wrong = (code: FindingCode, detail: string, at = first): Wrong => ({ code, detail, at });
  const entries = opened?.entries ?? 0;
  const lost = state.occurrences.find(({ cut }) => (promised[cut] ?? 0) > entries);
  if (state.isMade && (opened === null || refused !== null || remade !== null))
    yield wrong('state-refused', `was made and was refused${refused === null ? '' : ` (${refused.error})`}.`);
  else if (!state.isMade && (opened !== null || !neverMade.has(refused?.error ?? '') || remade === null))
    yield wrong('state-refused', 'was never made, and was not refused for that and made anew.');
  else if (remade !== null && (remade.entries !== atMaking || (remade.digest === noDigest) !== (remade.entries === 0)))
    yield wrong('recovery-misread', `was made anew, and is said to hold ${remade.entries} entries.`);
  if (lost !== undefined && (opened !== null || !state.isMade))
    yield wrong('promise-lost', `holds ${entries} entries, and ${promised[lost.cut]} had been promised.`, lost);
  if (opened === null) return;
  if (opened.digest !== (opened.entries === 0 ? noDigest : own[opened.entries - 1]))
    yield wrong('record-forked', `holds ${entries} entries that do not begin the record of the arm.`);
  if (reading === undefined) return;
  if (reading.entries !== opened.entries || reading.digest !== opened.digest)
    yield wrong('recovery-misread', `holds ${reading.words}, and the subject found ${entries} entries, or others.`);
}

function named({ number }: LostState, { cut, rule, at }: Occurrence): string {
  return `State ${number} (cut ${cut}, ${rule}${at === 0 ? '' : ` ${at}`})`;
}

const mostWords = 3;

function lostWords(derivation: Derivation, at: Occurrence): string {
  const lost = derivation.lostAt(at);
  if (lost.length === 0) return 'Nothing was lost.';
  const first = lost.slice(0, mostWords).map(({ item, words }) => `${words} (item ${item})`);
  const more = lost.length > mostWords ? `, and ${lost.length - mostWords} more` : '';
  return `Lost: ${first.join(', ')}${more}.`;
}
