/** Breaks in what roles did and told: where they were killed, what they refused, and what they wrote although they refused. */
import type { Snapshot } from '../../read/bundle.js';
import type { Editor } from '../editor.js';
import { killedAt, onPlace, type Families } from '../places.js';
import { coverAll, forgedFrames, invented, writeFrames } from './edits.js';
import { encodeFloor } from './encode.js';
import { acted, onFirst, refused } from './places.js';

/** Moves the plan, the record and the line to another place; only the log stays as it was. */
function announceElsewhere(editor: Editor, killed: Snapshot, checkpoint: string): void {
  editor.plan((plan) => {
    const planned = plan.cases.find(({ id }) => id === killed.caseId);
    const kill = killed.base === undefined ? planned?.kill : planned?.arms.find(({ id }) => id === killed.name)?.kill;
    if (kill?.at === 'checkpoint') Object.assign(kill, { checkpoint, occurrence: 1 });
  });
  editor.process(killed, (value) => void (value.armed = `${checkpoint}#1`));
  editor.json<object>(killed.file('checkpoint.jsonl'), (line) => void Object.assign(line, { checkpoint, occurrence: 1 }));
}

export const roleMutations = {
  'checkpoint-mismatch': [
    onPlace(
      killedAt('tool_batch_started'),
      'the log goes on after the announced checkpoint',
      ['checkpoint-mismatch'],
      (editor, target) => announceElsewhere(editor, target, 'run_started'),
    ),
    onPlace(killedAt('run_started'), 'the announced record is not in the log', ['checkpoint-mismatch'], (editor, target) =>
      announceElsewhere(editor, target, 'run_finished'),
    ),
    onPlace(
      killedAt('run_started'),
      'a record was added although only the log had been read',
      ['checkpoint-mismatch'],
      (editor, target) => announceElsewhere(editor, target, 'projection.read'),
    ),
  ],
  'session-refusal-acted': [
    onPlace(refused, 'a role refused and began a tenure', ['lineage-broken', 'session-refusal-acted'], (editor, target) => {
      const frames = forgedFrames(target);
      const last = frames.at(-1);
      const lineage = frames.find(({ type }) => type === 'lineage');
      if (last === undefined || lineage === undefined) return false;
      const seq = last.seq + 1;
      const frame = { ...invented(last, 'lineage', { ...lineage.payload }), seq, synced: last.seq, fence: last.fence + 1 };
      writeFrames(editor, target, [...frames, frame]);
      coverAll(editor, target);
      return true;
    }),
    onPlace(refused, 'a role refused and raised the floor', ['session-refusal-acted'], (editor, target) => {
      editor.files.set(target.state.floorFile, encodeFloor([...(target.log.value?.floor.features ?? []), 'model-intent/v1']));
      coverAll(editor, target);
    }),
  ],
  'resume-misreported': [
    onPlace(refused, 'a role refused for a reason that is not there', ['resume-misreported'], (editor, target) => {
      const isOpen = target.answer.value?.session_refusal?.reason !== 'nothing_open';
      editor.answer(target, ({ session_refusal: told }) => {
        if (told !== undefined) Object.assign(told, { reason: isOpen ? 'nothing_open' : 'approval_needed', drift: [] });
      });
      coverAll(editor, target);
    }),
  ],
  'script-departed': [
    onFirst(acted, 'a model said something else than its script', ['script-departed'], 'model_step_finished', (payload) => {
      (payload.assistant as { text: string | null }).text = 'Something else.';
    }),
  ],
} satisfies Families;
