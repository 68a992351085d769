/**
 * G5: A kill counts only if the harness sent SIGKILL after the process announced the armed place (or the provider held its request)
 * with its nonce and pid, the process ended by signal 9 and by nothing else, and nobody of its group was left; every other role
 * ended by itself as its answer says, and left nobody behind.
 * Verified: the armed place against the plan, the line on descriptor 3, nonces over the whole bundle, the order of the timeline, the
 * wait status, survivors; that a process sent nothing while it stood at its place; for a process that the plan does not kill, its exit code against its answer, and what a tracer told of its end against both; of a race, that all were
 * released after all had announced, and how many were at once; of a stopped owner, that the other lived while it was stopped.
 * Not verified: that the harness told the truth about what it saw; processes outside group and cgroup.
 */
import type { Process } from '../contract/types.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import type { LossEvidence } from '../read/loss.js';
import { leavesAnswer } from '../read/plan.js';
import type { RoleEvidence } from '../read/role.js';
import { countOf } from '../read/ratchet.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { ownLines } from './derived.js';
import { groupWrong } from './group-timeline.js';
import { firstHolder, nonceName } from './identities.js';
import { parkedAt, type Place } from './parking.js';
import type { SubjectModel } from './subject-model.js';

type Moment = Process['timeline'][number]['what'];
type Unproven = (detail: string, file?: string) => void;

/** A role that refused its input because the owner lives exits 64; any other that answered exits 0. */
const refusedInput = 64;

export const g05: CaseCheck = {
  guarantee: 'G5',
  sentence:
    'A kill counts only if the harness sent SIGKILL after the process announced the armed place (or the provider held its request) with its nonce and pid, or the tracer killed it before the armed system call and says so, the process ended by signal 9 and by nothing else, and nobody of its group was left; every other role ended by itself as its answer says, and left nobody behind.',
  covers:
    'the armed place, the line on descriptor 3, nonces over the whole bundle, the timeline, the wait status, survivors, requests of a process that stood at its place; the exit code and the answer of what was not to be killed; what several processes did at once',
  doesNotCover: 'whether the harness recorded what it saw; processes that left both group and cgroup',
  codes: ['kill-unproven'],
  scope: 'case',
  across: true,
  check: ({ snapshots }, bundle, model) =>
    perSnapshot(
      snapshots,
      ({ roles }) => roles.length,
      (snapshot, say) => {
        if ((snapshot.inspector.value?.left_behind ?? []).length > 0)
          say('kill-unproven', 'An inspector left processes behind.', { file: snapshot.file('inspector.json') });
        for (const role of snapshot.roles) {
          roleWrong(bundle, model, snapshot, role, (detail, file = 'process.json') =>
            say('kill-unproven', detail, { file: role.file(file) }),
          );
        }
        const wrong = snapshot.group === undefined ? null : groupWrong(snapshot, need(snapshot.group));
        if (wrong !== null) say('kill-unproven', wrong, { file: snapshot.file('group.json') });
        return snapshot.roles.length;
      },
    ),
};

function roleWrong(bundle: Bundle, model: SubjectModel, snapshot: Snapshot, role: RoleEvidence, unproven: Unproven): void {
  const record = need(role.process);
  const { kill } = snapshot.planned;
  if (record.survivors.length > 0) unproven('Somebody of the group was left.');
  // Whoever is left behind is looked for in the group.
  if (!record.confinement.process_group || record.pgid !== record.pid) unproven('The process did not lead a group of its own.');
  timelineWrong(record, momentsOf(snapshot, role), unproven);
  nonceWrong(bundle, role, record, unproven);
  const place = parkedAt(snapshot, role);
  armedWrong(role, record, place, armedElsewhere(snapshot), unproven);
  if (snapshot.planned.traced !== null) tracedWrong(snapshot, record, unproven);
  if (snapshot.loss !== undefined) watchedWrong(snapshot.loss, record, unproven);
  wentOn(snapshot, model, record, unproven);
  if (kill === null) {
    const mayLackAnswer = !leavesAnswer(snapshot.planned) && !role.has('answer.json');
    return mayLackAnswer ? unansweredEnd(record, unproven) : ownEnd(role, record, unproven);
  }
  if (record.exit.signal !== 'SIGKILL' || record.exit.code !== null) unproven('The process did not end by signal 9.');
  if (kill.at === 'held') heldWrong(snapshot, record, unproven);
}

