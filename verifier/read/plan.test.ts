/** What a plan lets expect: an arm that is killed in its recovery, or under power loss, stands for several snapshots. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../contract/types.js';
import { canonical } from './canonical.js';
import { snapshotsOf, type PlannedCase, type PowerLoss } from './plan.js';
import { readPlan } from './plan-file.js';
import { nothingFound } from './ratchet.js';

const folder = new URL('../../preregistrations/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

type Arm = PlannedCase['arms'][number];
const expected: Arm['expect'] = {
  ...{ ended: 'completed', events: 12, receipts: 1, effects: 1, outcome: 'completed_once', keys: 1, bodies: 1, processes: 1 },
  ...{ questions: 0, reconciled: [], operations: ['finalize'], task: { next_operation: 'check_and_accept', stage: 'open' } },
};
const killed: Arm = {
  ...{ id: 'recover', role: 'resume', operation: 'recover', expect: expected },
  crash: { model: 'crash-in-recovery', commits: [2, 1, 0], depth: 1, same_events: true },
};

function planned(...arms: Arm[]): PlannedCase {
  const plan = JSON.parse(readFileSync(new URL('working-state.json', folder), 'utf8')) as Plan;
  const [one] = plan.cases;
  if (one === undefined) throw new Error('The plan has cases.');
  return { ...one, id: 'only', arms };
}

function namesOf(...arms: Arm[]): string[] {
  return snapshotsOf(planned(...arms)).map(({ id, from }) => `${id} < ${from}`);
}

describe('an arm that is killed in its recovery', () => {
  it('stands for a kill at each commit, and an end of each', () => {
    expect(namesOf(killed)).toEqual([
      'producer < null',
      'recover < producer',
      ...['recover-k0 < producer', 'recover-k0-end < recover-k0'],
      ...['recover-k1 < producer', 'recover-k1-end < recover-k1'],
      ...['recover-k2 < producer', 'recover-k2-end < recover-k2'],
    ]);
  });

  it('is killed again two deep, before the end of the first kill', () => {
    const crash: Arm['crash'] = { model: 'crash-in-recovery', commits: [1, 0], depth: 2, same_events: false };
    expect(namesOf({ ...killed, crash }).slice(2)).toEqual([
      'recover-k0 < producer',
      ...['recover-k0-k0 < recover-k0', 'recover-k0-k0-end < recover-k0-k0'],
      ...['recover-k0-k1 < recover-k0', 'recover-k0-k1-end < recover-k0-k1', 'recover-k0-end < recover-k0'],
      'recover-k1 < producer',
      ...['recover-k1-k0 < recover-k1', 'recover-k1-k0-end < recover-k1-k0', 'recover-k1-end < recover-k1'],
    ]);
  });

  it('dies when it has read, or at its commit, and nothing else is expected of it', () => {
    const dead = snapshotsOf(planned(killed)).filter(({ kill, from }) => kill !== null && from !== null);
    expect(dead.map(({ kill, expect: only }) => [kill, only])).toEqual(
      [
        { at: 'checkpoint', checkpoint: 'projection.read', occurrence: 1 },
        { at: 'checkpoint', checkpoint: 'commit', occurrence: 1 },
        { at: 'checkpoint', checkpoint: 'commit', occurrence: 2 },
      ].map((kill) => [kill, { ended: 'killed' }]),
    );
  });

  it('ends as the one that nobody killed, but for how many steps it took', () => {
    const end = snapshotsOf(planned(killed)).find(({ id }) => id === 'recover-k1-end');
    const { task } = expected;
    expect(end).toMatchObject({ role: 'resume', operation: 'recover', kill: null, crash: null });
    expect(end?.expect).toEqual({
      ...{ ended: 'completed', effects: 1, outcome: 'completed_once', task, same_events_as: 'recover' },
    });
  });
});

const crash: PowerLoss = {
  ...{ model: 'power-loss', persistence: 'ext4', subsets: 4, seed: 'seed', every: 1, offset: 0, carry_on: 'recover' },
  outcomes: ['completed_once'],
};

describe('an arm under power loss', () => {
  const beginnings = [
    { name: 'unmade-r0', state: 1, cut: 0, lines: 0, isMade: false },
    { name: 'n3-r2', state: 9, cut: 4, lines: 2, isMade: true },
  ];
  const standsFor = (arm: Arm) =>
    snapshotsOf(planned(arm), { ...nothingFound, beginnings: () => beginnings }).map(({ id, from, role, operation, input }) => {
      return [`${id} < ${from}`, role, operation, input];
    });

  it('that produces begins with nothing; the producer goes on from what was never made, and a resume from the rest', () =>
    expect(standsFor({ id: 'power', role: 'produce', expect: expected, crash }).slice(1)).toEqual([
      ['power < null', 'produce', null, null],
      ['power-unmade-r0 < power', 'produce', null, null],
      ['power-n3-r2 < power', 'resume', 'recover', null],
    ]));

  it('that resumes is carried on as it was told itself', () => {
    const told = { id: 'power', role: 'resume', operation: 'finalize', input: { note: 'a' }, expect: expected, crash } as const;
    expect(standsFor({ ...told, crash: { ...crash, carry_on: 'resume' } }).slice(1)).toEqual([
      ['power < producer', 'resume', 'finalize', { note: 'a' }],
      ['power-unmade-r0 < power', 'produce', null, null],
      ['power-n3-r2 < power', 'resume', 'finalize', { note: 'a' }],
    ]);
  });

  it('predicts of them the outcomes that are allowed, and nothing else', () => {
    const [, , first] = snapshotsOf(planned({ id: 'power', role: 'produce', expect: expected, crash }), {
      ...nothingFound,
      beginnings: () => beginnings,
    });
    expect(first?.expect).toEqual({ outcomes: ['completed_once'] });
  });
});

describe('a plan file', () => {
  it.each(files)('%s is one', (name) => {
    expect(readPlan(readFileSync(new URL(name, folder))).cases.length).toBeGreaterThan(0);
  });

  const expectIs = { ended: 'several', events: 12, receipts: 1, effects: 1, outcome: 'completed_once' } as const;
  const race: Arm = {
    id: 'race',
    role: 'resume',
    operation: 'finalize',
    crash: { model: 'race', racers: 2, forced: true },
    expect: expectIs,
  };

  it.each<[string, Arm[], RegExp]>([
    ['a restart with an operation', [{ ...killed, role: 'restart' }], /has an operation and is no resume/],
    ['an input for nothing', [{ id: 'a', role: 'resume', input: {}, expect: expected }], /has an input and no operation/],
    ['a crash model and a kill', [{ ...race, kill: { at: 'held' } }], /has a crash model and a kill/],
    ['a race that ends as one', [{ ...race, expect: expected }], /has several processes and is expected otherwise/],
    ['one process that ends as several', [{ id: 'a', role: 'resume', expect: expectIs }], /has several processes/],
    [
      'a number too few',
      [{ ...killed, crash: { model: 'crash-in-recovery', commits: [2, 1], depth: 1, same_events: true } }],
      /has not one number for each commit/,
    ],
    ['a name that an arm stands for', [killed, { ...race, id: 'recover-k1' }], /only\/recover-k1 is planned twice/],
    ['a restart under power loss', [{ id: 'a', role: 'restart', expect: expected, crash }], /is a restart under a tracer/],
    [
      'a producer under power loss that begins with a state',
      [{ id: 'a', role: 'produce', from: 'producer', expect: expected, crash }],
      /is a producer under a tracer and begins with a state/,
    ],
    [
      'a sample of states that no division leaves',
      [{ id: 'a', role: 'resume', expect: expected, crash: { ...crash, every: 2, offset: 2 } }],
      /has an offset that no division leaves/,
    ],
    [
      'a name that a power loss may take',
      [
        { id: 'a', role: 'resume', expect: expected, crash },
        { id: 'a-n3-r2', role: 'resume', expect: expected },
      ],
      /stands for snapshots with the name of another arm/,
    ],
    [
      'an end that is to be one that is not there',
      [{ id: 'a', role: 'resume', expect: { ...expected, same_events_as: 'b' } }],
      /is to end as b, which does not come before it/,
    ],
  ])('with %s contradicts itself', (_what, arms, sentence) => {
    const plan = JSON.parse(readFileSync(new URL('working-state.json', folder), 'utf8')) as Plan;
    const bytes = Buffer.from(canonical({ ...plan, cases: [planned(...arms), ...plan.cases] }));
    expect(() => readPlan(bytes)).toThrow(sentence);
  });

  it('may begin an arm from a snapshot that another stands for', () => {
    expect(namesOf(killed, { ...race, from: 'recover-k1' }).at(-1)).toBe('race < recover-k1');
  });
});
