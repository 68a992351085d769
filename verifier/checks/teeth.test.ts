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

describe('a role that met a living owner', () => {
  /** The arm of the first case, refused for another reason than the plan says, and the plan with it. */
  const met = (settings: object, code: number) =>
    changed((editor) => {
      const target = snapshot(editor, 'first', 'resume');
      const refusal = { error: 'OwnerAlive' as const, operation: null, hazard: null, drift: [] };
      editor.answer(target, (answer) => {
        answer.refusal = { ...refusal, call_id: null };
        Object.assign(answer.settings, settings);
      });
      editor.process(target, (value) => void (value.exit = { code, signal: null }));
      editor.plan((plan) => {
        const arm = plan.cases.find(({ id }) => id === 'first')?.arms[0];
        if (arm !== undefined) arm.expect.refusal = refusal;
      });
    });

  it('opened no ledger and exited 64: G5 and G24 hold', () => {
    expect(judged(met({ journal_mode: 'unopened', synchronous: 0 }, 64))).toMatchObject({
      verdict: 'valid',
      findings: [],
    });
  });

  it('did not exit 0, and had no ledger open that was not synchronised', () => {
    expect(codesOf(met({ journal_mode: 'unopened', synchronous: 0 }, 0))).toEqual(['kill-unproven']);
    expect(codesOf(met({ journal_mode: 'wal', synchronous: 1 }, 64))).toEqual(['settings-weak']);
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

describe('the record', () => {
  it('G8: an id that is not made from its seq', () => {
    expectFindings((editor) => {
      const target = snapshot(editor, 'control');
      editor.events(target, (events) => {
        for (const event of events) if (event.attempt_id !== null) event.attempt_id = 'attempt-99';
      });
      editor.coverAll(target);
    }, 'event-malformed');
  });
  it('G9: an arm that began with less', () => {
    expectFindings(
      (editor) => {
        const target = snapshot(editor, 'first', 'resume');
        editor.events(target, (events) => {
          for (const event of events) event.recorded_at = '2027-01-01T00:00:00.000Z';
        });
        editor.coverAll(target);
      },
      'history-rewritten',
      'refusal-acted',
      'prediction-failed',
    );
  });
  it('G11: another item than the compiler takes', () => {
    expectFindings((editor) => {
      const target = snapshot(editor, 'control');
      editor.events(target, (events) => {
        for (const { type, payload } of events) if (type === 'context.compiled') payload.total_tokens = 13;
      });
      editor.coverAll(target);
    }, 'manifest-mismatch');
  });
  it('G12: a broken answer taken for one', () => {
    expectFindings(
      (editor) => {
        const target = snapshot(editor, 'control');
        editor.events(target, (events) => {
          for (const { type, payload } of events) if (type === 'attempt.observed') payload.status = 500;
        });
        editor.coverAll(target);
      },
      'interpretation-mismatch',
      'observation-mismatch',
    );
  });
});

describe('the effects', () => {
  it('G20: an intent without its request, which no kill explains', () => {
    expectFindings(
      (editor) => {
        for (const name of ['producer', 'resume']) editor.receipts(snapshot(editor, 'held', name), () => []);
      },
      // In the arms the request of the killed process now seems to be theirs.
      ...['checkpoint-mismatch', 'intent-unserved', 'prediction-failed', 'process-shared', 'script-departed'],
    );
  });
  it('G22: a resume of what may have had its effect', () => {
    expectFindings(
      (editor) => {
        const target = snapshot(editor, 'held', 'naive-again');
        editor.events(target, (events) => {
          const at = events.findIndex(({ type, seq }) => type === 'call.requested' && seq > 8);
          const call = events[at];
          const old = events.find(({ type }) => type === 'call.requested');
          if (call === undefined || old === undefined) return;
          // The link takes the place of the claim, so that every later id stays what it is.
          const payload = { idempotency_key: 'key-1', new_call_id: call.call_id, old_call_id: old.call_id, verified: null };
          const link = { ...call, call_id: old.call_id, payload, seq: call.seq, type: 'call.resumed' };
          return [...events.slice(0, at), link, ...events.slice(at).map((event) => ({ ...event, seq: event.seq + 1 }))];
        });
        editor.coverAll(target);
      },
      ...['event-malformed', 'prediction-failed', 'resume-unlawful'],
    );
  });
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