/** What the timeline must hold, once each and in this order, and nothing else. */
function momentsOf({ planned: { kill, crash } }: Snapshot, { member }: RoleEvidence): Moment[] {
  const between = ((): Moment[] => {
    // A tracer sends no signal that the harness could see.
    if (kill?.at === 'call') return [];
    if (kill !== null) return [kill.at === 'held' ? 'held' : 'announced', 'sigkill_sent'];
    if (crash?.model === 'race') return ['announced', 'released'];
    if (crash?.model !== 'zombie' || member !== 'owner') return [];
    const defeat: Moment[] = crash.defeat === 'none' ? [] : ['folder_defeated'];
    return ['announced', 'sigstop_sent', 'stopped', ...defeat, 'released', 'sigcont_sent'];
  })();
  return ['spawned', ...between, 'exit_seen', 'group_empty'];
}

function timelineWrong({ timeline }: Process, moments: readonly Moment[], unproven: Unproven): void {
  if (timeline.some(({ what }) => what === 'deadline')) return unproven('A deadline passed.');
  const seen = [...timeline].sort((left, right) => Number(BigInt(left.monotonic_ns) - BigInt(right.monotonic_ns)));
  const inOrder = seen.map(({ what }) => what).join() === moments.join();
  // Two moments of one instant have no order.
  const apart = new Set(timeline.map(({ monotonic_ns: ns }) => ns)).size === timeline.length;
  if (!inOrder || !apart) unproven(`What was seen is not ${moments.join(', ')}, once each and one after the other.`);
}

function nonceWrong(bundle: Bundle, role: RoleEvidence, record: Process, unproven: Unproven): void {
  const holder = firstHolder(bundle, nonceName(record));
  if (holder !== undefined && holder.part !== role) unproven('The nonce was that of another process before.');
}

function ownEnd({ answer }: RoleEvidence, { exit, left_behind: left }: Process, unproven: Unproven): void {
  if (left.length > 0) unproven('A role that ended by itself left processes behind.');
  const code = need(answer).refusal?.error === 'OwnerAlive' ? refusedInput : 0;
  if (exit.signal !== null || exit.code !== code)
    unproven(`The process did not end by itself with exit ${code}, as its answer says.`);
}

/** A role for which a call failed need not come to its answer; it ends by itself all the same, and does not say that all is well. */
function unansweredEnd({ exit, left_behind: left }: Process, unproven: Unproven): void {
  if (left.length > 0) unproven('A role that ended by itself left processes behind.');
  if (exit.signal !== null || exit.code === null || exit.code === 0)
    unproven('The process did not end by itself with an error, and has no answer.');
}

/** In the process there may be nothing to arm: the provider holds its request, or a tracer kills it before a call. */
function armedElsewhere({ planned: { kill, traced } }: Snapshot): string | null {
  if (kill?.at === 'held') return 'held';
  const call = traced?.call ?? null;
  return call === null ? null : `syscall:${call.name}#${call.nth}`;
}

/** The tracer’s last word is the call before which it killed, which never came back; elsewhere every call came back, and the role ended by itself. */
function tracedWrong(snapshot: Snapshot, { pid, exit }: Process, unproven: Unproven): void {
  const { kill, traced } = snapshot.planned;
  const { calls, end } = need(snapshot.trace);
  const wrong = (detail: string): void => unproven(detail, 'trace.txt');
  if ([end, ...calls].some((one) => one.pid !== pid)) wrong('The tracer tells of another process or thread.');
  if ((end.code === null) !== (kill !== null) || end.code !== exit.code) wrong('The tracer tells another end of the process.');
  // Of faults G48 speaks.
  if (traced?.ratchet.model === 'syscall-kill' && calls.some(({ injected }) => injected !== null))
    wrong('The tracer had a call fail, and was only to kill or to watch.');
  const open = calls.filter(({ isOpen }) => isOpen);
  if (kill === null) {
    if (open.length > 0) wrong('A call never came back although nobody was killed.');
    return;
  }
  const last = calls.at(-1);
  if (open.length !== 1 || last !== open[0]) wrong('The last call is not the only one that never came back.');
  if (last?.name !== traced?.call?.name || countOf(calls, last?.name ?? '') !== traced?.call?.nth)
    wrong('The tracer did not kill before the armed call.');
}

