import { describe, expect, it } from 'vitest';
import { killedCase, race, recovery, restart, toy, toyPlan, zombie } from '../testing/plans.js';
import { mistakesOf } from './check.js';
import { parsePlan } from './load.js';
import type { CrashInRecovery, Plan, PlannedArm } from './types.js';

function effectsThatHold(count: number): Plan['providers'][string] {
  const requests = Array.from({ length: count }, () => ({ do: 'hold' as const, effect: 'committed' as const }));
  const answers = { do: 'answer' as const };
  return { key: 'ignore', requests: [], otherwise: answers, effects: { charge: { requests, otherwise: answers } } };
}

const pointersOf = (plan: unknown): string[] => mistakesOf(plan, [toy]).map(({ pointer }) => pointer);
const changed = (change: (plan: Plan) => void): Plan => {
  const plan = structuredClone(
    toyPlan([killedCase('killed', 'good', undefined, [restart('first'), { ...restart('second'), from: 'first' }])]),
  );
  change(plan);
  return plan;
};

function faults(every: number, offset: number): NonNullable<PlannedArm['crash']> {
  const sample = { every, offset, carry_on: 'recover', outcomes: ['undecided' as const] } as const;
  return { model: 'io-fault', family: 'syncs', error: 'EIO', lasting: false, ...sample, outcomes: [...sample.outcomes] };
}

function ratchet(every: number, offset: number): NonNullable<PlannedArm['crash']> {
  return { model: 'syscall-kill', family: 'writes', every, offset, carry_on: 'recover', outcomes: ['undecided'] };
}

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

