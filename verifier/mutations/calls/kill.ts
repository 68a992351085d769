/** Breaks in the account of the kill, of the processes and of the copy that a ledger gives away. */
import { addedEvents, inheritedCount } from '../../checks/calls/derived.js';
import { recoveryOf } from '../../model/calls/recovery.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Editor } from '../editor.js';
import { isLeaf, isPlainCase, killedAt, onPlace, refused, type Families, type Place } from '../places.js';
import { changeEvents, coverAll } from './edits.js';
import { resumed } from './places.js';

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
  changeEvents(editor, target, (events) => {
    for (const { seq, payload } of events)
      if (seq > inherited && payload.recovery !== undefined) Object.assign(payload.recovery as object, { pid });
  });
  coverAll(editor, target);
  return true;
}

/** Killed at its first event, and continued by roles that were told nothing. */
const firstCommit: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const { kill } = snapshot.planned;
    return kill?.at === 'checkpoint' && kill.checkpoint === 'task.created' && isPlainCase(snapshot, bundle);
  });

export const callsKillMutations = {
  'process-shared': [
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
} satisfies Families;
