/** The other ways in which a recovery can be wrong: each must be told from being right, by its code. */
import { changeDatabase, changeEvents, coverAll } from '../../mutations/calls/edits.js';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../contract/types.js';
import type { Editor } from '../../mutations/editor.js';
import { foretellLess } from '../../mutations/places.js';
import { canonical, decodeUtf8, parseCanonical } from '../../read/canonical.js';
import { textSha256 } from '../../read/hash.js';
import { readBundle, type Snapshot } from '../../read/bundle.js';
import { changed, expectFindings, judged, snapshot } from '../../testing/match.js';
import { need } from '../check.js';
import { historiesOfGroup } from './derived.js';

type Payload = Record<string, unknown>;

/** Changes one event of an arm, and makes everything else agree with it. */
function onEvent(caseId: string, name: string, type: string, change: (payload: Payload, event: Event) => void) {
  return (editor: Editor): void => {
    const target = snapshot(editor, caseId, name);
    changeEvents(editor, target, (events) => {
      const event = events.findLast((one) => one.type === type);
      if (event !== undefined) change(event.payload, event);
    });
    coverAll(editor, target);
    foretellLess(editor, target);
  };
}

/** Keeps other evidence in the place of what is kept of the last reconciliation. */
function onEvidence(caseId: string, name: string, change: (evidence: Payload, payload: Payload) => void) {
  return (editor: Editor): void => {
    const target = snapshot(editor, caseId, name);
    const told = target.ledger.value?.events.findLast(({ type }) => type === 'effect.reconciled')?.payload;
    const hash = String(told?.evidence_sha256);
    const bytes = target.ledger.value?.artifacts.get(hash)?.bytes ?? Buffer.alloc(0);
    const evidence = parseCanonical(decodeUtf8(bytes)) as Payload;
    changeEvents(editor, target, (events) => {
      const payload = events.findLast(({ type }) => type === 'effect.reconciled')?.payload ?? {};
      change(evidence, payload);
      payload.evidence_sha256 = textSha256(canonical(evidence));
    });
    changeDatabase(editor, target, (db) => {
      const row = db.prepare('UPDATE artifacts SET sha256 = ?, bytes = ? WHERE sha256 = ?');
      row.run(textSha256(canonical(evidence)), Buffer.from(canonical(evidence)), hash);
    });
    coverAll(editor, target);
    foretellLess(editor, target);
  };
}

const exchangeIn = (evidence: Payload): Payload => evidence.exchange as Payload;

describe('G27: a reconciliation is unsound', () => {
  const rows: [what: string, change: (editor: Editor) => void, ...more: string[]][] = [
    ['where its evidence is of another kind', onEvidence('asked', 'lag', (evidence) => void (evidence.basis = 'provider_fence'))],
    ['where its evidence holds more than it can', onEvidence('asked', 'lag', (evidence) => void (evidence.more = true))],
    [
      'where another key was asked about',
      onEvidence('asked', 'lag', (evidence) => void (exchangeIn(evidence).path = '/keys/another')),
    ],
    [
      'where the provider answered what is said never to have come',
      onEvidence('asked', 'lag', (evidence, payload) => {
        Object.assign(exchangeIn(evidence), { ended: 'timed_out', body: null, content_type: null, status: null });
        payload.reason = 'timed_out';
      }),
    ],
    [
      'where the provider answered something else',
      onEvidence('asked', 'lag', (evidence) => {
        exchangeIn(evidence).body = { data: '{"found":false,"hint":""}', encoding: 'utf8' };
      }),
    ],
    [
      'where a fence was for another attempt',
      onEvidence('delayed', 'fence', (evidence) => void (exchangeIn(evidence).fencing_token = 7)),
    ],
    [
      'where the provider found what had no effect',
      (editor) => {
        for (const name of ['producer', 'lag', 'recover', 'state', 'refuse']) {
          const target = snapshot(editor, 'asked', name);
          editor.receipts(target, (lines) => {
            for (const line of lines) if (line.kind === 'settled' && line.effect !== null) line.effect = null;
          });
          if (name !== 'producer') foretellLess(editor, target);
        }
      },
      ...['observation-mismatch', 'prediction-failed', 'script-departed'],
    ],
    [
      'where the plan has the operator say something else',
      (editor) =>
        editor.plan((plan) => {
          const arm = plan.cases.find(({ id }) => id === 'asked')?.arms.find(({ id }) => id === 'state');
          if (arm?.input !== undefined) arm.input.finding = 'unknown';
        }),
    ],
  ];

  it.each(rows)('%s', (_what, change, ...more) => expectFindings(change, 'reconciliation-unsound', ...more));

  it('unless nobody can have heard the question: a connection that never came to be', () => {
    const tree = changed((editor) => {
      onEvidence('asked', 'lag', (evidence, payload) => {
        Object.assign(exchangeIn(evidence), { ended: 'unreachable', body: null, content_type: null, status: null });
        payload.reason = 'unreachable';
      })(editor);
      editor.receipts(snapshot(editor, 'asked', 'lag'), (lines) => lines.slice(0, -2));
    });
    expect(judged(tree)).toMatchObject({ verdict: 'valid', findings: [] });
  });
});

