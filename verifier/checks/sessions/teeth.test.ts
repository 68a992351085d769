/** Breaks of a session that have no mutation of their own: the other ways to be wrong that each check must tell from being right. */
import { describe, expect, it } from 'vitest';
import { coverAll, invented, type Forged } from '../../mutations/sessions/edits.js';
import type { Editor } from '../../mutations/editor.js';
import { snapshot } from '../../testing/match.js';
import { changed, codesOf, expectFindings, judged, onFrames, onLast, onReceipts } from '../../testing/sessions/match.js';

type Row = [what: string, change: (editor: Editor) => void, ...codes: string[]];
const rows = (...list: Row[]): Row[] => list;

/** Puts a frame behind the last one of a type. */
const behind = (caseId: string, name: string, type: string, make: (frame: Forged) => Forged) =>
  onFrames(caseId, name, (frames) => {
    const at = frames.findLastIndex((frame) => frame.type === type);
    const frame = frames[at];
    if (frame === undefined) throw new Error(`The good sessions have no ${type} in ${caseId}/${name}.`);
    return [...frames.slice(0, at + 1), make(frame), ...frames.slice(at + 1)];
  });

const without = (caseId: string, name: string, ...types: string[]) =>
  onFrames(caseId, name, (frames) => {
    const inherited = frames.findLastIndex(({ type }) => type === 'lineage');
    return frames.filter(({ type }, index) => index <= inherited || !types.includes(type));
  });

describe('G33: a log is not whole', () => {
  it.each(
    rows(
      [
        'where a frame is of a type that the contract does not have',
        behind('grouped', 'producer', 'turn_finished', (frame) => ({
          ...invented(frame, 'resume_started', { text: 'Trust me.' }),
          type: 'note',
        })),
        'frame-malformed',
      ],
      [
        'where a tenure was begun in the middle of another one',
        onFrames('grouped', 'producer', (frames) => {
          const [first] = frames;
          const at = frames.findIndex(({ type }) => type === 'tool_batch_finished');
          if (first === undefined) return;
          return [...frames.slice(0, at), { ...structuredClone(first), seq: 0, synced: -1 }, ...frames.slice(at)];
        }),
        'lineage-broken',
      ],
      [
        'where a folder lost a feature that it once required',
        (editor) => {
          const target = snapshot(editor, 'model-intent', 'resume');
          editor.files.delete(target.state.floorFile);
          editor.coverFiles(target);
        },
        'floor-behind',
      ],
    ),
  )('%s', (_what, change, ...codes) => expectFindings(change, ...codes));
});

