/** G44 in the variations that have no mutation of their own. */
import { describe, it } from 'vitest';
import { coverAll, forgedFrames, invented, writeFrames } from '../../mutations/sessions/edits.js';
import type { Editor } from '../../mutations/editor.js';
import { snapshot } from '../../testing/match.js';
import { expectFindings, onFrames, onReceipts } from '../../testing/sessions/match.js';

type Row = [what: string, change: (editor: Editor) => void, ...codes: string[]];
const rows = (...list: Row[]): Row[] => list;

/** Changes what one member of a group answered, and lets the plan predict no more than the figures. */
const member =
  (name: string, id: string, change: Parameters<Editor['memberAnswer']>[1], code = 0) =>
  (editor: Editor): void => {
    const target = snapshot(editor, 'raced', name);
    const role = target.roles.find((one) => one.member === id);
    if (role === undefined) throw new Error(`The good sessions have no ${id} in raced/${name}.`);
    editor.memberAnswer(role, change);
    editor.member(role, (value) => void (value.exit = { code, signal: null }));
    coverAll(editor, target);
  };

const says = (status: 'completed' | 'failed') => (value: Parameters<Parameters<Editor['memberAnswer']>[1]>[0]) => {
  Object.assign(value, { status, refusal: null });
  delete value.session_refusal;
};

const ownerAlive = { call_id: null, drift: [], error: 'OwnerAlive' as const, hazard: null, operation: null };

/** A tenure more at the end of a log, in which a run is cancelled. */
const another = (name: string) =>
  onFrames('raced', name, (frames) => {
    const [first, last] = [frames[0], frames.at(-1)];
    if (first === undefined || last === undefined) return;
    const tenure = { ...invented(last, 'lineage', { ...first.payload }), fence: last.fence + 1 };
    const cancel = { ...invented(tenure, 'run_cancel_requested', { run_id: 'run-a', at: 'now' }, ['run-cancel-at/v1']) };
    return [...frames, tenure, cancel];
  });

describe('G44: a race', () => {
  it.each(
    rows(
      [
        'was won twice',
        another('answers'),
        // The log is then not that of which the other one was told.
        ...['scenario-unplanned', 'session-race-doubled', 'session-race-lost'],
      ],
      ['was carried out again by one that was to be told', another('cancels'), 'record-order', 'session-race-doubled'],
      [
        'was won by a process that failed and left its run open',
        (editor) => {
          onFrames('raced', 'resumes', (frames) => frames.filter(({ type }) => type !== 'run_finished'))(editor);
          member('resumes', 'racer-1', says('failed'))(editor);
        },
        'session-race-lost',
      ],
      [
        'was refused for what had been there before',
        member('answers', 'racer-2', (value) => {
          if (value.session_refusal !== undefined)
            Object.assign(value.session_refusal, { reason: 'session_too_large', operation: null, on: null });
        }),
        'session-race-lost',
      ],
      [
        'was refused for what nobody did',
        member('answers', 'racer-2', (value) => {
          if (value.session_refusal !== undefined) value.session_refusal.reason = 'nothing_open';
        }),
        'session-race-lost',
      ],
      [
        'has the requests of one run from two processes',
        (editor) => {
          member('resumes', 'racer-2', says('completed'))(editor);
          const pid = snapshot(editor, 'raced', 'resumes').roles[1]?.process.value?.pid ?? 0;
          onReceipts('raced', 'resumes', (lines) => {
            const last = lines.findLast((line) => line.kind === 'received');
            if (last?.kind === 'received') last.peer_pid = pid;
          })(editor);
        },
        'session-race-doubled',
      ],
    ),
  )('%s', (_what, change, ...codes) => expectFindings(change, ...codes));
});