describe('G29: a recovery is unlawful', () => {
  it('where a role was told another operation than it carried out', () => {
    expectFindings(
      (editor) => {
        const target = snapshot(editor, 'asked', 'state');
        editor.plan((plan) => {
          const arm = plan.cases.find(({ id }) => id === 'asked')?.arms.find(({ id }) => id === 'state');
          if (arm !== undefined) arm.operation = 'finalize';
        });
        editor.process(target, (value) => void (value.operation = 'finalize'));
      },
      // Nobody was told to state what is stated.
      ...['reconciliation-unsound', 'recovery-unlawful'],
    );
  });

  it('where a role that was told nothing carried out an operation', () => {
    expectFindings(
      onEvent('drifted', 'same', 'call.completed', (payload) => {
        payload.recovery = { operation: 'finalize', pid: 2000, version: '0.1.0' };
      }),
      'recovery-unlawful',
    );
  });

  it('where two processes wrote in turns', () => {
    expectFindings(
      onEvent('stopped', 'overtaken', 'attempt.completed', (payload) => {
        payload.recovery = { operation: 'finalize', pid: 2000, version: '0.1.0' };
      }),
      ...['race-doubled', 'recovery-unlawful'],
    );
  });
});

describe('G30: a race', () => {
  it('is doubled where a key has an effect that nobody decided to pay for again', () => {
    expectFindings(
      (editor) => {
        const target = snapshot(editor, 'raced', 'race');
        editor.receipts(target, (lines) => {
          const [received, settled] = lines;
          if (received?.kind !== 'received' || settled?.kind !== 'settled' || settled.effect === null) return;
          // Long after the producer had ended, and by the process that won.
          const late = { request: 2, monotonic_ns: '2250' };
          return [
            ...lines,
            { ...structuredClone(received), ...late, peer_pid: 2000 },
            { ...structuredClone(settled), ...late, effect: { ...settled.effect, effect_id: 'effect-2' } },
          ];
        });
      },
      ...['prediction-failed', 'race-doubled', 'receipt-unintended'],
    );
  });

  it('is doubled where a process that was refused had asked the provider', () => {
    expectFindings(
      (editor) => {
        editor.receipts(snapshot(editor, 'raced', 'race'), (lines) => {
          const [received, settled] = lines;
          if (received?.kind !== 'received' || settled?.kind !== 'settled') return;
          const late = { request: 2, monotonic_ns: '2250' };
          const question = { method: 'GET', path: '/keys/key-1', headers: {}, idempotency_key: null, peer_pid: 2001 };
          return [
            ...lines,
            { ...structuredClone(received), ...late, ...question },
            { ...structuredClone(settled), ...late, status: 501, effect: null },
          ];
        });
      },
      ...['race-doubled'],
    );
  });

  it('is lost where a process was refused for another reason than the race', () => {
    expectFindings((editor) => {
      const [, loser] = snapshot(editor, 'raced', 'race').roles;
      if (loser === undefined) return;
      editor.memberAnswer(loser, ({ refusal }) => void (refusal === null ? null : (refusal.error = 'KeyConflict')));
      editor.member(loser, (value) => void (value.exit = { code: 0, signal: null }));
    }, 'race-lost');
  });
});

describe('G29: a process that was beaten in a race', () => {
  const told = (hazard: 'unsafe' | 'unneeded'): string[] => {
    const tree = changed((editor) => {
      const target = snapshot(editor, 'raced', 'race');
      const [, loser] = target.roles;
      const [call] = target.ledger.value?.events.filter(({ type }) => type === 'call.requested') ?? [];
      if (loser === undefined || call === undefined) return;
      editor.memberAnswer(loser, ({ refusal }) => {
        if (refusal !== null)
          Object.assign(refusal, { error: 'RecoveryRefused', operation: 'none', call_id: call.call_id, hazard });
      });
      editor.member(loser, (value) => void (value.exit = { code: 0, signal: null }));
    });
    return judged(tree).findings.map(({ code, detail }) => `${code}: ${detail}`);
  };

  it('names the hazard that a record showed which it may have read', () => {
    const hazards = (found: readonly string[]): string[] => found.filter((one) => one.includes('The refusal calls'));
    expect(hazards(told('unneeded'))).toEqual([]);
    expect(hazards(told('unsafe'))).toEqual(['recovery-unlawful: The refusal calls unsafe what the record shows as unneeded.']);
  });
});

it('of a race each moment is read, the last one first', () => {
  const [, race] = readBundle(changed(() => undefined)).cases.find(({ id }) => id === 'raced')?.snapshots ?? [];
  if (race === undefined) throw new Error('The small bundle has no race.');
  const { events } = need(race.ledger);
  const begun = need(race.base?.ledger ?? race.ledger).events.length;
  const sizes = (one: Snapshot): number[] => historiesOfGroup(one).map(({ lastSeq }) => lastSeq);
  expect(events.length).toBeGreaterThan(begun);
  expect(sizes(race)).toEqual(Array.from({ length: events.length - begun + 1 }, (_none, fewer) => events.length - fewer));
});

describe('G31: a spec', () => {
  it('is of every request of a case, or of none', () => {
    const tree = changed((editor) => {
      const target = snapshot(editor, 'drifted', 'producer');
      changeEvents(editor, target, (events) => {
        for (const { type, payload } of events) if (type === 'call.requested') delete payload.spec_sha256;
      });
      coverAll(editor, target);
    });
    const missing = judged(tree).findings.filter(
      ({ detail }) => detail === 'What was asked for is not recorded with the request.',
    );
    expect(missing.map(({ where }) => where.snapshot)).toEqual(['producer']);
  });

  it('that is none', () => {
    expectFindings((editor) => {
      const target = snapshot(editor, 'drifted', 'same');
      const text = '{"model":"synthetic-1"}';
      changeEvents(editor, target, (events) => {
        const last = events.findLast(({ type }) => type === 'call.requested');
        if (last !== undefined) last.payload.spec_sha256 = textSha256(text);
      });
      changeDatabase(
        editor,
        target,
        (db) =>
          void db.prepare("INSERT INTO artifacts VALUES (?, 'application/json', ?)").run(textSha256(text), Buffer.from(text)),
      );
      coverAll(editor, target);
    }, 'spec-mismatch');
  });
});
