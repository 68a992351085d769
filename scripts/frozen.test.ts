/** What "keeps its verdict" means, change by change. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { changesIn, frozenBundles, frozenOf, frozenPath, readFrozen, type Frozen, type Judged } from './frozen.js';
import { keptBundles } from './kept.js';

const formats = { execution: 'execution/v1', plan: 'plan/v1', model: 'calls/v1', storage: ['ledger/v1'] };
const judged = (): Judged => ({
  verdict: 'valid',
  confirmatory: true,
  cases: 1,
  void: 0,
  plan: { id: 'p', sha256: 'a' },
  run: { id: 'r', root_sha256: 'b' },
  results: [
    { guarantee: 'G1', scope: 'bundle', result: 'held', expected: 9, seen: 9 },
    { guarantee: 'G5', scope: 'first', result: 'held', expected: 2, seen: 2 },
  ],
  outcomes: [{ case: 'first', snapshot: 'producer', outcome: 'clean' }],
});
const changes = (change: (now: Judged) => void): string[] => {
  const now = judged();
  change(now);
  return changesIn(frozenOf('x', formats, judged()), frozenOf('x', formats, now));
};

describe('a frozen verdict', () => {
  it('is kept by the same verdict, and by one with more guarantees', () => {
    expect(changes(() => undefined)).toEqual([]);
    expect(
      changes((now) => now.results.push({ guarantee: 'G99', scope: 'first', result: 'held', expected: 1, seen: 1 })),
    ).toEqual([]);
  });

  it.each<[string, string, (now: Judged) => void]>([
    [
      'a claim that fell',
      'The frozen claim G5 first was "held, 2 of 2" and is "broken, 2 of 2".',
      ({ results }) => void (results[1]!.result = 'broken'),
    ],
    [
      'a claim that sees less',
      'The frozen claim G5 first was "held, 2 of 2" and is "held, 1 of 2".',
      ({ results }) => void (results[1]!.seen = 1),
    ],
    [
      'a claim that expects more',
      'The frozen claim G1 bundle was "held, 9 of 9" and is "held, 9 of 10".',
      ({ results }) => void (results[0]!.expected = 10),
    ],
    [
      'a claim that is gone',
      'The frozen claim G5 first was "held, 2 of 2" and is gone.',
      ({ results }) => void results.splice(1, 1),
    ],
    [
      'a claim more of an old guarantee',
      'The claim G5 second is new, of a guarantee that was frozen without it.',
      ({ results }) => void results.push({ ...results[1]!, scope: 'second' }),
    ],
    ['a verdict', 'The frozen verdict was "valid" and is "invalid".', (now) => void (now.verdict = 'invalid')],
    ['another root', 'The frozen root_sha256 was "b" and is "c".', ({ run }) => void (run.root_sha256 = 'c')],
    [
      'an outcome',
      'The frozen outcome of first/producer was "clean" and is "paid-twice".',
      ({ outcomes }) => void (outcomes[0]!.outcome = 'paid-twice'),
    ],
    [
      'an outcome more',
      'The outcome of first/resume is new.',
      ({ outcomes }) => void outcomes.push({ ...outcomes[0]!, snapshot: 'resume' }),
    ],
  ])('is not kept by %s', (_what, sentence, change) => expect(changes(change)).toEqual([sentence]));
});

describe('the kept bundles', () => {
  it('are those whose verdicts are frozen', () => expect(keptBundles().sort()).toEqual(frozenBundles()));

  const frozen = frozenBundles().map((bundle) => readFrozen(bundle) as Frozen);

  it('have frozen claims, each file under the name of its bundle', () => {
    for (const { bundle, claims, outcomes, about } of frozen) {
      expect(frozenBundles()).toContain(bundle);
      expect(about.verdict, frozenPath(bundle)).toBe('valid');
      expect(Object.keys(claims).length).toBeGreaterThan(73);
      expect(Object.keys(outcomes).length).toBeGreaterThan(0);
    }
  });

  it('cover every version that the schemas know, so that no reader of an older one is lost unseen', () => {
    const schema = (path: string) =>
      (JSON.parse(readFileSync(path, 'utf8')) as { properties: Record<string, { const?: string; enum?: string[] }> }).properties;
    const known = (part: { const?: string; enum?: string[] } | undefined) => part?.enum ?? [part?.const ?? ''];
    const plan = schema('preregistrations/schema/plan.schema.json');
    const wanted = [
      ...known(schema('evidence/schema/execution.schema.json').version),
      ...known(plan.version),
      ...known(plan.model),
      ...known(schema('evidence/schema/format.schema.json').storage),
    ];
    const found = frozen.flatMap(({ formats: { execution, plan: ofPlan, model, storage } }) => [
      execution,
      ofPlan,
      model,
      ...storage,
    ]);
    expect([...new Set(found)].sort()).toEqual([...new Set(wanted)].sort());
  });
});
