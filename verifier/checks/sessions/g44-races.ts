/**
 * G44: Of several processes that acted on one session, exactly one carried out what was open, and each other was refused or told what was on
 * record, and appended nothing; a stopped owner is never overtaken while it holds its lease, and appends nothing after another owner has.
 * Verified: of a race, that it added one tenure, by a process that was not refused; of a stopped owner, that nobody came between while it
 * held its lease, that what it had recorded when it was stopped stands, in a folder that was moved away too, and that it added nothing to it
 * once another owner had, or once its folder was another one; of both, that each process which says that it acted has its tenure, and left
 * nothing open; that the requests of a tenure came from one process, and none from one that was refused; that the reason of every refusal
 * was there when it was given, and lies in what another one did.
 * Not verified: that the processes overlapped, of which the harness tells; whose a request is whose peer the system did not tell; which of
 * several that were told the same had the tenure; the naive restart, which acts on what it finds by its nature.
 *
 * Two of a race may act one after the other in one case: the first closes a run out, and the next who recovers the session, or says it again,
 * drains the message that waits behind it.
 */
import { isOpenFor, mayBeSaidAgain, mayFollow } from '../../model/sessions/open-for.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { actorsOf } from '../actors.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import type { SubjectModel } from '../subject-model.js';
import { historyIn } from './derived.js';
import { leavesOpen, type Group } from './groups.js';
import { refusalWrong } from './refusals.js';
import { sendersWrong } from './senders.js';
import { zombieWrong } from './stopped-owner.js';
import { addedTenures, hasRefused, historyUpTo, whenBegun } from './tenures.js';

export const g44: CaseCheck = {
  guarantee: 'G44',
  sentence:
    'Of several processes that acted on one session, exactly one carried out what was open, and each other was refused or told what was on record, and appended nothing; a stopped owner is never overtaken while it holds its lease, and appends nothing after another owner has.',
  covers:
    'the answers of all members of a group, every tenure and every request that they added, what a stopped owner had recorded, the end of a folder that was moved away',
  doesNotCover:
    'whether the members overlapped; requests whose peer the system did not tell; which of several that were told the same had the tenure; races of the naive restart',
  codes: ['session-race-doubled', 'session-race-lost'],
  scope: 'case',
  check: ({ snapshots }, bundle, model) =>
    perSnapshot(
      snapshots.filter(({ planned }) => planned.crash !== null && planned.role === 'resume'),
      () => 1,
      (snapshot, say) => {
        const group = groupOf(snapshot, bundle, model, say);
        if (snapshot.planned.crash?.model === 'race') raceWrong(group);
        else zombieWrong(group);
        sendersWrong(group);
      },
    ),
};

function groupOf(snapshot: Snapshot, bundle: Bundle, model: SubjectModel, say: Say): Group {
  const at = (file: string | null, seq: number | null) => ({ file: file ?? snapshot.state.logFile, seq });
  return {
    ...{ snapshot, bundle, model, members: actorsOf(snapshot), tenures: addedTenures(snapshot) },
    doubled: (detail, { seq = null, file = null } = {}) => say('session-race-doubled', detail, at(file, seq)),
    lost: (detail, { seq = null, file = null } = {}) => say('session-race-lost', detail, at(file, seq)),
  };
}

function raceWrong(group: Group): void {
  const { snapshot, members, tenures, doubled, lost } = group;
  const [told] = members;
  if (told === undefined) return;
  const acted = members.filter((member) => !hasRefused(member));
  for (const { first } of tenures.slice(1))
    if (!mayFollow(told, historyUpTo(snapshot, first)))
      doubled('A process acted on what another one had carried out or was about to.', { seq: first });
  if (!mayBeSaidAgain(told))
    for (const { role } of acted.slice(1)) doubled('More than one process was not refused.', { file: role.file('answer.json') });
  const beyond = tenures[acted.length];
  if (beyond !== undefined) doubled('A process that was refused had appended.', { seq: beyond.first });
  if (tenures.length === 0 && !isNothingOpen(group)) lost('Nobody carried out what was open.');
  for (const member of acted)
    if (need(member.role.answer).status === 'failed' && leavesOpen(member, historyIn(snapshot)))
      lost('A process failed that nobody had overtaken, and left its run open.', { file: member.role.file('answer.json') });
  // Where all refused, each of them was alone with the log, and G43 says whether its reason is there.
  if (acted.length > 0) refusalsWrong(group);
}

/** Every one of them was refused for what the log says, or was told that it is done. */
function isNothingOpen({ snapshot, members }: Group): boolean {
  if (members.every(hasRefused)) return members.some(({ role }) => need(role.answer).session_refusal !== undefined);
  return members.every((member) => mayBeSaidAgain(member) && !isOpenFor(member, whenBegun(snapshot)));
}

/** The owner lived, or what it did is the reason; what had been a reason before any of them acted would have been one for all. */
function refusalsWrong({ snapshot, bundle, members, lost }: Group): void {
  for (const { role } of members.filter(hasRefused)) {
    if (need(role.answer).refusal?.error === 'OwnerAlive') continue;
    const wrong = refusalWrong(snapshot, role, bundle);
    const isOlder = refusalWrong(snapshot, role, bundle, whenBegun(snapshot)) === null;
    if (wrong === null && !isOlder) continue;
    lost('A process was refused for another reason than what the others did.', { file: role.file('answer.json') });
  }
}