describe('G44: a stopped owner', () => {
  it.each(
    rows(
      [
        'held its lease, and a process began a tenure that was refused',
        another('kept'),
        ...['scenario-unplanned', 'session-race-doubled'],
      ],
      [
        'held its lease, and says that it was refused',
        member('kept', 'owner', (value) => void Object.assign(value, { status: 'refused', refusal: ownerAlive }), 64),
        // Then nobody who was not refused did what is on record.
        ...['scenario-unplanned', 'session-race-doubled', 'session-refusal-acted'],
      ],
      [
        'held its lease, failed all the same, and left its run open',
        (editor) => {
          // Stopped at its intent and not overtaken, as the plan has it then.
          editor.plan((plan) => {
            const arm = plan.cases.find(({ id }) => id === 'raced')?.arms.find(({ id }) => id === 'overtaken');
            if (arm?.crash?.model === 'zombie') arm.crash.defeat = 'none';
          });
          const target = snapshot(editor, 'raced', 'overtaken');
          const [owner, other] = target.roles;
          if (owner === undefined || other === undefined) return;
          editor.member(owner, (value) => {
            value.timeline = value.timeline.filter(({ what }) => what !== 'folder_defeated');
          });
          const frames = forgedFrames(target);
          const fence = frames.at(-1)?.fence;
          writeFrames(
            editor,
            target,
            frames.filter((frame) => frame.fence !== fence),
          );
          member(
            'overtaken',
            'other',
            (value) => void Object.assign(value, { status: 'refused', refusal: ownerAlive }),
            64,
          )(editor);
        },
        'session-race-lost',
      ],
      ['has a third tenure behind it', another('replaced'), ...['record-order', 'scenario-unplanned', 'session-race-doubled']],
      [
        'had recorded something in its folder before it took the lease there',
        (editor) => {
          const target = snapshot(editor, 'raced', 'restored');
          const { movedAway: state } = target;
          if (state === undefined) return;
          writeFrames(editor, { state }, forgedFrames({ state }).slice(0, -1));
          coverAll(editor, target);
        },
        'session-race-lost',
      ],
      [
        'was cut off, and the other says that it is done and left the run open',
        onFrames('raced', 'overtaken', (frames) => frames.filter(({ type }) => type !== 'run_finished')),
        'closeout-unlawful',
      ],
      [
        'was cut off, and the other failed and left the run open',
        (editor) => {
          onFrames('raced', 'overtaken', (frames) => frames.filter(({ type }) => type !== 'run_finished'))(editor);
          member('overtaken', 'other', says('failed'))(editor);
        },
        'session-race-lost',
      ],
      [
        'says that it did what the other did, and sent a request of it',
        (editor) => {
          member('late', 'owner', says('completed'))(editor);
          onReceipts('raced', 'late', (lines) => {
            const last = lines.findLast((line) => line.kind === 'received');
            if (last?.kind === 'received') last.peer_pid = 3800;
          })(editor);
        },
        ...['kill-unproven', 'session-race-doubled', 'session-race-lost'],
      ],
      ['says that it did what the other did', member('late', 'owner', says('completed')), 'session-race-lost'],
      [
        'was refused for what is not in the log that it found',
        member('late', 'owner', (value) => {
          if (value.session_refusal !== undefined) value.session_refusal.reason = 'approval_needed';
        }),
        'session-race-lost',
      ],
      [
        'was cut off, and the other says that it did what is not on record',
        (editor) => {
          const target = snapshot(editor, 'raced', 'overtaken');
          const frames = forgedFrames(target);
          const fence = frames.at(-1)?.fence;
          writeFrames(
            editor,
            target,
            frames.filter((frame) => frame.fence !== fence),
          );
          coverAll(editor, target);
        },
        'session-race-lost',
      ],
      [
        'sent what another process had recorded as its own',
        onReceipts('raced', 'late', (lines) => {
          const last = lines.findLast((line) => line.kind === 'received');
          if (last?.kind === 'received') last.peer_pid = 3800;
        }),
        // It was stopped meanwhile.
        ...['kill-unproven', 'session-race-doubled'],
      ],
    ),
  )('%s', (_what, change, ...codes) => expectFindings(change, ...codes));
});
