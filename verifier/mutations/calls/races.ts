/** Breaks in what several processes did to one state. */
import { changeEvents, coverAll } from './edits.js';
import type { Event } from '../../contract/types.js';
import { actorsOf } from '../../checks/actors.js';
import type { FindingCode } from '../../checks/check.js';
import { addedEvents, inheritedCount } from '../../checks/calls/derived.js';
import { recoveryOf } from '../../model/calls/recovery.js';
import type { Snapshot } from '../../read/bundle.js';
import type { RoleEvidence } from '../../read/role.js';
import type { StateEvidence } from '../../read/state.js';
import type { Editor, Mutation } from '../editor.js';
import { foretellLess, isLeaf, onPlace, type Place } from '../places.js';

/** A race to finalize a call, which one process won. */
const raced: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const { crash, operation } = snapshot.planned;
    return crash?.model === 'race' && operation === 'finalize' && isLeaf(snapshot, bundle) && winnerOf(snapshot) !== undefined;
  });

/** An owner that was stopped while it held its lock, and another process that was refused because of it. */
const notOvertaken: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const { crash } = snapshot.planned;
    if (crash?.model !== 'zombie' || crash.defeat !== 'none' || !isLeaf(snapshot, bundle)) return false;
    return loserOf(snapshot)?.answer.value?.refusal?.error === 'OwnerAlive' && loserOf(snapshot)?.member === 'other';
  });

/** An owner that had written, and another process that did more than one thing while it was stopped. */
const overtaken: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    if (snapshot.planned.crash?.model !== 'zombie' || !isLeaf(snapshot, bundle)) return false;
    const marked = addedEvents(snapshot).filter(isMarked);
    const pids = marked.map((event) => recoveryOf(event)?.pid);
    const isLate = pids[0] !== pids.at(-1) && pids.filter((pid) => pid === pids.at(-1)).length > 1;
    // A reconciliation was asked for by whoever the provider heard.
    return isLate && marked.at(-1)?.type !== 'effect.reconciled';
  });

/** An owner whose folder was moved away, with an intent that only it holds, or that the folder at the path holds as well. */
const movedAway =
  (isShared: boolean): Place =>
  (editor) =>
    editor.find(({ movedAway: folder, ledger }) => {
      const last = folder?.ledger.value?.events.at(-1);
      const shared = ledger.value?.events.some(({ digest }) => digest === last?.digest);
      return last?.type === 'attempt.started' && shared === isShared;
    });

/** A change in the folder that was moved away, and the inventory of it. */
function onMovedAway(
  isShared: boolean,
  name: string,
  codes: readonly FindingCode[],
  change: (editor: Editor, folder: StateEvidence) => void,
): Mutation {
  return onPlace(movedAway(isShared), name, codes, (editor, target) => {
    if (target.movedAway === undefined) return false;
    change(editor, target.movedAway);
    editor.coverFiles(target);
    return true;
  });
}

const broken = { content_type: null, delivery: 'broken', detail: 'reset', response_sha256: null, status: null };

function isMarked(event: Event): boolean {
  return recoveryOf(event) !== undefined;
}

function winnerOf(snapshot: Snapshot): RoleEvidence | undefined {
  return actorsOf(snapshot).find(({ role }) => role.answer.value?.status === 'completed')?.role;
}

function loserOf(snapshot: Snapshot): RoleEvidence | undefined {
  return actorsOf(snapshot).find(({ role }) => role.answer.value?.status === 'refused')?.role;
}

/** A change in one of the processes; none where the group has no such. */
function onRole(
  find: Place,
  who: (snapshot: Snapshot) => RoleEvidence | undefined,
  name: string,
  codes: readonly FindingCode[],
  change: (editor: Editor, role: RoleEvidence, target: Snapshot) => void,
): Mutation {
  return onPlace(find, name, codes, (editor, target) => {
    const role = who(target);
    if (role === undefined) return false;
    change(editor, role, target);
    foretellLess(editor, target);
    return true;
  });
}

/** The last mark names another of the processes. */
function takeOver(editor: Editor, role: RoleEvidence, target: Snapshot): void {
  changeEvents(editor, target, (events) => {
    const recovery = events.findLast(isMarked)?.payload.recovery as { pid: number } | undefined;
    if (recovery !== undefined) recovery.pid = role.process.value?.pid ?? 0;
  });
  coverAll(editor, target);
}

const ownerAlive = { call_id: null, drift: [], error: 'OwnerAlive' as const, hazard: null, operation: null };

