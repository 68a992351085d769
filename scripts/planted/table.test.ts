import { describe, expect, it } from 'vitest';
import { casesOf, foundIn, modelAt, modelsIn, saidOf, withRows, type Plan } from './table.js';

const plan: Plan = {
  id: 'plan',
  subject: 'calls',
  cases: [
    {
      id: 'killed',
      kill: { at: 'held' },
      arms: [{ id: 'resume' }, { id: 'race', crash: { model: 'race' } }, { id: 'loss', crash: { model: 'power-loss' } }],
    },
    { id: 'whole', kill: null, arms: [{ id: 'later', kill: { at: 'held' } }, { id: 'plain' }] },
  ],
};
const at = (inCase: string | null, snapshot: string | null) => ({ case: inCase, snapshot });

describe('the crash model to which a finding belongs', () => {
  it('is that of the arm, of whatever the arm stands for, or of its case', () => {
    expect(modelAt(plan, at('killed', 'producer'))).toBe('process-kill');
    expect(modelAt(plan, at('killed', 'resume'))).toBe('process-kill');
    expect(modelAt(plan, at('killed', 'race'))).toBe('race');
    expect(modelAt(plan, at('killed', 'loss-n7-r1'))).toBe('power-loss');
    expect(modelAt(plan, at('whole', 'producer'))).toBe('no crash');
    expect(modelAt(plan, at('whole', 'later'))).toBe('process-kill');
    expect(modelAt(plan, at('whole', 'plain'))).toBe('no crash');
  });

  it('is none for what stands at no snapshot', () => {
    expect(modelAt(plan, at('killed', null))).toBeNull();
    expect(modelAt(plan, at(null, null))).toBeNull();
    expect(modelAt(plan, at('killed', 'resume-2'))).toBeNull();
  });

  it('gathers its codes over all runs, each once', () => {
    const report = (...findings: [string, string, string][]) => ({
      findings: findings.map(([code, inCase, snapshot]) => ({ code, where: at(inCase, snapshot) })),
    });
    const first = report(['b', 'killed', 'race'], ['a', 'killed', 'race'], ['b', 'killed', 'race']);
    const second = report(['c', 'killed', 'loss'], ['d', 'nowhere', 'loss']);
    expect(foundIn([first, second].map((one) => ({ plan, report: one })))).toEqual({ race: ['a', 'b'], 'power-loss': ['c'] });
    expect(foundIn([])).toEqual({});
  });
});

describe('a plan that gave no report', () => {
  it('is in the table with its reason, and found nothing', () => {
    const refused = 'The run gave no report (exit 1): there is no strace.';
    const run = { plan, cases: 2, report: null, refused };
    expect(saidOf(run)).toEqual({ plan: plan.id, cases: 2, verdict: 'none', void: 0, refused });
    expect(foundIn([run])).toEqual({});
  });

  it('is told from one that gave one', () => {
    const report = { verdict: 'valid', voids: [], findings: [] };
    expect(saidOf({ plan, cases: 2, report, refused: '' })).toEqual({ plan: plan.id, cases: 2, verdict: 'valid', void: 0 });
  });
});

describe('the models of a plan', () => {
  it('are those of its producers and of its arms', () => {
    expect([...modelsIn(plan)].sort()).toEqual(['no crash', 'power-loss', 'process-kill', 'race']);
  });
});

describe('a table that is made again in part', () => {
  const row = (name: string, why: string) => ({ name, why, plans: [], found: {} });
  it('keeps the other rows, and none of what is planted no more', () => {
    const before = { defects: [row('a', 'old'), row('b', 'old'), row('gone', 'old')] };
    expect(withRows(before, [row('b', 'new'), row('c', 'new')], ['a', 'b', 'c'])).toEqual({
      defects: [row('a', 'old'), row('b', 'new'), row('c', 'new')],
    });
  });
});

describe('some cases of a plan', () => {
  const plain = (id: string) => ({ id, kill: null, arms: [] });
  const many: Plan = { ...plan, cases: [plain('first'), ...plan.cases, plain('second'), plain('third')] };
  it('try each of its models, are as many as were asked for, and come in its order', () => {
    expect(casesOf(many, [], 1)).toContain('killed');
    expect(modelsIn({ cases: many.cases.filter(({ id }) => casesOf(many, [], 1).includes(id)) })).toEqual(modelsIn(plan));
    expect(casesOf(many, ['third', 'first'], 3)).toEqual(['first', 'killed', 'third']);
    expect(casesOf(many, [], 9)).toEqual(['first', 'killed', 'whole', 'second', 'third']);
  });
});
