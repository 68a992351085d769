/**
 * G30: Of several processes that acted on one state, exactly one carried out the operation, and each other was refused and wrote
 * nothing.
 * Verified: of a race, that one process was not refused, that every added event and every request is its own, and that the others were
 * refused because of it. Of a stopped owner, that it is not overtaken while it holds its lock, and that it writes nothing after
 * another process has written, whatever was done to the lock, and nothing into a folder that was moved away from it, which ends where
 * it was stopped. Of both, that what a process says it carried out is in the record, and that no key has an effect more than decisions
 * were spent on it.
 * Not verified: that the processes overlapped, of which the harness tells; the process of a request that the system did not tell.
 */
import { countEffects } from '../../model/effects.js';
import type { Answer } from '../../contract/types.js';
import { historyOf, type History } from '../../model/calls/history.js';
import type { Snapshot } from '../../read/bundle.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import { actorsOf, type Actor } from '../actors.js';
import { departureFrom, isGrouped } from './commit-place.js';
import { addedEvents } from './derived.js';
import { writersOf } from './writers.js';

export const g30: CaseCheck = {
  guarantee: 'G30',
  sentence:
    'Of several processes that acted on one state, exactly one carried out the operation, and each other was refused and wrote nothing.',
  covers:
    'the answers of all members of a group, the process of every event and request that they added, the effects of every key against the decisions spent on it, the end of a folder that was moved away',
  doesNotCover: 'whether the members overlapped; requests whose peer the system did not tell',
  codes: ['race-doubled', 'race-lost'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(
      snapshots.filter(({ planned }) => planned.crash !== null),
      () => 1,
      (snapshot, say) => {
        const members = actorsOf(snapshot).map((actor) => memberOf(snapshot, actor));
        for (const member of members) {
          lostWrong(member, say);
          refusalWrong(member, say);
        }
        if (!members.some(hasActed)) say('race-lost', 'Nobody carried out the operation.');
        effectsWrong(snapshot, say);
        if (snapshot.planned.crash?.model === 'race') raceWrong(snapshot, members, say);
        else {
          zombieWrong(snapshot, members, say);
          standingWrong(snapshot, members, isGrouped(bundle, snapshot), say);
          movedAwayWrong(snapshot, isGrouped(bundle, snapshot), say);
        }
      },
    ),
};

/** What one of the processes did. */
interface Member {
  readonly actor: Actor;
  readonly answer: Answer;
  readonly pid: number;
  /** The rows that it added. */
  readonly wrote: readonly number[];
}

function memberOf(snapshot: Snapshot, actor: Actor): Member {
  const { pid } = need(actor.role.process);
  const writers = writersOf(addedEvents(snapshot));
  const wrote = [...writers].filter(([, writer]) => writer === pid).map(([seq]) => seq);
  return { actor, answer: need(actor.role.answer), pid, wrote };
}

/** Neither refused, nor told to do whatever is left and found nothing. */
function hasActed({ actor, answer }: Member): boolean {
  const isIdle = actor.operation === 'recover' && answer.operations?.length === 0;
  return answer.status !== 'refused' && !isIdle;
}

/** What one process recorded is there for all. */
function lostWrong(member: Member, say: Say): void {
  const { actor, answer, wrote } = member;
  if (hasActed(member) && answer.status === 'completed' && wrote.length === 0)
    say('race-lost', 'What the process says it carried out is not in the record.', { file: actor.role.file('answer.json') });
}

function raceWrong(snapshot: Snapshot, members: readonly Member[], say: Say): void {
  const [winner, ...more] = members.filter(hasActed);
  if (winner !== undefined && winner.wrote.length === 0)
    say('race-lost', 'The process that was not refused recorded nothing.', { file: winner.actor.role.file('answer.json') });
  for (const { actor } of more)
    say('race-doubled', 'More than one process was not refused.', { file: actor.role.file('answer.json') });
  for (const { actor, answer, wrote } of members) {
    if (answer.refusal === null || wrote.length === 0) continue;
    say('race-doubled', 'A process that was refused had written.', {
      file: actor.role.file('answer.json'),
      seq: wrote[0] ?? null,
    });
  }
  const inherited = snapshot.base === undefined ? 0 : need(snapshot.base.receipts).all.length;
  for (const { received } of need(snapshot.receipts).all.slice(inherited)) {
    if (received.peer_pid !== null && received.peer_pid !== winner?.pid)
      say('race-doubled', 'A request came from a process that was refused.', {
        file: snapshot.file('receipts.jsonl'),
        seq: received.seq,
      });
  }
}

function refusalWrong({ actor, answer: { refusal } }: Member, say: Say): void {
  if (refusal !== null && !isBeaten(actor, refusal))
    say('race-lost', 'A process was refused for another reason than what the others did.', {
      file: actor.role.file('answer.json'),
    });
}

/**
 * The owner lived, the record had grown, or it names another operation by now. What drifted, or could not be done at all, has no
 * hazard: it would have been refused to a process that was alone.
 */
function isBeaten({ operation }: Actor, { error, hazard, operation: named }: NonNullable<Answer['refusal']>): boolean {
  if (error === 'OwnerAlive' || error === 'Overtaken') return true;
  const isOwnWord = error === (operation === null ? 'ResumeRefused' : 'RecoveryRefused');
  return isOwnWord && hazard !== null && named !== (operation ?? 'start_call');
}

/** Places before the lock is taken. */
const unlocked = new Set(['role.ready', 'projection.read']);

function zombieWrong({ planned }: Snapshot, [owner, other]: readonly Member[], say: Say): void {
  const { crash } = planned;
  if (crash?.model !== 'zombie' || owner === undefined || other === undefined) return;
  const file = owner.actor.role.file('answer.json');
  const [first] = other.wrote;
  const late = first === undefined ? undefined : owner.wrote.find((seq) => seq > first);
  if (late !== undefined) say('race-doubled', 'The owner wrote after another process had.', { file, seq: late });
  const holds = crash.defeat === 'none' && !unlocked.has(crash.stop.checkpoint);
  if (holds && (first !== undefined || other.answer.refusal?.error !== 'OwnerAlive'))
    say('race-doubled', 'A stopped owner was overtaken while it held its lock.', { file, seq: first ?? null });
}

/** Whoever comes second finds what the owner had recorded when it was stopped, or after a restored copy nothing of it. */
function standingWrong(snapshot: Snapshot, [, other]: readonly Member[], isInGroups: boolean, say: Say): void {
  const { crash } = snapshot.planned;
  const [first] = other?.wrote ?? [];
  if (crash?.model !== 'zombie' || first === undefined) return;
  const standing = addedEvents(snapshot).filter(({ seq }) => seq < first);
  const at = { file: snapshot.state.ledgerFile, seq: standing.at(-1)?.seq ?? first };
  if (crash.defeat === 'folder-restored') {
    if (standing.length > 0) say('race-doubled', 'The owner wrote into the folder that was put in the place of its own.', at);
    return;
  }
  const departure = departureFrom(crash.stop, standing, isInGroups);
  if (departure === null) return;
  if (departure.isMore) say('race-doubled', 'The owner wrote after it had been stopped.', at);
  else say('race-lost', 'The record lacks what the owner had recorded when it was stopped.', at);
}

/** A late owner may send what it had committed to; it appends nothing, in the folder that it kept either. */
function movedAwayWrong(snapshot: Snapshot, isInGroups: boolean, say: Say): void {
  const { movedAway, planned } = snapshot;
  if (movedAway === undefined || planned.crash?.model !== 'zombie') return;
  const departure = departureFrom(planned.crash.stop, addedEvents(snapshot, movedAway), isInGroups);
  if (departure === null) return;
  const at = { file: movedAway.ledgerFile, seq: departure.seq };
  if (departure.isMore) say('race-doubled', 'The owner wrote into the folder that was moved away from it.', at);
  else say('race-lost', 'The folder that was moved away lacks what its owner had recorded when it was stopped.', at);
}

/**
 * An effect of a key beyond the first is paid for by a decision that was spent, or by a person's word that the first was not served. An
 * owner whose lock was defeated may still send the one request that it had committed to: that duplicate shows in the outcome.
 */
function effectsWrong(snapshot: Snapshot, say: Say): void {
  const before = snapshot.base === undefined ? undefined : countEffects(need(snapshot.base.receipts)).byKey;
  const history = historyOf(need(snapshot.ledger).events);
  const { crash } = snapshot.planned;
  const late = crash?.model === 'zombie' && crash.defeat !== 'none' ? 1 : 0;
  for (const [key, effects] of countEffects(need(snapshot.receipts)).byKey) {
    const isAdded = effects > (before?.get(key) ?? 0);
    if (isAdded && effects > 1 + late + answeredFor(history, key))
      say('race-doubled', 'A key has an effect that nobody decided to pay for again.', { file: snapshot.file('receipts.jsonl') });
  }
}

function answeredFor({ calls }: History, key: string): number {
  return [...calls.values()]
    .filter((call) => call.key === key)
    .flatMap(({ attempts, duplicatesAccepted, reconciliations }) => {
      const stated = reconciliations.filter(({ basis }) => basis === 'operator_statement');
      const words = new Set([...duplicatesAccepted, ...stated].map(({ seq }) => seq));
      return attempts.filter(({ cites }) => cites !== undefined && words.has(cites));
    }).length;
}