/** Under power loss the tracer kills nobody: it tells of the role, up to its own end. */
function watchedWrong({ derivation }: LossEvidence, { pid, exit }: Process, unproven: Unproven): void {
  const { end } = need(derivation).trace;
  if (end.pid !== pid) unproven('The tracer tells of another process or thread.', 'trace.txt');
  if (end.code === null || end.code !== exit.code) unproven('The tracer tells another end of the process.', 'trace.txt');
}

function armedWrong(
  role: RoleEvidence,
  record: Process,
  place: Place | null,
  elsewhere: string | null,
  unproven: Unproven,
): void {
  const file = 'checkpoint.jsonl';
  const wanted = place === null ? elsewhere : `${place.checkpoint}#${place.occurrence}`;
  if (record.armed !== wanted)
    unproven(wanted === null ? 'A process was armed that the plan does not kill.' : 'The armed place is not the planned one.');
  if (place === null) {
    if (!role.has(file)) return;
    if (elsewhere !== null) unproven('A process that was to be killed elsewhere announced a checkpoint.', file);
    else unproven('A process announced a place although none was armed.', file);
    return;
  }
  const lines = role.has(file) ? need(role.checkpoint) : [];
  const [line] = lines;
  if (line === undefined || lines.length !== 1) return unproven('There is not exactly one line from descriptor 3.', file);
  if (line.checkpoint !== place.checkpoint || line.occurrence !== place.occurrence)
    unproven('Another place was announced.', file);
  if (line.nonce !== record.nonce) unproven('The announced nonce is not that of the process.', file);
  if (line.pid !== record.pid) unproven('The announced pid is not that of the process.', file);
}

/** A process that stands at its place sends nothing until it is released, and one that is killed there never again. */
function wentOn(snapshot: Snapshot, model: SubjectModel, { pid, timeline }: Process, unproven: Unproven): void {
  const at = (wanted: Moment): bigint | undefined => {
    const moment = timeline.find(({ what }) => what === wanted);
    return moment === undefined ? undefined : BigInt(moment.monotonic_ns);
  };
  const [announced, released] = [at('announced'), at('released')];
  if (announced === undefined || snapshot.receipts.value === undefined) return;
  // Of several processes, a request whose peer is not known may be that of any.
  const isOwn = (peer: number | null): boolean => (peer === null ? snapshot.roles.length === 1 : peer === pid);
  const isBetween = (time: bigint): boolean => time > announced && (released === undefined || time < released);
  const late = ownLines(snapshot).filter(({ peer_pid: peer, monotonic_ns: ns }) => isOwn(peer) && isBetween(BigInt(ns)));
  if (late.some((line) => !model.isAmongSeveral(snapshot, line)))
    unproven('The process sent a request while it stood at its place.', 'process.json');
}

/** Harness and provider read one clock: what was held had been received, or had been seen on its way. */
function heldWrong(snapshot: Snapshot, { timeline }: Process, unproven: Unproven): void {
  const held = timeline.find(({ what }) => what === 'held');
  const { all = [], delayed = [] } = snapshot.receipts.value ?? {};
  const lines = [all.at(-1)?.received, delayed.at(-1)?.line].filter((line) => line !== undefined);
  const last = lines.sort((left, right) => left.seq - right.seq).at(-1);
  if (held === undefined || last === undefined) return;
  if (BigInt(last.monotonic_ns) > BigInt(held.monotonic_ns))
    unproven('The request was received after it was seen held.', 'receipts.jsonl');
}
