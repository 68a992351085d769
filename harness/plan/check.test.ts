import { describe, expect, it } from 'vitest';
import type { Subject } from '../contract/types.js';
import { control, heldCase, killedCase, restart, toyPlan } from '../testing/plans.js';
import { mistakesOf } from './check.js';
import { parsePlan, selectCases } from './load.js';
import type { Plan } from './types.js';

const toy: Subject = {
  protocol: 'subject/v1',
  name: 'toy',
  storage: 'opaque',
  model: 'receipts-only',
  state: '.',
  roles: { produce: ['node', 'a.mjs'], inspect: ['node', 'a.mjs'], resume: ['node', 'a.mjs'], restart: ['node', 'a.mjs'] },
  checkpoints: ['intent.written'],
  volatile: [],
};

const pointersOf = (plan: unknown): string[] => mistakesOf(plan, [toy]).map(({ pointer }) => pointer);
const changed = (change: (plan: Plan) => void): Plan => {
  const plan = structuredClone(
    toyPlan([killedCase('killed', 'good', undefined, [restart('first'), { ...restart('second'), from: 'first' }])]),
  );
  change(plan);
  return plan;
};

describe('a plan', () => {
  it('without a mistake has none', () => {
    expect(
      mistakesOf(
        changed(() => undefined),
        [toy],
      ),
    ).toEqual([]);
  });

  it.each<[string, string[], (plan: Plan) => void]>([
    ['an unknown subject', ['/subject'], (plan) => (plan.subject = 'nobody')],
    ['an unknown scenario', ['/cases/0/scenario'], (plan) => (plan.cases[0]!.scenario = 'nothing')],
    ['a scenario named like an inherited member', ['/cases/0/scenario'], (plan) => (plan.cases[0]!.scenario = 'constructor')],
    ['an unknown provider', ['/cases/0/provider'], (plan) => (plan.cases[0]!.provider = 'nothing')],
    ['an unknown scenario of an arm', ['/cases/2/arms/0/scenario'], (plan) => (plan.cases[2]!.arms[0]!.scenario = 'nothing')],
    ['an arm from nowhere', ['/cases/2/arms/1/from'], (plan) => (plan.cases[2]!.arms[1]!.from = 'elsewhere')],
    ['an arm from a later arm', ['/cases/2/arms/0/from'], (plan) => (plan.cases[2]!.arms[0]!.from = 'second')],
    ['a repeated case', ['/cases/2/id'], (plan) => (plan.cases[2]!.id = 'Held')],
    ['a repeated arm', ['/cases/2/arms/1/id'], (plan) => (plan.cases[2]!.arms[1]!.id = 'first')],
    [
      'an arm called producer',
      ['/cases/1/arms/0/id', '/controls/naive_restart/0'],
      (plan) => (plan.cases[1]!.arms[0]!.id = 'producer'),
    ],
    [
      'a checkpoint that the subject does not list',
      ['/cases/2/kill/checkpoint'],
      (plan) => (plan.cases[2]!.kill = { at: 'checkpoint', checkpoint: 'x', occurrence: 1 }),
    ],
    ['a kill without its expectation', ['/cases/2/expect/ended'], (plan) => (plan.cases[2]!.expect.ended = 'completed')],
    ['an expectation without its kill', ['/cases/0/expect/ended'], (plan) => (plan.cases[0]!.expect.ended = 'killed')],
    ['a wait for a request that nobody holds', ['/cases/1/kill'], (plan) => (plan.cases[1]!.provider = 'answers')],
    ['a control that names no case', ['/controls/no_kill/0'], (plan) => (plan.controls.no_kill = ['nothing'])],
    ['a control that is killed', ['/controls/no_kill/0'], (plan) => (plan.controls.no_kill = ['held'])],
    ['a restart control that is no restart', ['/controls/naive_restart/0'], (plan) => (plan.cases[1]!.arms[0]!.role = 'resume')],
    [
      'a restart control without a duplicate',
      ['/controls/naive_restart/0'],
      (plan) => (plan.cases[1]!.arms[0]!.expect.outcome = 'completed_once'),
    ],
    ['no control without a kill', ['/controls/no_kill'], (plan) => (plan.controls.no_kill = [])],
    ['no case', ['/cases', '/controls/no_kill/0', '/controls/naive_restart/0'], (plan) => (plan.cases = [])],
    ['an unknown member', [''], (plan) => Object.assign(plan, { surprise: 1 })],
  ])('with %s says where', (_name, pointers, change) => {
    expect(pointersOf(changed(change))).toEqual(pointers);
  });

  it('gets all its mistakes at once, shape and meaning', () => {
    const plan = changed((draft) => {
      draft.subject = 'nobody';
      draft.cases[0]!.scenario = 'nothing';
      Object.assign(draft.cases[2]!, { kill: { at: 'checkpoint' } });
      Reflect.deleteProperty(draft, 'title');
    });
    expect(pointersOf(plan).sort()).toEqual(['', '/cases/0/scenario', '/cases/2/kill', '/subject']);
  });

  it('that is not an object, or not JSON, is refused in a sentence', () => {
    expect(pointersOf([])).toEqual(['']);
    expect(pointersOf(null)).toEqual(['']);
    expect(() => parsePlan(Buffer.from('{'), 'p.json', [toy])).toThrow(/p\.json is not JSON in UTF-8/);
    expect(() => parsePlan(Buffer.from([0x22, 0xff, 0x22]), 'p.json', [toy])).toThrow(/not JSON in UTF-8/);
  });

  it('survives being cut anywhere: every prefix is refused, none crashes the check', () => {
    const holes = ['cases', 'controls', 'providers', 'scenarios', 'timeouts'] as const;
    for (const hole of holes) {
      for (const value of [null, 3, [null], { a: null }, [{ arms: [null] }]]) {
        expect(pointersOf(changed((plan) => Object.assign(plan, { [hole]: value }))).length).toBeGreaterThan(0);
      }
    }
  });
});

describe('the selection of cases', () => {
  const plan = toyPlan();

  it('keeps plan order, and is everything by default', () => {
    expect(selectCases(plan, []).map(({ id }) => id)).toEqual([control().id, heldCase().id]);
    expect(selectCases(plan, ['held', 'no-kill']).map(({ id }) => id)).toEqual(['no-kill', 'held']);
  });

  it('refuses a name that the plan does not have', () => {
    expect(() => selectCases(plan, ['x'])).toThrow('has no case "x"');
  });
});
