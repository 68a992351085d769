/**
 * Breaks in what the records say. Digests, numbers, requests, floor, inventories, export, projection and prediction are made good again, so that
 * only meaning is left to tell.
 */
import { sessionLogV1 } from '../../contract/data.js';
import { expectation, onPlace, type Families } from '../places.js';
import { rescript } from './cover.js';
import { changeFrames, coverAll, type Forged } from './edits.js';
import {
  acted,
  apart,
  closedOut,
  continued,
  drained,
  grouped,
  onFirst,
  onFrames,
  produced,
  replacing,
  resumed,
  spent,
  withRecord,
} from './places.js';

const { texts } = sessionLogV1;
const answered = withRecord('approval_resolved');

/** The frame as it stands, and behind it the same once more. */
const twice = (frame: Forged): Forged[] => [frame, { ...structuredClone(frame), seq: 0, synced: -1 }];

function swapped(added: readonly Forged[], one: Forged['type'], other: Forged['type']): Forged[] | false {
  const [first, second] = [added.findIndex(({ type }) => type === one), added.findIndex(({ type }) => type === other)];
  if (first < 0 || second < 0) return false;
  const frames = [...added];
  // Each keeps the barrier of its place, so that only the order is another one.
  const [left, right] = [frames[first] as Forged, frames[second] as Forged];
  frames[first] = { ...right, seq: left.seq, synced: left.synced };
  frames[second] = { ...left, seq: right.seq, synced: right.synced };
  return frames;
}

