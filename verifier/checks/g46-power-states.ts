/**
 * G46: Of the states that a power loss may leave none was left out: those that were looked at are those that the trace gives, each by its number
 * and its bytes.
 * Verified: every count of items, cuts and states against those that the verifier derives from the trace itself; what was carried on from, with the cut
 * whose receipts it met; that each state of the sample has its
 * line, in order, with its number, where it first occurs and its digest, and nothing else has one; that with everything kept the trace leads to the
 * state that the arm left, byte for byte; that it gives states, requests where the provider has some, and an answer where the role gave one.
 * Not verified: that the trace tells all that the role did; that what was looked at had the bytes of its digest; how many processes looked, but that somebody did.
 */
import type { DerivedState } from '../contract/types.js';
import type { Bundle, CaseEvidence, Snapshot } from '../read/bundle.js';
import { sameJson } from '../read/canonical.js';
import type { LossEvidence } from '../read/loss.js';
import { stateDigest, type Counts, type LostState } from '../read/power-loss/derive.js';
import { need, perItem, whereOfSnapshot, type CaseCheck, type Say } from './check.js';
import { ownLines } from './derived.js';

export const g46: CaseCheck = {
  guarantee: 'G46',
  sentence:
    'Of the states that a power loss may leave none was left out: those that were looked at are those that the trace gives, each by its number and its bytes.',
  covers:
    'every count of an arm under power loss, every state that was looked at and what was carried on from, against those that are derived from the trace again; the end of the trace against the state that the arm left',
  doesNotCover: 'whether the trace tells all that the role did; whether the subject was given the bytes of the digest',
  codes: ['power-state-missed'],
  scope: 'case',
  check({ snapshots }, bundle) {
    const arms = snapshots.filter(({ loss }) => loss !== undefined);
    const result = perItem(
      arms,
      whereOfSnapshot,
      (arm, say) => {
        const loss = arm.loss as LossEvidence;
        const judged = armJudged(arm, loss, say);
        beginningsJudged(arm, loss, bundle, say);
        return judged;
      },
      plannedOf,
    );
    const blind = arms.map((arm) => whyBlind(arm, arm.loss as LossEvidence)).find((reason) => reason !== null);
    return blind === undefined ? result : { ...result, unknown: result.unknown ?? blind ?? undefined };
  },
};

/** The counts of each arm, and its states. */
function plannedOf({ loss }: Snapshot): number {
  return 1 + (loss?.sample.length ?? 0);
}

function armJudged(arm: Snapshot, loss: LossEvidence, say: Say): number {
  const { counts } = need(loss.derivation);
  const [counted, told] = [need(loss.counted), need(loss.told)];
  const ofLines = {
    examined: told.length,
    opened: told.filter(({ opened }) => opened !== null).length,
    refused: told.filter(({ refused }) => refused !== null).length,
    remade: told.filter(({ remade }) => remade !== null).length,
  };
  const wanted: Counts & typeof ofLines = { ...counts, ...ofLines };
  for (const [name, value] of Object.entries(wanted)) {
    const found = counted[name as keyof typeof wanted];
    if (found !== value)
      say('power-state-missed', `${name}: counted ${found}, derived ${value}.`, { file: arm.file('derivation.json') });
  }
  const file = arm.file('states.jsonl');
  const line = loss.sample.findIndex((state, index) => !isTold(state, told[index]));
  const number = loss.sample[line]?.number;
  if (number !== undefined) say('power-state-missed', `Line ${line + 1} is not that of state ${number}.`, { file });
  else if (told.length > loss.sample.length)
    say('power-state-missed', 'There are lines of states that the plan does not ask for.', { file });
  const answered = arm.has('answer.json') ? 1 : 0;
  if (need(loss.derivation).answers !== answered)
    say('power-state-missed', `The trace tells of ${need(loss.derivation).answers} answers, and the role gave ${answered}.`, {
      file: arm.file('trace.txt'),
    });
  if (told.length > 0 && counted.workers === 0)
    say('power-state-missed', 'Nobody looked at what was looked at.', { file: arm.file('derivation.json') });
  const { state } = arm;
  if (need(loss.derivation).end !== stateDigest(new Map(state.contents)))
    say('power-state-missed', 'The trace does not lead to the state that the arm left.', { file: arm.file('trace.txt') });
  return 1 + loss.sample.length;
}

/** In a bundle that was made before they were told no arm tells of any. */
function beginningsJudged(arm: Snapshot, loss: LossEvidence, { cases }: Bundle, say: Say): void {
  const told = need(loss.counted).beginnings;
  const found = loss.beginnings.map(({ name, state, cut, lines }) => {
    return { snapshot: `${arm.name}-${name}`, state, cut, receipts: lines };
  });
  const file = arm.file('derivation.json');
  if (told !== undefined && !sameJson(told, found))
    say(
      'power-state-missed',
      'Each thing that occurs was not carried on from where it first does, with each number of receipts.',
      {
        file,
      },
    );
  const isTold = ({ snapshots }: CaseEvidence): boolean =>
    snapshots.some((one) => one.loss?.counted.value?.beginnings !== undefined);
  if (told === undefined && cases.some(isTold))
    say('power-state-missed', 'What was carried on from is told of another arm, and not of this one.', { file });
}

function isTold({ number, sha256, occurrences: [first] }: LostState, line: DerivedState | undefined): boolean {
  if (line?.state !== number || line.sha256 !== sha256) return false;
  return line.cut === first.cut && line.rule === first.rule && line.at === first.at;
}

/**
 * A trace that gives no state, or that lacks a request, proves nothing of those that it should have given. The tracer follows what a role starts:
 * a request of a command is in the trace, too.
 */
function whyBlind(arm: Snapshot, loss: LossEvidence): string | null {
  if (loss.derivation.value === undefined || arm.receipts.value === undefined) return null;
  if (loss.sample.length === 0) return `Of the arm ${arm.name} no state was looked at.`;
  const told = loss.lines.at(-1) ?? 0;
  const lacks = ownLines(arm).some((line) => line.seq > told && line.kind === 'received');
  return lacks ? `The trace of the arm ${arm.name} lacks a request that the provider received.` : null;
}