describe('G34: records are out of order', () => {
  it.each(
    rows(
      [
        'where a step leaves out a message that came before it',
        onFrames('inbox', 'producer', (frames) => {
          const steer = frames.findIndex(({ type }) => type === 'steered');
          const step = frames.slice(steer).find(({ type }) => type === 'step_started');
          if (step !== undefined) step.payload.watermark_seq = steer;
        }),
        'record-order',
      ],
      [
        'where a step begins before the one before it has its answer',
        // Number 0 becomes whatever number the new frame has.
        behind('grouped', 'producer', 'step_started', (frame) => ({
          ...structuredClone(frame),
          ...{ seq: 0, synced: -1, payload: { ...frame.payload, step_id: 'step-0' } },
        })),
        ...['closeout-unlawful', 'record-order'],
      ],
      [
        'where a run waits for nobody',
        behind('grouped', 'producer', 'model_step_finished', (frame) =>
          invented(frame, 'run_paused', { run_id: 'run-a', reason: 'approval_required' }),
        ),
        'record-order',
      ],
      [
        'where a batch is not finished before the next step',
        without('grouped', 'producer', 'tool_batch_finished'),
        'record-order',
      ],
      ['where a turn is not finished before the next step', without('grouped', 'producer', 'turn_finished'), 'record-order'],
      [
        'where a call of a batch was planned in another mode',
        onLast('grouped', 'producer', 'tool_batch_started', (payload) => void (payload.mode = 'parallel')),
        'record-order',
      ],
      [
        'where a step has an answer that no attempt brought',
        without('grouped', 'producer', 'model_attempt_finished'),
        ...['record-order', 'request-unfounded'],
      ],
      [
        'where a cancel is requested twice',
        behind('cancelled', 'producer', 'run_cancel_requested', (frame) => ({ ...structuredClone(frame), seq: 0, synced: -1 })),
        ...['record-order', 'scenario-unplanned'],
      ],
      [
        'where the limit of a run is reached by nothing',
        onLast(
          'stopped',
          'producer',
          'tool_result',
          (payload) => void Object.assign(payload, { outcome: 'interrupted', output: interrupted }),
        ),
        'closeout-unlawful',
      ],
    ),
  )('%s', (_what, change, ...codes) => expectFindings(change, ...codes));

  it('where a call is intended after another one of its batch was found unknown', () => {
    const tree = changed(
      onFrames('several', 'producer', (frames) => {
        const intent = frames.findLastIndex(({ type }) => type === 'tool_dispatch_intent');
        const unknown = frames.find(({ type, payload }) => type === 'tool_result' && payload.outcome === 'unknown');
        const kept = frames.filter((frame) => frame !== unknown);
        return unknown && [...kept.slice(0, intent), unknown, ...kept.slice(intent)];
      }),
    );
    expect(judged(tree).findings.map(({ detail }) => detail)).toContain('A call is intended after a result of its batch.');
  });
});

const interrupted = 'This call was not dispatched: the run was interrupted before it.';

/** The last request of a path once more, under another key. */
const again = (path: string, rekey: (key: string) => string) =>
  onReceipts('grouped', 'producer', (lines) => {
    const received = lines.findLast((line) => line.kind === 'received' && line.path === path);
    const settled = lines.find(
      (line) => line.kind === 'settled' && received?.kind === 'received' && line.request === received.request,
    );
    if (received?.kind !== 'received' || settled?.kind !== 'settled' || settled.effect === null) return;
    const request = 1 + lines.filter(({ kind }) => kind === 'received').length;
    const monotonic_ns = lines.at(-1)?.monotonic_ns ?? '0';
    const key = rekey(received.idempotency_key ?? '');
    const headers = { ...received.headers, 'idempotency-key': key };
    return [
      ...lines,
      { ...structuredClone(received), request, monotonic_ns, idempotency_key: key, headers },
      { ...structuredClone(settled), request, monotonic_ns, effect: { ...settled.effect, effect_id: `effect-${request}` } },
    ];
  });

describe('what was sent has no place in the log', () => {
  it.each(
    rows(
      [
        'G35: where a model is asked again after it had answered',
        again('/v1/chat/completions', (key) => key.replace(/1$/, '2')),
        'request-unfounded',
      ],
      ['G35: where a request is for nobody', again('/v1/chat/completions', () => 's-1/run-a/step-1/1'), 'request-unfounded'],
      [
        'G36: where a call of another run is asked for',
        again('/effects/charge', (key) => key.replace('run-a', 'run-b')),
        'tool-unintended',
      ],
      ['G36: where the bare id of a call is the key', again('/effects/charge', () => 'call-1'), 'tool-unintended'],
      [
        'G35: where an attempt is recorded as not sent and was served',
        onLast('control', 'producer', 'model_attempt_finished', (payload) => {
          Object.assign(payload, { outcome: 'not_sent', response: null, http_status: null, content_type: null });
        }),
        ...['record-order', 'request-unfounded'],
      ],
    ),
  )('%s', (_what, change, ...codes) => expectFindings(change, ...codes));
});

