/**
 * What an owner that was stopped and whoever acted meanwhile may have done to one session (G44). The lease decides whether they follow each
 * other: while it is held, the other is refused; where it was taken away, the owner's part ends where it was stopped as soon as the other has
 * appended; before it was taken, the other acts alone and the owner comes second.
 */
import { isOpenFor, isUnfinished, mayBeSaidAgain } from '../../model/sessions/open-for.js';
import type { History } from '../../model/sessions/history.js';
import type { GroupCrash } from '../../read/plan.js';
import type { Actor } from '../actors.js';
import { need } from '../check.js';
import { standsAt } from './commit-place.js';
import { addedFrames, historyIn } from './derived.js';
import { leavesOpen, type Group } from './groups.js';
import { refusalWrong } from './refusals.js';
import { hasRefused, historyUpTo, stopsWithLease, whenBegun } from './tenures.js';

type Zombie = Extract<GroupCrash, { model: 'zombie' }>;

/** Where the part of the owner ended. */
interface Stand {
  /** It cannot have gone on: another has appended, or its folder is another one. */
  readonly isCutOff: boolean;
  /** What its log said when it was stopped. */
  readonly own: History;
  /** What the log at the path said then, and the other found. */
  readonly found: History;
}

export function zombieWrong(group: Group): void {
  const { snapshot, members, tenures, doubled } = group;
  const { crash } = snapshot.planned;
  const [owner, other] = members;
  if (crash?.model !== 'zombie' || owner === undefined || other === undefined) return;
  for (const { actor, first } of tenures)
    if (actor === undefined) doubled('A tenure was begun when nobody was left to begin one.', { seq: first });
  const holds = stopsWithLease(snapshot);
  movedAwayWrong(group, crash);
  if (!holds) {
    memberWrong(group, other, whenBegun(snapshot));
    return memberWrong(group, owner, historyIn(snapshot));
  }
  const stand = standWrong(group, crash);
  if (crash.defeat === 'none') notOvertaken(group, other);
  else memberWrong(group, other, stand.found);
  ownerWrong(group, owner, stand);
}

/** Somebody who asks while the owner stands is told that it lives. */
function notOvertaken({ tenures, doubled }: Group, { role }: Actor): void {
  if (need(role.answer).refusal?.error === 'OwnerAlive') return;
  const file = role.file('answer.json');
  doubled('A stopped owner was overtaken while it held its lease.', { file, seq: tenures[1]?.first ?? null });
}

/** What the owner had recorded in the folder at the path; a restored copy has nothing of it. */
function standWrong({ snapshot, tenures, doubled, lost }: Group, { stop, defeat }: Zombie): Stand {
  const begun = whenBegun(snapshot);
  if (defeat === 'folder-restored' && snapshot.movedAway !== undefined)
    return { isCutOff: true, found: begun, own: historyIn({ state: snapshot.movedAway }) };
  const [own, later] = tenures;
  const isCutOff = later !== undefined || defeat === 'folder-replaced';
  const end = standsAt(stop, own?.frames ?? []);
  if (own === undefined || end === null) {
    lost('The log lacks what the owner had recorded when it was stopped.');
    return { isCutOff, found: begun, own: begun };
  }
  const next = own.frames.find(({ seq }) => seq > end.seq);
  if (isCutOff && next !== undefined) doubled('The owner appended after it had been stopped.', { seq: next.seq });
  const stopped = historyUpTo(snapshot, end.seq + 1);
  return { isCutOff, found: stopped, own: stopped };
}

/** A late owner may send what it had committed to; it appends nothing, in the folder that it kept either. */
function movedAwayWrong({ snapshot, doubled, lost }: Group, { stop }: Zombie): void {
  const { movedAway } = snapshot;
  if (movedAway === undefined) return;
  const frames = addedFrames(snapshot, movedAway);
  const end = stopsWithLease(snapshot) ? standsAt(stop, frames) : null;
  const { logFile: file } = movedAway;
  if (end === null && stopsWithLease(snapshot))
    return lost('The folder that was moved away lacks what its owner had recorded when it was stopped.', { file });
  const next = frames.find(({ seq }) => seq > (end?.seq ?? 0));
  if (next !== undefined) doubled('The owner appended to the folder that was moved away from it.', { file, seq: next.seq });
}

/** Of a process that found nobody in its way, by the log as it found it. */
function memberWrong({ snapshot, bundle, tenures, lost }: Group, member: Actor, found: History): void {
  const { role } = member;
  const at = { file: role.file('answer.json') };
  const { refusal, status } = need(role.answer);
  if (hasRefused(member)) {
    if (refusal?.error === 'OwnerAlive') lost('A process was refused because of an owner that held no lease.', at);
    else if (refusalWrong(snapshot, role, bundle, found) !== null)
      lost('A process was refused for a reason that is not in the log that it found.', at);
    return;
  }
  const index = tenures.findIndex(({ actor }) => actor?.role === role);
  if (index < 0) {
    if (!mayBeSaidAgain(member) || isOpenFor(member, found))
      lost('What the process says it carried out is not in the record.', at);
    return;
  }
  const after = tenures[index + 1]?.first;
  const left = after === undefined ? historyIn(snapshot) : historyUpTo(snapshot, after);
  if (status === 'failed' && leavesOpen(member, left))
    lost('A process failed that nobody had overtaken, and left its run open.', at);
}

/** Of an owner that had begun: it went on to its end, or was cut off and says so where something was left. */
function ownerWrong({ snapshot, doubled, lost }: Group, owner: Actor, { isCutOff, own }: Stand): void {
  const at = { file: owner.role.file('answer.json') };
  if (hasRefused(owner)) return doubled('A process that was refused had appended.', at);
  const { status } = need(owner.role.answer);
  if (!isCutOff && status === 'failed' && leavesOpen(owner, historyIn(snapshot)))
    lost('A process failed that nobody had overtaken, and left its run open.', at);
  if (isCutOff && status === 'completed' && isUnfinished(owner, own))
    lost('The owner says that it carried out what was open when it was cut off.', at);
}
