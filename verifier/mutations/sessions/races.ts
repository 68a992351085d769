/** Breaks in what several processes did to one session. */
import { sessionLogV1 } from '../../contract/data.js';
import { actorsOf } from '../../checks/actors.js';
import type { FindingCode } from '../../checks/check.js';
import { barriersOf } from '../../checks/sessions/commit-place.js';
import { stopsWithLease } from '../../checks/sessions/tenures.js';
import { requestKind } from '../../model/sessions/requests.js';
import type { Snapshot } from '../../read/bundle.js';
import type { SessionFrame } from '../../read/session-records.js';
import type { RoleEvidence } from '../../read/role.js';
import type { Editor, Mutation } from '../editor.js';
import { isLeaf, onPlace, type Families, type Place } from '../places.js';
import { addedFrames, inheritedCount } from '../../checks/sessions/derived.js';
import { addedRequests } from '../../checks/derived.js';
import { changeFrames, coverAll, forgedFrames, writeFrames } from './edits.js';

const ownerAlive = { call_id: null, drift: [], error: 'OwnerAlive' as const, hazard: null, operation: null };
const overdone = { reason: 'session_too_large' as const, operation: null, on: null, drift: [] };

type Who = (snapshot: Snapshot) => RoleEvidence | undefined;

/** The first of the members that answered so. */
const who =
  (status: 'completed' | 'refused'): Who =>
  (snapshot) =>
    actorsOf(snapshot).find(({ role }) => role.answer.value?.status === status)?.role;
const [winner, loser] = [who('completed'), who('refused')];

/** A group that nobody continues, of a kind, with one that acted and one that was refused. */
function grouped(fits: (snapshot: Snapshot) => boolean): Place {
  return (editor) =>
    editor.find(
      (snapshot, bundle) =>
        snapshot.planned.crash !== null && isLeaf(snapshot, bundle) && snapshot.log.value?.problem === null && fits(snapshot),
    );
}

const isRace = (snapshot: Snapshot): boolean =>
  snapshot.planned.crash?.model === 'race' && winner(snapshot) !== undefined && loser(snapshot) !== undefined;
const told = ({ planned }: Snapshot): unknown => planned.operation;

/** Of answers to one question. */
const answers = grouped((snapshot) => isRace(snapshot) && told(snapshot) === 'approve');
/** To carry out what was open, with requests whose sender is known. */
const resumes = grouped(
  (snapshot) =>
    isRace(snapshot) && told(snapshot) === null && addedRequests(snapshot).some(({ received }) => received.peer_pid !== null),
);

const isZombie = (snapshot: Snapshot, ...defeats: readonly string[]): boolean => {
  const { crash } = snapshot.planned;
  return crash?.model === 'zombie' && stopsWithLease(snapshot) && defeats.includes(crash.defeat);
};
/** An owner that was stopped with its lease, which kept another one away. */
const kept = grouped((snapshot) => isZombie(snapshot, 'none') && loser(snapshot)?.member === 'other');
/** An owner that was stopped in the middle of a run and lost its lease to another one, which appended. */
const overtaken = grouped((snapshot) => isOvertaken(snapshot));
/** The same of one that had recorded more than one barrier. */
const overtakenLate = grouped((snapshot) => isOvertaken(snapshot) && barriersOf(firstTenure(snapshot)).length > 1);

function isOvertaken(snapshot: Snapshot): boolean {
  const added = addedFrames(snapshot);
  const own = firstTenure(snapshot);
  const isOpen = own.every(({ type }) => type !== 'run_finished');
  return isZombie(snapshot, 'lease-deleted', 'folder-replaced') && told(snapshot) === null && isOpen && own.length < added.length;
}

function firstTenure(snapshot: Snapshot): readonly SessionFrame[] {
  const added = addedFrames(snapshot);
  return added.filter(({ fence }) => fence === added[0]?.fence);
}

/** An owner that was stopped right after an intent, and whose folder was moved away. */
const movedAway = grouped(
  (snapshot) =>
    isZombie(snapshot, 'folder-replaced', 'folder-restored') &&
    snapshot.movedAway?.log.value?.frames.at(-1)?.type === 'tool_dispatch_intent',
);
/** An owner that was stopped before it took the lease, and found everything done. */
const late = grouped(
  (snapshot) =>
    snapshot.planned.crash?.model === 'zombie' &&
    !stopsWithLease(snapshot) &&
    loser(snapshot)?.member === 'owner' &&
    addedFrames(snapshot).length > 0,
);

function onRole(
  find: Place,
  whose: Who,
  name: string,
  codes: readonly FindingCode[],
  change: (editor: Editor, role: RoleEvidence, target: Snapshot) => boolean | void,
): Mutation {
  return onPlace(find, name, codes, (editor, target) => {
    const role = whose(target);
    if (role === undefined || change(editor, role, target) === false) return false;
    coverAll(editor, target);
    return true;
  });
}

function refuse(editor: Editor, role: RoleEvidence, because: 'OwnerAlive' | typeof overdone): void {
  const isAlive = because === 'OwnerAlive';
  editor.memberAnswer(role, (value) => {
    Object.assign(value, { status: 'refused', refusal: isAlive ? ownerAlive : null, replayed: false });
    if (isAlive) delete value.session_refusal;
    else value.session_refusal = { ...because, drift: [] };
  });
  editor.member(role, (value) => void (value.exit = { code: isAlive ? 64 : 0, signal: null }));
}