describe('the arms of a plan that are told something, or to which something is done', () => {
  const withArms = (arms: PlannedArm[]): Plan => toyPlan([killedCase('killed', 'good', undefined, arms)]);
  const crashInRecovery = (commits: number[], depth: 1 | 2 = 1): CrashInRecovery => ({
    model: 'crash-in-recovery',
    commits,
    depth,
    same_events: true,
  });
  const mistakes = (arms: PlannedArm[], subject = toy): [string, string][] =>
    mistakesOf(withArms(arms), [subject]).map(({ pointer, sentence }) => [pointer.replace('/cases/2/arms', ''), sentence]);

  it('have no mistake when they are well formed', () => {
    const expect_ = recovery('x').expect;
    expect(
      mistakes([
        recovery('plain', { input: { by: 'someone' } }),
        recovery('forced', {
          crash: race(4, true),
          expect: { ...expect_, ended: 'several', members: { completed: 1, refused: 3, failed: 0 } },
        }),
        recovery('early', { crash: race(2, false) }),
        { ...restart('restarts'), crash: race(2, false), expect: { ...expect_, ended: 'several' } },
        recovery('stopped', { crash: zombie('folder-replaced') }),
        recovery('again', { crash: crashInRecovery([2, 1, 0], 2) }),
        recovery('same', { expect: { ...expect_, same_events_as: 'again-k1-k0-end' } }),
      ]),
    ).toEqual([]);
  });

  it.each<[string, PlannedArm, string, RegExp]>([
    [
      'a crash model and a kill',
      recovery('arm', {
        kill: { at: 'checkpoint', checkpoint: 'commit', occurrence: 1 },
        crash: crashInRecovery([0]),
        expect: { ...recovery('arm').expect, ended: 'killed' },
      }),
      '/0/crash',
      /together with a kill/,
    ],
    ['an operation of another role', { ...restart('arm'), operation: 'recover' }, '/0/operation', /"restart"/],
    ['an input for nothing', { ...restart('arm'), input: {} }, '/0/input', /without an operation/],
    [
      'a zombie of another role',
      { ...restart('arm'), crash: zombie('none'), expect: recovery('x', { crash: zombie('none') }).expect },
      '/0/crash',
      /"resume"/,
    ],
    ['too few commits', recovery('arm', { crash: crashInRecovery([2, 1]) }), '/0/crash/commits', /needs 3/],
    ['too many commits', recovery('arm', { crash: crashInRecovery([1, 1, 0]) }), '/0/crash/commits', /needs 2/],
    ['commits without end', recovery('arm', { crash: crashInRecovery([1, 2 ** 50], 2) }), '/0/crash/commits/1', /more than 1000/],
    [
      'a stop at a place that the subject lacks',
      recovery('arm', { crash: { ...zombie('none'), stop: { checkpoint: 'nowhere', occurrence: 1 } } }),
      '/0/crash/stop/checkpoint',
      /no checkpoint of toy/,
    ],
    [
      'a race that is expected to end like one process',
      recovery('arm', { crash: race(2, true), expect: recovery('arm').expect }),
      '/0/expect/ended',
      /"completed" of several/,
    ],
    [
      'one process that is expected to end like several',
      recovery('arm', { expect: { ...recovery('arm').expect, ended: 'several' } }),
      '/0/expect/ended',
      /one process/,
    ],
    [
      'answers of more processes than act',
      recovery('arm', {
        crash: race(2, true),
        expect: { ...recovery('arm').expect, ended: 'several', members: { completed: 1, refused: 2, failed: 0 } },
      }),
      '/0/expect/members',
      /3 answers, but 2 processes/,
    ],
    [
      'answers of several where one acts',
      recovery('arm', { expect: { ...recovery('arm').expect, members: { completed: 1, refused: 0, failed: 0 } } }),
      '/0/expect/members',
      /one acts/,
    ],
    [
      'the events of itself',
      recovery('arm', { expect: { ...recovery('arm').expect, same_events_as: 'arm' } }),
      '/0/expect/same_events_as',
      /no earlier snapshot/,
    ],
  ])('with %s say where and why', (_name, arm, pointer, sentence) => {
    expect(mistakes([arm])).toEqual([[pointer, expect.stringMatching(sentence)]]);
  });

  it.each([
    ['projection.read', race(2, true), '/0/crash'],
    ['role.ready', race(2, false), '/0/crash'],
    ['projection.read', crashInRecovery([0]), '/0/crash'],
    ['commit', crashInRecovery([0]), '/0/crash'],
  ])('need %s among the checkpoints of the subject', (place, crash, pointer) => {
    const without = { ...toy, checkpoints: toy.checkpoints.filter((name) => name !== place) };
    expect(mistakes([recovery('arm', { crash })], without)).toEqual([
      [pointer, `names "${place}", which is no checkpoint of toy`],
    ]);
  });

  it.each(['lease-deleted', 'folder-replaced'] as const)('cannot defeat (%s) a lock that may be part of the state', (defeat) => {
    const arm = recovery('arm', { crash: zombie(defeat) });
    expect(mistakes([arm], { ...toy, volatile: [] })).toEqual([['/0/crash/defeat', expect.stringMatching(/lease\.sqlite/)]]);
    expect(mistakes([recovery('arm', { crash: zombie('none') })], { ...toy, volatile: [] })).toEqual([]);
  });

  it('take no name that another stands for, before or after it', () => {
    const killed = recovery('arm', { crash: crashInRecovery([0]) });
    expect(mistakes([recovery('arm-k0-END'), killed])).toEqual([['/1/crash', 'repeats the name "arm-k0-end"']]);
    expect(mistakes([killed, recovery('arm-k0')])).toEqual([['/1/id', 'repeats the name "arm-k0"']]);
  });

  it.each<[string, Partial<PlannedArm>, string, RegExp]>([
    ['a restart', { role: 'restart' }, '/0/crash', /needs the role "produce" or "resume"/],
    ['a producer that begins with a state', { role: 'produce', from: 'producer' }, '/0/from', /begins with nothing/],
    ['an offset that no fault has', { role: 'produce', crash: faults(2, 2) }, '/0/crash/offset', /divided by 2/],
    ['an offset that no division leaves', { role: 'produce', crash: ratchet(3, 3) }, '/0/crash/offset', /divided by 3/],
  ])('under a ratchet: %s says where and why', (_name, more, pointer, sentence) => {
    const { operation: _operation, ...arm } = recovery('arm', { crash: ratchet(3, 2) });
    expect(mistakes([{ ...arm, ...more }])).toEqual([[pointer, expect.stringMatching(sentence)]]);
  });

  it('under a ratchet keep every name that begins with theirs', () => {
    const arms = [recovery('Arm-write-1'), recovery('arm', { crash: ratchet(1, 0) }), recovery('army')];
    expect(mistakes(arms)).toEqual([['/0/id', expect.stringMatching(/the ratchet "arm" may need/)]]);
    const failing = [recovery('arm-fsync-1'), recovery('arm', { crash: faults(1, 0) })];
    expect(mistakes(failing)).toEqual([['/0/id', expect.stringMatching(/the ratchet "arm" may need/)]]);
  });

  it('may wait for a request that is on its way', () => {
    const plan = toyPlan([killedCase('late', 'good', { at: 'held' })]);
    plan.providers['holds'] = { ...plan.providers['holds']!, otherwise: { do: 'delay_arrival' } };
    expect(mistakesOf(plan, [toy])).toEqual([]);
  });

  it.each<[number, Plan['providers'][string], RegExp | null]>([
    [3, { key: 'ignore', requests: [], otherwise: { do: 'hold', effect: 'none' } }, null],
    [
      2,
      { key: 'ignore', requests: [{ do: 'hold', effect: 'none' }], otherwise: { do: 'answer' } },
      /waits for 2 held requests.*no more than 1/,
    ],
    [1, effectsThatHold(1), null],
    [2, effectsThatHold(2), null],
    [3, effectsThatHold(2), /waits for 3 held requests.*no more than 2/],
    [1, effectsThatHold(0), /waits for a held request.*holds none/],
  ])('may wait for %i requests at once, as many as the provider can hold', (requests, script, sentence) => {
    const plan = toyPlan([killedCase('late', 'good', { at: 'held', requests })]);
    plan.providers['holds'] = script;
    const late = mistakesOf(plan, [toy]).filter(({ pointer }) => pointer === '/cases/2/kill');
    expect(late.map((mistake) => mistake.sentence)).toEqual(sentence === null ? [] : [expect.stringMatching(sentence)]);
  });

  it('of the wrong shape are told once', () => {
    const arm = { ...recovery('arm'), crash: { model: 'race', racers: 1 }, operation: 'nothing' } as unknown as PlannedArm;
    expect(mistakes([arm]).map(([pointer]) => pointer)).toEqual([
      '/0/operation',
      '/0/crash',
      '/0/crash/racers',
      '/0/expect/ended',
    ]);
  });
});