export const raceMutations = {
  'race-doubled': [
    // It tells of nothing that it carried out, so that only the record can show that it did not.
    onRole(raced, loserOf, 'two processes say that they completed', ['race-doubled', 'race-lost'], (editor, role) => {
      editor.memberAnswer(role, (value) => void Object.assign(value, { status: 'completed', refusal: null, operations: [] }));
      editor.member(role, (value) => void (value.exit = { code: 0, signal: null }));
    }),
    onRole(raced, loserOf, 'a process that was refused had written', ['race-doubled', 'recovery-unlawful'], takeOver),
    onRole(notOvertaken, loserOf, 'a stopped owner was overtaken', ['race-doubled'], (editor, role) => {
      editor.memberAnswer(role, (value) => void (value.refusal = { ...ownerAlive, error: 'Overtaken' }));
      editor.member(role, (value) => void (value.exit = { code: 0, signal: null }));
    }),
    onRole(
      overtaken,
      ({ roles }) => roles[0],
      'a late owner wrote after another process had',
      ['race-doubled', 'recovery-unlawful'],
      takeOver,
    ),
    onMovedAway(false, 'a late owner wrote into the folder that was moved away', ['race-doubled'], (editor, state) =>
      changeEvents(editor, { state }, (events) => {
        const [intent] = events.slice(-1);
        if (intent === undefined) return;
        return [...events, { ...intent, payload: broken, seq: intent.seq + 1, type: 'attempt.observed' }];
      }),
    ),
  ],
  'race-lost': [
    onRole(raced, winnerOf, 'every process was refused', ['race-lost', 'race-doubled', 'refusal-acted'], (editor, role) => {
      editor.memberAnswer(role, (value) => {
        value.operations = [];
        Object.assign(value, { status: 'refused', refusal: ownerAlive });
      });
      editor.member(role, (value) => void (value.exit = { code: 64, signal: null }));
    }),
    onRole(
      raced,
      winnerOf,
      'what the winner recorded is gone',
      ['race-lost', 'recovery-unlawful', 'prediction-failed'],
      (editor, _role, target) => {
        changeEvents(editor, target, (events) => events.slice(0, inheritedCount(target)));
        coverAll(editor, target);
      },
    ),
    onRole(raced, loserOf, 'a process was refused for want of a provider', ['race-lost'], (editor, role) => {
      editor.memberAnswer(role, (value) => {
        value.refusal = { ...ownerAlive, error: 'RecoveryRefused', operation: 'finalize' };
      });
      editor.member(role, (value) => void (value.exit = { code: 0, signal: null }));
    }),
    onMovedAway(
      false,
      'what a late owner had recorded is gone from the folder that was moved away',
      ['race-lost', 'receipt-unintended'],
      (editor, state) => changeEvents(editor, { state }, (events) => events.slice(0, -1)),
    ),
  ],
  'intent-unserved': [
    onMovedAway(true, 'the folder that was moved away holds another intent', ['intent-unserved'], (editor, state) =>
      changeEvents(editor, { state }, (events) => {
        const intent = events.at(-1);
        if (intent !== undefined) intent.recorded_at = '2000-01-01T00:00:00.000Z';
      }),
    ),
  ],
  'history-rewritten': [
    onMovedAway(false, 'the folder that was moved away begins with another history', ['history-rewritten'], (editor, state) =>
      changeEvents(editor, { state }, ([first]) => {
        if (first !== undefined) first.recorded_at = '2000-01-01T00:00:00.000Z';
      }),
    ),
  ],
  'record-malformed': [
    onMovedAway(
      false,
      'the folder that was moved away is left out',
      ['ledger-unreadable', 'record-malformed'],
      (editor, { folder }) => {
        for (const path of editor.files.keys()) if (path.startsWith(folder)) editor.files.delete(path);
      },
    ),
  ],
  'copy-incomplete': [
    onPlace(movedAway(false), 'the folder that was moved away was not copied whole', ['copy-incomplete'], (editor, target) => {
      const [owner] = target.roles;
      if (owner === undefined) return false;
      editor.member(owner, (value) => {
        const [first] = value.live_inventory;
        if (first !== undefined) first.size += 1;
      });
      return true;
    }),
  ],
  'kill-unproven': [
    onPlace(raced, 'more racers are said to have been at once than were', ['kill-unproven'], (editor, target) =>
      editor.group(target, (value) => void (value.overlap += 1)),
    ),
    onPlace(raced, 'a racer was released before all had announced', ['kill-unproven'], (editor, target) => {
      const [first] = target.roles;
      if (first === undefined) return false;
      editor.member(first, ({ timeline }) => {
        const at = (what: string) => timeline.find((moment) => moment.what === what);
        const [spawned, announced, released] = [at('spawned'), at('announced'), at('released')];
        if (spawned === undefined || announced === undefined || released === undefined) return;
        announced.monotonic_ns = String(BigInt(spawned.monotonic_ns) + 1n);
        released.monotonic_ns = String(BigInt(spawned.monotonic_ns) + 2n);
      });
      return true;
    }),
    onPlace(notOvertaken, 'the owner was never stopped', ['kill-unproven'], (editor, target) => {
      const [owner] = target.roles;
      if (owner === undefined) return false;
      editor.member(owner, (value) => void (value.timeline = value.timeline.filter(({ what }) => what !== 'stopped')));
      return true;
    }),
    onPlace(notOvertaken, 'the other process began before the owner was stopped', ['kill-unproven'], (editor, target) => {
      const [owner, other] = target.roles;
      const before = owner?.process.value?.timeline.find(({ what }) => what === 'sigstop_sent')?.monotonic_ns;
      if (other === undefined || before === undefined) return false;
      editor.member(other, ({ timeline: [spawned] }) => void (spawned === undefined ? null : (spawned.monotonic_ns = before)));
      return true;
    }),
  ],
} satisfies Record<string, readonly Mutation[]>;
