/** Breaks that have no mutation of their own: the other ways to be wrong that each check must tell from being right. */
import { describe, expect, it } from 'vitest';
import { canonical } from '../read/canonical.js';
import { changed, codesOf, expectFindings, judged, snapshot } from '../testing/match.js';

describe('the kill', () => {
  it('G5: an unplanned kill, a deadline, a foreign armed place', () => {
    expectFindings(
      (editor) => editor.process(snapshot(editor, 'control'), (value) => void (value.exit = { code: null, signal: 'SIGKILL' })),
      'kill-unproven',
      'prediction-failed',
    );
    expectFindings(
      (editor) =>
        editor.process(
          snapshot(editor, 'control'),
          (value) => void value.timeline.push({ what: 'deadline', monotonic_ns: '99' }),
        ),
      'kill-unproven',
    );
    expectFindings(
      (editor) => editor.process(snapshot(editor, 'manifest'), (value) => void (value.armed = 'call.manifest#2')),
      'kill-unproven',
    );
    expectFindings((editor) => editor.process(snapshot(editor, 'manifest'), (value) => void (value.pgid = 1)), 'kill-unproven');
  });
  it('G5: two lines from descriptor 3', () => {
    expectFindings(
      (editor) => editor.text(snapshot(editor, 'manifest').file('checkpoint.jsonl'), (text) => text + text),
      'kill-unproven',
    );
  });
  it('G6: an answer or a request of another process', () => {
    expectFindings((editor) => editor.answer(snapshot(editor, 'control'), (value) => void (value.pid += 1)), 'process-shared');
    expectFindings(
      (editor) =>
        editor.receipts(
          snapshot(editor, 'control'),
          ([first]) => void (first?.kind === 'received' ? (first.peer_pid = 7) : null),
        ),
      'process-shared',
    );
  });
  it('G7: a held request that was answered', () => {
    expectFindings((editor) => {
      for (const name of ['producer', 'resume', 'naive', 'naive-again']) {
        editor.receipts(snapshot(editor, 'held', name), (lines) => {
          const settled = lines.find((line) => line.kind === 'settled');
          if (settled?.kind === 'settled') settled.ended = 'answered';
        });
      }
    }, 'checkpoint-mismatch');
  });
});

describe('an exploratory run', () => {
  const external = (confirmatory: boolean) =>
    codesOf(
      changed((editor) => {
        editor.process(snapshot(editor, 'control'), (value) => void (value.argv = ['node', '<subject>/produce.mjs']));
        if (confirmatory) editor.execution((value) => void Object.assign(value, { confirmatory, exploratory_reason: null }));
      }),
    );

  it('G2: may run a program of one\u2019s own, and no other may', () => {
    expect(external(false)).toEqual([]);
    expect(external(true)).toEqual(['execution-malformed', 'plan-unpinned']);
  });

  it('G2: a confirmatory run that selected cases', () => {
    const tree = changed((editor) =>
      editor.execution((value) => {
        value.selected = editor.bundle.cases.map(({ id }) => id);
        Object.assign(value, { confirmatory: true, exploratory_reason: null });
      }),
    );
    expect(codesOf(tree)).toEqual(['execution-malformed', 'plan-unpinned']);
  });
});

describe('a script', () => {
  it('G26: a scripted text that the kept answer does not have', () => {
    expectFindings(
      (editor) =>
        editor.plan((plan) => void Object.assign(plan.providers.answers ?? {}, { otherwise: { do: 'answer', text: 'Bad.' } })),
      'script-departed',
    );
    const verdict = judged(
      changed((editor) =>
        editor.plan((plan) => void Object.assign(plan.providers.answers ?? {}, { otherwise: { do: 'answer', text: 'Fine.' } })),
      ),
    );
    expect(verdict.findings).toEqual([]);
  });
});

describe('the account', () => {
  it('G25: one finding for each member that differs', () => {
    expectFindings((editor) => {
      editor.plan((plan) => {
        const expect = plan.cases.find(({ id }) => id === 'control')?.expect;
        if (expect !== undefined)
          Object.assign(expect, { events: 1, effects: 2, keys: 3, task: { stage: 'accepted', next_operation: 'none' } });
      });
    }, 'prediction-failed');
  });
  it('G3: a listed record that is not canonical', () => {
    expectFindings(
      (editor) => editor.text(snapshot(editor, 'control').file('process.json'), (text) => ` ${text}`),
      'record-malformed',
    );
    expectFindings(
      (editor) => void editor.files.set(snapshot(editor, 'control').file('answer.json'), Buffer.from(canonical({}))),
      'record-malformed',
    );
  });
});
