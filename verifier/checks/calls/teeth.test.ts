/** Breaks of a ledger that have no mutation of their own: the other ways to be wrong that each check must tell from being right. */
import { describe, expect, it } from 'vitest';
import { changeEvents, coverAll } from '../../mutations/calls/edits.js';
import { changed, codesOf, expectFindings, judged, snapshot } from '../../testing/match.js';

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

describe('the record', () => {
  it('G8: an id that is not made from its seq', () => {
    expectFindings((editor) => {
      const target = snapshot(editor, 'control');
      changeEvents(editor, target, (events) => {
        for (const event of events) if (event.attempt_id !== null) event.attempt_id = 'attempt-99';
      });
      coverAll(editor, target);
    }, 'event-malformed');
  });
  it('G9: an arm that began with less', () => {
    expectFindings(
      (editor) => {
        const target = snapshot(editor, 'first', 'resume');
        changeEvents(editor, target, (events) => {
          for (const event of events) event.recorded_at = '2027-01-01T00:00:00.000Z';
        });
        coverAll(editor, target);
      },
      'history-rewritten',
      'refusal-acted',
      'prediction-failed',
    );
  });
  it('G11: another item than the compiler takes', () => {
    expectFindings((editor) => {
      const target = snapshot(editor, 'control');
      changeEvents(editor, target, (events) => {
        for (const { type, payload } of events) if (type === 'context.compiled') payload.total_tokens = 13;
      });
      coverAll(editor, target);
    }, 'manifest-mismatch');
  });
  it('G12: a broken answer taken for one', () => {
    expectFindings(
      (editor) => {
        const target = snapshot(editor, 'control');
        changeEvents(editor, target, (events) => {
          for (const { type, payload } of events) if (type === 'attempt.observed') payload.status = 500;
        });
        coverAll(editor, target);
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
        changeEvents(editor, target, (events) => {
          const at = events.findIndex(({ type, seq }) => type === 'call.requested' && seq > 8);
          const call = events[at];
          const old = events.find(({ type }) => type === 'call.requested');
          if (call === undefined || old === undefined) return;
          // The link takes the place of the claim, so that every later id stays what it is.
          const payload = { idempotency_key: 'key-1', new_call_id: call.call_id, old_call_id: old.call_id, verified: null };
          const link = { ...call, call_id: old.call_id, payload, seq: call.seq, type: 'call.resumed' };
          return [...events.slice(0, at), link, ...events.slice(at).map((event) => ({ ...event, seq: event.seq + 1 }))];
        });
        coverAll(editor, target);
      },
      ...['event-malformed', 'prediction-failed', 'resume-unlawful'],
    );
  });
});

describe('a refusal', () => {
  type Refusal = { call_id: string | null; drift: string[]; hazard: 'unsafe' | 'unneeded' | null; operation: string | null };
  /** Of the role that resumed what a provider may have served, with the plan that foresaw as much of it. */
  const refused = (change: Partial<Refusal>) =>
    codesOf(
      changed((editor) => {
        const target = snapshot(editor, 'held', 'resume');
        editor.answer(target, (answer) => void Object.assign(answer.refusal ?? {}, change));
        editor.plan((plan) => {
          const arm = plan.cases.find(({ id }) => id === 'held')?.arms.find(({ id }) => id === 'resume');
          const { call_id: _none, ...foreseen } = change;
          if (arm?.expect.refusal) Object.assign(arm.expect.refusal, foreseen);
        });
      }),
    );

  it('G22: is for the hazard, the operation and the call that the record shows', () => {
    expect(refused({})).toEqual([]);
    expect(refused({ hazard: 'unneeded' })).toEqual(['resume-unlawful']);
    expect(refused({ operation: 'start_call' })).toContain('resume-unlawful');
    expect(refused({ call_id: 'call-5' })).toContain('resume-unlawful');
  });

  it('G22: names a hazard or a drift, never both', () => {
    expect(refused({ drift: ['renderer'] })).toContain('resume-unlawful');
    expect(refused({ drift: ['renderer'], hazard: null })).not.toContain('resume-unlawful');
  });
});

describe('an end and an export', () => {
  it('G5: a role that answered ended with its own code, by no signal', () => {
    for (const exit of [
      { code: null, signal: null },
      { code: 1, signal: null },
      { code: null, signal: 'SIGTERM' as const },
    ])
      expectFindings(
        (editor) => editor.process(snapshot(editor, 'control'), (value) => void Object.assign(value, { exit })),
        'kill-unproven',
      );
  });

  it('G11: a compiler that is not known here leaves the package unknown, and finds nothing', () => {
    const verdict = judged(
      changed((editor) => {
        const target = snapshot(editor, 'control');
        changeEvents(editor, target, (events) => {
          for (const { type, payload } of events)
            if (type === 'context.compilation_requested') payload.compiler = { name: 'in-order', version: 2 };
        });
        coverAll(editor, target);
      }),
    );
    expect(verdict.results.filter(({ guarantee, scope }) => guarantee === 'G11' && scope === 'control')).toMatchObject([
      { result: 'unknown' },
    ]);
  });

  it('G15: an export of the artifacts of a ledger is there', () => {
    expectFindings((editor) => {
      const target = snapshot(editor, 'control');
      editor.inspection(target, (answer) => void delete (answer as { artifacts?: unknown }).artifacts);
    }, 'export-mismatch');
  });
});
