/** Breaks in the account of the kill, of the processes and of the copy. */
import type { Process } from '../contract/types.js';
import { addedEvents, inheritedCount } from '../checks/derived.js';
import { recoveryOf } from '../model/recovery.js';
import type { Snapshot } from '../read/bundle.js';
import type { Editor, Mutation } from './editor.js';
import { completed, heldKill, isLeaf, isPlainCase, killedAt, onPlace, refused, resumed, type Place } from './places.js';

type Facts = Parameters<Parameters<Editor['process']>[1]>[0];
type Moment = Process['timeline'][number]['what'];

const unproven = ['kill-unproven'] as const;

function facts(find: Place, name: string, change: (value: Facts) => void): Mutation {
  return onPlace(find, name, unproven, (editor, target) => editor.process(target, change));
}

const without = (what: Moment) => (value: Facts) => {
  value.timeline = value.timeline.filter((moment) => moment.what !== what);
};

const renamed = (from: Moment, to: Moment) => (value: Facts) => {
  for (const moment of value.timeline) if (moment.what === from) moment.what = to;
};

const at = (value: Facts, what: Moment): Facts['timeline'][number] => {
  const moment = value.timeline.find((one) => one.what === what);
  if (moment === undefined) throw new Error(`A good timeline holds ${what}.`);
  return moment;
};

/** Moves the plan, the record and the line to another place; only the ledger stays as it was. */
function announceElsewhere(editor: Editor, killed: Snapshot, checkpoint: string): void {
  editor.plan((plan) => {
    const kill = plan.cases.find(({ id }) => id === killed.caseId)?.kill;
    if (kill?.at === 'checkpoint') kill.checkpoint = checkpoint;
  });
  editor.process(killed, (value) => void (value.armed = `${checkpoint}#1`));
  editor.json<{ checkpoint: string }>(killed.file('checkpoint.jsonl'), (line) => void (line.checkpoint = checkpoint));
}

/** Lets a role have been another process, in its record, in its answer and in its marks. */
function become(editor: Editor, target: Snapshot, other: Snapshot | undefined): boolean {
  const process = other?.process.value;
  if (process === undefined) return false;
  const { pid, start_time_ticks } = process;
  editor.process(target, (value) => void Object.assign(value, { pid, pgid: pid, start_time_ticks }));
  if (target.has('answer.json')) editor.answer(target, (value) => void (value.pid = pid));
  if (!addedEvents(target).some((event) => recoveryOf(event) !== undefined)) return true;
  const inherited = inheritedCount(target);
  editor.events(target, (events) => {
    for (const { seq, payload } of events)
      if (seq > inherited && payload.recovery !== undefined) Object.assign(payload.recovery as object, { pid });
  });
  editor.coverAll(target);
  return true;
}

/** Killed at its first event, and continued by roles that were told nothing. */
const firstCommit: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const { kill } = snapshot.planned;
    return kill?.at === 'checkpoint' && kill.checkpoint === 'task.created' && isPlainCase(snapshot, bundle);
  });