function complete(editor: Editor, role: RoleEvidence): void {
  editor.memberAnswer(role, (value) => {
    Object.assign(value, { status: 'completed', refusal: null });
    delete value.session_refusal;
  });
  editor.member(role, (value) => void (value.exit = { code: 0, signal: null }));
}

/** The owner is said to have been stopped elsewhere; only the log stays as it was. */
function stopElsewhere(editor: Editor, target: Snapshot, checkpoint: string): boolean {
  const [owner] = target.roles;
  if (owner === undefined) return false;
  editor.plan((plan) => {
    const crash = plan.cases.find(({ id }) => id === target.caseId)?.arms.find(({ id }) => id === target.name)?.crash;
    if (crash?.model === 'zombie') crash.stop = { checkpoint, occurrence: 1 };
  });
  editor.member(owner, (value) => void (value.armed = `${checkpoint}#1`));
  editor.json<object>(owner.file('checkpoint.jsonl'), (line) => void Object.assign(line, { checkpoint, occurrence: 1 }));
  return true;
}

export const raceMutations = {
  'session-race-doubled': [
    onRole(answers, loser, 'two processes say that they answered one question', ['session-race-doubled'], complete),
    onRole(
      answers,
      winner,
      'a process that was refused had answered a question',
      ['scenario-unplanned', 'session-race-doubled', 'session-refusal-acted'],
      (editor, role) => refuse(editor, role, 'OwnerAlive'),
    ),
    onRole(
      resumes,
      loser,
      'a request came from a process that was refused',
      ['session-race-doubled'],
      (editor, { process }, target) => {
        const inherited = target.base?.receipts.value?.lineCount ?? 0;
        editor.receipts(target, (lines) => {
          const sent = lines.findLast(
            (line) => line.kind === 'received' && line.seq > inherited && requestKind(line) === 'model',
          );
          if (sent?.kind === 'received') sent.peer_pid = process.value?.pid ?? null;
        });
      },
    ),
    onRole(
      resumes,
      winner,
      'another process went on in the middle of a run',
      ['resume-misreported', 'session-race-doubled'],
      (editor, _role, target) => {
        let isMade = false;
        changeFrames(editor, target, (frames) => {
          const at = frames.findLastIndex(({ type }) => type === 'step_started');
          const [first, step] = [frames[0], frames[at]];
          if (first === undefined || step === undefined || at <= inheritedCount(target)) return;
          isMade = true;
          const fence = step.fence + 1;
          const tenure = { ...structuredClone(first), seq: 0, synced: -1, fence };
          return [...frames.slice(0, at), tenure, ...frames.slice(at).map((frame) => ({ ...frame, fence }))];
        });
        return isMade;
      },
    ),
    onRole(kept, loser, 'a stopped owner was overtaken', ['session-race-doubled'], (editor, role) =>
      refuse(editor, role, overdone),
    ),
    onRole(
      overtakenLate,
      winner,
      'an owner appended after it had been stopped',
      ['session-race-doubled'],
      (editor, _role, target) => stopElsewhere(editor, target, 'commit'),
    ),
    onRole(
      movedAway,
      winner,
      'an owner appended to the folder that was moved away',
      ['session-race-doubled'],
      (editor, _role, target) => {
        const { movedAway: state } = target;
        if (state === undefined) return false;
        const frames = forgedFrames({ state });
        const last = frames.at(-1);
        if (last === undefined) return false;
        const { run_id, batch_id, tool_call_id } = last.payload;
        const payload = {
          run_id,
          batch_id,
          tool_call_id,
          outcome: 'unknown',
          output: sessionLogV1.texts.unknown,
          is_error: true,
        };
        writeFrames(editor, { state }, [
          ...frames,
          { ...last, type: 'tool_result', payload, seq: last.seq + 1, synced: last.seq },
        ]);
        return true;
      },
    ),
  ],
  'session-race-lost': [
    onRole(answers, winner, 'nobody answered a question that was open', ['session-race-lost'], (editor, role, target) => {
      changeFrames(editor, target, (frames) => frames.slice(0, inheritedCount(target)));
      refuse(editor, role, 'OwnerAlive');
      for (const other of target.roles) if (other !== role) refuse(editor, other, 'OwnerAlive');
    }),
    onRole(
      answers,
      winner,
      'what a process says it answered is not on record',
      ['scenario-unplanned', 'session-race-lost'],
      (editor, _role, target) => changeFrames(editor, target, (frames) => frames.slice(0, inheritedCount(target))),
    ),
    onRole(answers, loser, 'a process was refused for want of room', ['session-race-lost'], (editor, role) =>
      refuse(editor, role, overdone),
    ),
    onRole(
      overtaken,
      winner,
      'what an owner had recorded when it was stopped is gone',
      ['session-race-lost'],
      (editor, _role, target) => stopElsewhere(editor, target, 'run_finished'),
    ),
    onRole(overtaken, ({ roles }) => roles[0], 'an owner that was cut off says that it is done', ['session-race-lost'], complete),
    onRole(late, loser, 'a process was refused because of an owner that was gone', ['session-race-lost'], (editor, role) =>
      refuse(editor, role, 'OwnerAlive'),
    ),
  ],
} satisfies Families;