describe('a resume that is a naive loop in disguise', () => {
  it('is found by what it repeats, by what it went on with, and by what it does not say', () => {
    expectFindings(
      (editor) => {
        const [naive, resume] = [snapshot(editor, 'held', 'naive-again'), snapshot(editor, 'held', 'resume')];
        for (const name of ['state/session.wal', 'receipts.jsonl', 'inspection.json'])
          editor.files.set(resume.file(name), editor.bytes(naive.file(name)));
        const pid = resume.inspector.value?.pid ?? 0;
        editor.inspection(resume, (value) => void (value.pid = pid));
        editor.seal(resume);
        coverAll(editor, resume);
      },
      // Its provider was to answer otherwise.
      ...['closeout-unlawful', 'resume-misreported', 'script-departed', 'tool-repeated'],
    );
  });
});

describe('an unfrozen run', () => {
  it('G41: was gone on with by a process that could not know what it renders', () => {
    expectFindings(
      (editor) => {
        for (const name of ['producer', 'resume', 'again', 'elsewhere', 'drift'])
          onFrames('started', name, (frames) => {
            for (const { type, payload } of frames)
              if (type === 'run_started') (payload.config as { render: { bundle: null } }).render.bundle = null;
          })(editor);
      },
      // The scenario freezes it, and the one that was refused gives another reason.
      ...['configuration-unlawful', 'resume-misreported', 'scenario-unplanned'],
    );
  });
});

describe('roles of sessions', () => {
  it('G3: a refusal gives one reason, and only a role that refused has one', () => {
    const refuse = (editor: Editor): void => {
      const told = { reason: 'nothing_open' as const, operation: null, on: null, drift: [] };
      editor.answer(snapshot(editor, 'grouped'), (answer) => void (answer.session_refusal = told));
    };
    expect(codesOf(changed(refuse))).toEqual(['record-malformed']);
    const twice = (editor: Editor): void => {
      const refusal = { call_id: null, drift: [], error: 'OwnerAlive' as const, hazard: null, operation: null };
      editor.answer(snapshot(editor, 'started', 'drift'), (answer) => void (answer.refusal = refusal));
      editor.process(snapshot(editor, 'started', 'drift'), (value) => void (value.exit.code = 64));
    };
    expect(codesOf(changed(twice))).toEqual(['record-malformed']);
  });

  it('G3: only an inspector exports a log', () =>
    expectFindings(
      (editor) => editor.answer(snapshot(editor, 'grouped'), (answer) => void (answer.log = { frames: [], torn_bytes: 0 })),
      'record-malformed',
    ));

  it('G43: an answer is settled only where one was given, or the run does not go on', () =>
    expectFindings((editor) => {
      const target = snapshot(editor, 'approval', 'unasked');
      editor.answer(target, ({ session_refusal: told }) => void (told === undefined ? null : (told.reason = 'approval_settled')));
      coverAll(editor, target);
    }, 'resume-misreported'));

  it('G6: only a command sends from a process of its own', () =>
    expectFindings(
      onReceipts('grouped', 'producer', (lines) => {
        const tool = lines.findLast((line) => line.kind === 'received' && line.path === '/effects/charge');
        if (tool?.kind === 'received' && tool.peer_pid !== null) tool.peer_pid += 1;
      }),
      'process-shared',
    ));

  it('G7: as many requests were held as the plan says', () =>
    expectFindings(
      (editor) =>
        editor.plan((plan) => {
          const planned = plan.cases.find(({ id }) => id === 'held');
          if (planned !== undefined) planned.kill = { at: 'held', requests: 2 };
        }),
      'checkpoint-mismatch',
    ));

  it('G7: what was held is what the log has open', () =>
    expectFindings(
      (editor) => {
        for (const name of ['producer', 'resume'])
          onReceipts('model-held', name, (lines) => {
            const [first] = lines;
            if (first?.kind !== 'received') return;
            first.idempotency_key = 's-1/run-b/step-3/1';
            first.headers['idempotency-key'] = first.idempotency_key;
          })(editor);
      },
      ...['checkpoint-mismatch', 'request-unfounded'],
    ));
});