export const killMutations = {
  'kill-unproven': [
    facts(killedAt(), 'the process ended by SIGTERM', (value) => void (value.exit = { code: null, signal: 'SIGTERM' })),
    facts(killedAt(), 'the process ended by an exception', (value) => void (value.exit = { code: 1, signal: null })),
    facts(killedAt(), 'no SIGKILL was sent', without('sigkill_sent')),
    facts(killedAt(), 'nothing was announced', without('announced')),
    facts(killedAt(), 'the provider held, where a checkpoint was to be announced', renamed('announced', 'held')),
    facts(killedAt(), 'somebody of the group was left', (value) => void value.survivors.push(value.pid + 1)),
    facts(killedAt(), 'the kill came before the announcement', (value) => void (at(value, 'sigkill_sent').monotonic_ns = '1')),
    facts(killedAt(), 'the kill came in the instant of the announcement', (value) => {
      at(value, 'sigkill_sent').monotonic_ns = at(value, 'announced').monotonic_ns;
    }),
    onPlace(killedAt(), 'the announced nonce is of another process', unproven, (editor, target) =>
      editor.json<{ nonce: string }>(target.file('checkpoint.jsonl'), (line) => void (line.nonce = 'another')),
    ),
    onPlace(killedAt('call.manifest'), 'a nonce was used twice', unproven, (editor, target) => {
      const nonce = editor.find(({ caseId }) => caseId !== target.caseId)?.process.value?.nonce;
      // Whoever comes later in the plan has it a second time, and cannot be the other.
      if (nonce === undefined) return false;
      editor.process(target, (value) => void (value.nonce = nonce));
      editor.json<{ nonce: string }>(target.file('checkpoint.jsonl'), (line) => void (line.nonce = nonce));
      return true;
    }),
    facts(heldKill, 'the provider did not say that it held the request', without('held')),
    facts(heldKill, 'the request was seen held before it was received', (value) => {
      at(value, 'held').monotonic_ns = String(BigInt(at(value, 'spawned').monotonic_ns) + 1n);
    }),
    facts(heldKill, 'a place was announced, where a request was to be held', renamed('held', 'announced')),
    facts(completed, 'a role that ended by itself led no group', (value) => void (value.pgid += 1)),
    facts(completed, 'a role that completed exited 64', (value) => void (value.exit = { code: 64, signal: null })),
    facts(completed, 'a role was not seen to start', without('spawned')),
    facts(completed, 'the group of a role was not seen empty', without('group_empty')),
    facts(completed, 'a role left a process behind', (value) => void (value.left_behind = [value.pid + 1])),
    onPlace(completed, 'an inspector left a process behind', unproven, (editor, target) =>
      editor.inspector(target, (value) => void (value.left_behind = [value.pid + 1])),
    ),
    onPlace(completed, 'a role announced a place although none was armed', unproven, (editor, target) => {
      const line = editor.find(({ planned: { kill } }) => kill?.at === 'checkpoint')?.file('checkpoint.jsonl');
      if (line === undefined) return false;
      editor.files.set(target.file('checkpoint.jsonl'), editor.bytes(line));
      return true;
    }),
  ],
  'process-shared': [
    onPlace(completed, 'an arm began before its producer had ended', ['process-shared'], (editor, target) =>
      editor.process(target, (value) => void (at(value, 'spawned').monotonic_ns = '1')),
    ),
    onPlace(completed, 'a request came before its role began', ['process-shared'], (editor, target) =>
      editor.receipts(target, (lines) => {
        const received = lines.find((line) => line.kind === 'received');
        if (received !== undefined) received.monotonic_ns = '1';
      }),
    ),
    onPlace(completed, 'a role was answered after it had ended', ['process-shared'], (editor, target) =>
      editor.receipts(target, (lines) => {
        const settled = lines.findLast((line) => line.kind === 'settled');
        if (settled !== undefined) settled.monotonic_ns = '9'.repeat(18);
      }),
    ),
    onPlace(resumed, 'an arm ran in the process of its producer', ['process-shared'], (editor, target) =>
      become(editor, target, target.lineage[0]),
    ),
    onPlace(refused, 'one process acted in two cases', ['process-shared'], (editor, target) =>
      become(
        editor,
        target,
        editor.find((one, bundle) => one.caseId !== target.caseId && isLeaf(one, bundle)),
      ),
    ),
    onPlace(completed, 'an inspector was the process that it inspected', ['process-shared'], (editor, target) => {
      const own = target.process.value;
      if (own === undefined) return false;
      editor.inspector(target, (value) => {
        value.pid = own.pid;
        value.start_time_ticks = own.start_time_ticks;
      });
      return true;
    }),
  ],
  'checkpoint-mismatch': [
    onPlace(
      killedAt('call.manifest'),
      'the ledger goes on after the announced checkpoint',
      ['checkpoint-mismatch'],
      (editor, target) => announceElsewhere(editor, target, 'call.requested'),
    ),
    onPlace(killedAt('call.manifest'), 'the announced event is not in the ledger', ['checkpoint-mismatch'], (editor, target) =>
      announceElsewhere(editor, target, 'call.completed'),
    ),
  ],
  'copy-incomplete': [
    onPlace(completed, 'the dead process left other bytes', ['copy-incomplete'], (editor, target) =>
      editor.process(
        target,
        ({ live_inventory: [first] }) => void (first === undefined ? null : (first.sha256 = '0'.repeat(64))),
      ),
    ),
    onPlace(
      firstCommit,
      'the database was copied without its log',
      // What is left is a schema without events. The arms, which began with events, now seem to have written them all.
      [
        ...(['copy-incomplete', 'inspection-changed-state', 'ledger-unreadable', 'checkpoint-mismatch'] as const),
        ...(['export-mismatch', 'state-mismatch', 'refusal-acted', 'resume-unlawful', 'prediction-failed'] as const),
      ],
      (editor, target) => editor.files.delete(target.file('state/ledger.sqlite-wal')),
    ),
  ],
} satisfies Record<string, readonly Mutation[]>;
