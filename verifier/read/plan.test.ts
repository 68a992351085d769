/** What a plan lets expect: an arm that is killed in its recovery stands for several snapshots. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../contract/types.js';
import { canonical } from './canonical.js';
import { snapshotsOf, type PlannedCase } from './plan.js';
import { readPlan } from './plan-file.js';

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