export const recordMutations = {
  'record-order': [
    onFrames(acted, 'a result stands before its intent', ['record-order'], (added) =>
      swapped(added, 'tool_dispatch_intent', 'tool_result'),
    ),
    onFrames(acted, 'a batch is finished before its results', ['record-order'], (added) =>
      swapped(added, 'tool_result', 'tool_batch_finished'),
    ),
    onFrames(acted, 'a call has two terminals', ['record-order'], (added) => replacing(added, 'tool_result', twice)),
    onFrames(acted, 'a turn is finished twice', ['record-order'], (added) => replacing(added, 'turn_finished', twice)),
    onFrames(acted, 'a record follows the end of its run', ['record-order'], (added) => {
      const turn = added.findLast(({ type }) => type === 'turn_finished');
      return turn === undefined ? false : [...added, { ...structuredClone(turn), seq: 0, synced: -1 }];
    }),
    onFrames(acted, 'an intent was never recorded', ['record-order', 'tool-unintended'], (added) =>
      replacing(added, 'tool_dispatch_intent', () => []),
    ),
    onFrames(acted, 'a plan was never recorded', ['record-order'], (added) => replacing(added, 'tool_batch_started', () => [])),
    onFirst(acted, 'a plan lists another tool than the model asked for', ['record-order'], 'tool_batch_started', (payload) => {
      const [first] = payload.planned as { name: string }[];
      if (first !== undefined) first.name = 'another';
    }),
    onFirst(acted, 'an intent has other bytes than the model wrote', ['record-order'], 'tool_dispatch_intent', (payload) => {
      payload.arguments = `${String(payload.arguments)} `;
    }),
    onFirst(
      grouped,
      'a call was dispatched before its intent was durable',
      ['record-order'],
      'tool_result',
      (_payload, frame) => {
        frame.synced -= 1;
      },
    ),
    onFirst(grouped, 'a record has a barrier of its own', ['record-order'], 'model_step_finished', (_payload, frame) => {
      frame.synced = frame.seq - 1;
    }),
    onFirst(grouped, 'a barrier was durable in part', ['record-order'], 'model_step_finished', (_payload, frame) => {
      frame.synced += 1;
    }),
    onFirst(acted, 'the end of a run tells of more than its steps used', ['record-order'], 'run_finished', (payload) => {
      (payload.usage as { input_tokens: number }).input_tokens += 1;
    }),
    onFrames(apart, 'two records share a barrier where each is to have its own', ['record-order'], (added) => {
      const last = added.at(-1);
      if (last === undefined || added.at(-2)?.type === 'lineage') return false;
      last.synced -= 1;
      return added;
    }),
  ],
  'tool-result-mismatch': [
    onFirst(acted, 'a tool said something else', ['tool-result-mismatch'], 'tool_result', (payload) => {
      payload.output = 'Nothing happened.';
    }),
    onFirst(acted, 'a tool failed that had not', ['tool-result-mismatch'], 'tool_result', (payload) => {
      payload.is_error = true;
    }),
    onFirst(acted, 'a call that was served is recorded as not sent', ['tool-result-mismatch'], 'tool_result', (payload) => {
      Object.assign(payload, { outcome: 'not_sent', output: texts.not_sent, is_error: true });
    }),
    onFirst(acted, 'an output was not kept that had room', ['tool-result-mismatch'], 'tool_result', (payload) => {
      Object.assign(payload, { output: texts.too_large, is_error: true });
    }),
    onFirst(closedOut, 'an unknown result says that it failed', ['tool-result-mismatch'], 'tool_result', (payload) => {
      payload.output = 'The call failed.';
    }),
  ],
  'closeout-unlawful': [
    onFirst(closedOut, 'an unknown call ended as cancelled', ['closeout-unlawful'], 'run_finished', (payload) => {
      payload.reason = 'cancelled';
    }),
    onFrames(acted, 'a role completed and its run has no end', ['closeout-unlawful'], (added) =>
      added.filter(({ type }) => type !== 'run_finished'),
    ),
    onFrames(closedOut, 'what nobody can know was left open', ['closeout-unlawful'], (added) =>
      added.filter(({ type }) => type !== 'run_finished'),
    ),
    onFirst(
      closedOut,
      'what may have happened was closed as never dispatched',
      ['closeout-unlawful', 'tool-result-mismatch'],
      'tool_result',
      (payload) => Object.assign(payload, { outcome: 'interrupted', output: texts.interrupted }),
    ),
    onFirst(
      withRecord('run_cancel_requested'),
      'a cancelled run ended as interrupted',
      ['closeout-unlawful'],
      'run_finished',
      (payload) => {
        payload.reason = 'interrupted';
      },
    ),
  ],
  'approval-unlawful': [
    onFirst(answered, 'an answer is to another question', ['approval-unlawful'], 'approval_resolved', (payload) => {
      payload.request_seq = 1;
    }),
    onFirst(spent, 'an intent cites no approval', ['approval-unlawful'], 'tool_dispatch_intent', (payload) => {
      payload.approval_seq = null;
    }),
    onPlace(
      spent,
      'what was denied was dispatched',
      ['approval-unlawful', 'record-order', 'resume-misreported', 'scenario-unplanned'],
      (editor, target) => {
        for (const snapshot of target.lineage) {
          changeFrames(editor, snapshot, (frames) => {
            for (const { type, payload } of frames) if (type === 'approval_resolved') payload.decision = 'denied';
          });
          coverAll(editor, snapshot);
        }
      },
    ),
    onFirst(acted, 'an intent spends an approval that nobody gave', ['approval-unlawful'], 'tool_dispatch_intent', (payload) => {
      payload.approval_seq = 1;
    }),
    onFrames(answered, 'a question was answered twice', ['approval-unlawful', 'scenario-unplanned'], (added) =>
      replacing(added, 'approval_resolved', twice),
    ),
  ],
  'input-unlawful': [
    onPlace(drained, 'an interrupting message had to wait', ['input-unlawful'], (editor, target) => {
      changeFrames(editor, target, (frames) => {
        for (const { type, payload } of frames) if (type === 'queued') delete payload.delivery;
      });
      rescript(editor, target, (action) => {
        if (action.do === 'queue') action.delivery = 'plain';
      });
      coverAll(editor, target);
    }),
    onFirst(drained, 'a run has another text than its message', ['input-unlawful', 'scenario-unplanned'], 'queued', (payload) => {
      payload.input = { text: 'Something else.' };
    }),
    onFrames(withRecord('steered'), 'a steer was recorded twice', ['input-unlawful', 'scenario-unplanned'], (added) =>
      replacing(added, 'steered', twice),
    ),
    onFirst(
      withRecord('steered'),
      'a steer has the id of a run',
      ['input-unlawful', 'scenario-unplanned'],
      'steered',
      (payload) => {
        payload.send_id = payload.run_id;
      },
    ),
    onFrames(withRecord('retracted'), 'a message was taken back twice', ['input-unlawful', 'scenario-unplanned'], (added) =>
      replacing(added, 'retracted', twice),
    ),
  ],
  'configuration-unlawful': [
    onFirst(
      drained,
      'a run froze what its configuration does not render to',
      ['configuration-unlawful', 'scenario-unplanned'],
      'run_started',
      (payload) => {
        const { render } = payload.config as { render: { bundle: string } };
        render.bundle = render.bundle.replace('"model":"', '"model":"another-');
      },
    ),
    onFirst(acted, 'a result has a time that nobody asked for', ['configuration-unlawful'], 'tool_result', (payload, frame) => {
      payload.finished_at_ms = 1;
      frame.features = ['tool-times/v1'];
    }),
  ],
  'resume-misreported': [
    onFirst(resumed, 'a resume tells of more than it replayed', ['resume-misreported'], 'resume_started', (payload) => {
      (payload.replayed as { messages: number }).messages += 1;
    }),
    onFirst(closedOut, 'a resume found nothing that nobody can know', ['resume-misreported'], 'resume_started', (payload) => {
      payload.indeterminate = [];
    }),
    onFirst(resumed, 'a resume went on from another record', ['resume-misreported'], 'resume_started', (payload) => {
      payload.resumed_from_seq = Number(payload.resumed_from_seq) - 1;
    }),
    onFrames(resumed, 'a resume says nothing of itself', ['resume-misreported'], (added) =>
      replacing(added, 'resume_started', () => []),
    ),
  ],
  'scenario-unplanned': [
    onFirst(produced, 'a run was limited otherwise than its scenario says', ['scenario-unplanned'], 'run_started', (payload) => {
      (payload.config as { model_timeout_ms: number }).model_timeout_ms += 1;
    }),
  ],
  'prediction-failed': [
    onPlace(continued, 'the plan predicts another end of the run', ['prediction-failed'], (editor, target) =>
      expectation(editor, target, (expect) => {
        const runs = expect.session?.runs.map((run) => ({ ...run, stage: 'step_due' as const })) ?? [];
        expect.session = { next_operation: 'run_step', runs };
      }),
    ),
  ],
} satisfies Families;
