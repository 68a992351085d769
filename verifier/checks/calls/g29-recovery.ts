/**
 * G29: A recovery did what the record named, and each of its events says which process did it under which version.
 * Verified: every event that bears the mark of a recovery against the contract's table and the record just before it; that what bears
 * none follows from an attempt or a call begun there; pid, operation and version of the mark; the operations that a role tells of
 * against those that the record shows, each as far as it goes and none left undone; the operation and the hazard that a refusal names, and that nothing
 * moved.
 * Not verified: what the straight path appends, which is judged as that of a producer; the pid of what bears no mark.
 */
import { carriedOut, mayCarryOut, recoveryOf, recoveryProblems } from '../../model/calls/recovery.js';
import { workStates } from '../../model/calls/work-state.js';
import type { Answer, Event } from '../../contract/types.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { isCut } from '../../read/plan.js';
import type { StateEvidence } from '../../read/state.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import { actorsOf, type Actor } from '../actors.js';
import { hazardWrong } from './hazard.js';
import { isExternal } from '../derived.js';
import { addedEvents, inheritedCount, isUnchanged } from './derived.js';

export const g29: CaseCheck = {
  guarantee: 'G29',
  sentence: 'A recovery did what the record named, and each of its events says which process did it under which version.',
  covers:
    'every event of a recovery against the record before it, its process and its version; the operations that a role tells of; the operation and the hazard that a refusal names, and that nothing moved',
  doesNotCover: 'what follows from an attempt or a call that a recovery began; the process of an event that bears no mark',
  codes: ['recovery-unlawful'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(snapshots, plannedRoles, (snapshot, say) => {
      const actors = actorsOf(snapshot);
      const { state, movedAway } = snapshot;
      let marks = marksJudged(snapshot, state, actors, bundle, say);
      // Nobody but its owner knows where the folder went.
      if (movedAway !== undefined) marks += marksJudged(snapshot, movedAway, actors.slice(0, 1), bundle, say);
      for (const actor of actors) if (actor.operation !== null) actorWrong(snapshot, actor, say);
      return marks + plannedRoles(snapshot);
    }),
};

/** How many marked events were judged of one ledger, to which these could write. */
function marksJudged(snapshot: Snapshot, state: StateEvidence, actors: readonly Actor[], bundle: Bundle, say: Say): number {
  const file = state.ledgerFile;
  const isTold = actors.some(({ operation }) => operation !== null);
  for (const { seq, detail } of recoveryProblems(need(state.ledger).events, inheritedCount(snapshot) + 1, isTold))
    say('recovery-unlawful', detail, { file, seq });
  const marked = addedEvents(snapshot, state).filter((event) => recoveryOf(event) !== undefined);
  for (const event of marked) {
    const wrong = markWrong(event, actors, bundle, snapshot);
    if (wrong !== null) say('recovery-unlawful', wrong, { file, seq: event.seq });
  }
  if (takeTurns(marked)) say('recovery-unlawful', 'Two processes wrote in turns.', { file });
  return marked.length;
}

/** Each role with an operation acts or refuses; a kill may come before it did either. */
function plannedRoles(snapshot: Snapshot): number {
  return actorsOf(snapshot).filter(({ operation }) => operation !== null).length;
}

function markWrong(event: Event, actors: readonly Actor[], bundle: Bundle, snapshot: Snapshot): string | null {
  const { operation, pid, version } = recoveryOf(event) ?? { operation: 'start_call', pid: 0, version: '' };
  const actor = actors.find(({ role }) => need(role.process).pid === pid);
  if (actor === undefined) return 'The process that it names did not act here.';
  const isResume = snapshot.planned.role === 'resume';
  if (!isResume || !mayCarryOut(actor.operation, operation)) return `The process was not told to ${operation}.`;
  const known = versionOf(bundle, snapshot);
  return known === undefined || known === version ? null : `The version is ${version}; what ran was ${known}.`;
}

/** The product's own version; a subject of one's own has another, of which the bundle knows nothing. */
function versionOf({ execution }: Bundle, snapshot: Snapshot): string | undefined {
  return isExternal(snapshot) ? undefined : need(execution).versions.packages.killpoint;
}

function takeTurns(marked: readonly Event[]): boolean {
  const pids = marked.map((event) => recoveryOf(event)?.pid);
  const turns = pids.filter((pid, index) => pid !== pids[index - 1]);
  return new Set(turns).size !== turns.length;
}

function actorWrong(snapshot: Snapshot, { role, killed, operation }: Actor, say: Say): void {
  const answer = killed ? null : need(role.answer);
  if (answer === null) return;
  const unlawful = (detail: string): void => say('recovery-unlawful', detail, { file: role.file('answer.json') });
  const { pid } = need(role.process);
  const done = carriedOut(addedEvents(snapshot)).filter((one) => one.pid === pid);
  const [told, shown] = [answer.operations ?? [], done.map(({ operation }) => operation)];
  // A late owner cannot know what became of what it began.
  const isJudged = answer.status === 'completed' || snapshot.group === undefined;
  if (isJudged && told.join() !== shown.join())
    unlawful(`The role tells of ${told.join(', ') || 'no operation'}; the record shows ${shown.join(', ') || 'none'}.`);
  if (answer.status === 'completed' && done.some(({ isWhole }) => !isWhole))
    unlawful('An operation was not carried out to its end.');
  if (answer.status !== 'refused' && isUndone(snapshot, operation, shown, answer.status))
    unlawful('The role came to its end, and what it was told to carry out is still to be done.');
  if (answer.status !== 'refused') return;
  const misnamed =
    wordWrong(snapshot, operation, answer.refusal) ??
    refusalWrong(snapshot, answer.refusal) ??
    (answer.refusal && hazardWrong(snapshot, operation, answer.refusal));
  if (misnamed !== null) unlawful(misnamed);
  if (snapshot.group === undefined && !isUnchanged(snapshot))
    unlawful('The role refused and yet the ledger or the receipts moved.');
}

/** Here a person is needed, or nothing is left: whoever recovers stops there and nowhere else. */
const stops: ReadonlySet<string> = new Set(['none', 'check_and_accept', 'decide', 'fix_inputs']);

/** Among several processes another may have carried it out. A role fails also where it does not know what became of what it sent, or could not record. */
function isUndone(snapshot: Snapshot, told: Actor['operation'], shown: readonly string[], status: Answer['status']): boolean {
  if (snapshot.group !== undefined) return false;
  if (status === 'failed' && isCut(snapshot.planned)) return false;
  if (told !== 'recover') return shown.length === 0;
  const isStop = (next: string): boolean => stops.has(next) || (status === 'failed' && next === 'reconcile_effect');
  return workStates(need(snapshot.ledger).events).some(({ task }) => !isStop(task.next_operation));
}

/** Whoever is alone is overtaken by nobody, and what was told an operation is refused as a recovery. */
function wordWrong({ group }: Snapshot, told: Actor['operation'], refusal: Answer['refusal']): string | null {
  if (group !== undefined || refusal === null) return null;
  const isForeign = refusal.error === 'Overtaken' || (told !== null && refusal.error === 'ResumeRefused');
  return isForeign ? `The process was alone, and was refused by the word ${refusal.error}.` : null;
}

/** Among several processes the record may have moved between reading it and refusing. */
function refusalWrong(snapshot: Snapshot, refusal: Answer['refusal']): string | null {
  if (refusal?.error !== 'RecoveryRefused') return null;
  if (refusal.operation === null) return refusal.drift.length > 0 ? null : 'The refusal names no operation.';
  const { events } = need(snapshot.ledger);
  const first = snapshot.group === undefined ? events.length : inheritedCount(snapshot);
  for (let length = first; length <= events.length; length += 1)
    if (projected(events.slice(0, length), refusal.call_id).includes(refusal.operation)) return null;
  return `The refusal names ${refusal.operation}, which the record does not.`;
}

/** What the record names: for the task, and for what a refusal is about. */
function projected(events: readonly Event[], on: string | null): string[] {
  const states = workStates(events);
  // Without a task there is nothing to do.
  if (states.length === 0) return on === null ? ['none'] : [];
  return states.flatMap(({ task, calls, compilations }) => [
    ...(on === null || on === task.on ? [task.next_operation] : []),
    ...calls.filter(({ call_id: id }) => id === on).map(({ next_operation: next }) => next),
    ...compilations.filter(({ compilation_id: id }) => id === on).map(({ next_operation: next }) => next),
  ]);
}
