/**
 * Sessions under the harness, with real processes: whatever a killed role had started is gone, its tools too, and the crash models work on a
 * session as on anything else.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Process } from '../contract/types.js';
import type { PlannedCase } from '../plan/types.js';
import { ownCgroup } from '../process/cgroup.js';
import { runPlan, type RunResult } from '../run.js';
import { race, readJson } from '../testing/plans.js';
import { livingTools, plannedSession, sessionArm, sessionCase, sessionPlan } from '../testing/sessions.js';
import { standForRuns } from '../testing/stand.js';
import { realStages, type Stages } from './context.js';

const stand = standForRuns();

const withoutCgroup: Stages = { ...realStages, spawn: (request) => realStages.spawn({ ...request, cgroupHome: null }) };

interface Ran extends RunResult {
  facts<T>(...path: string[]): T;
}

async function run(name: string, cases: PlannedCase[], stages: Stages = realStages): Promise<Ran> {
  const here = join(stand.folder, name.replaceAll(' ', '-'));
  mkdirSync(here);
  const selected = cases.map(({ id }) => id);
  const result = await runPlan(stand.request(sessionPlan(cases), { stages, cases: selected }, here));
  return { ...result, facts: <T>(...path: string[]) => readJson(result.bundle, 'data', 'cases', ...path) as T };
}

describe.each([
  ['with a cgroup', realStages],
  ['without a cgroup', withoutCgroup],
])('a killed role whose tools run as programs of their own, %s', (name, stages) => {
  it('leaves none of them: one that is held, two at once, and one that runs while the result of another is recorded', async () => {
    const one = sessionCase('one', { at: 'held' }, [], { scenario: 'command', provider: 'holdsMail' });
    const both = sessionCase('both', { at: 'held', requests: 2 }, [], { scenario: 'parallel', provider: 'holdsBoth' });
    const other = sessionCase('other', { at: 'checkpoint', checkpoint: 'tool_result', occurrence: 1 }, [], {
      scenario: 'parallel',
      provider: 'asksBoth',
    });
    const struck = await run(`tools ${name}`, [one, both, other], stages);
    expect(livingTools(plannedSession)).toEqual([]);
    expect(struck.voids).toEqual([]);
    for (const id of ['one', 'both', 'other']) {
      const facts = struck.facts<Process>(id, 'producer', 'process.json');
      expect(facts).toMatchObject({ exit: { code: null, signal: 'SIGKILL' }, survivors: [], left_behind: [] });
      expect(facts.timeline.map(({ what }) => what)).toContain('group_empty');
      expect(facts.confinement.cgroup).toBe(stages === realStages && ownCgroup() !== null);
    }
  });
});

describe('what is done to the recoveries of a session', () => {
  const stop = { checkpoint: 'tool_result', occurrence: 1 };
  const owner = { model: 'zombie' as const, stop, other: { operation: 'cancel' as const, input: { at: 'now' } } };
  const before = sessionCase(
    'before',
    { at: 'checkpoint', checkpoint: 'model_step_finished', occurrence: 1 },
    [
      sessionArm('resume'),
      sessionArm('told', { operation: 'send', input: { run_id: 'run-2', text: 'What now?' } }),
      sessionArm('forced', { crash: race(3, true) }),
      sessionArm('early', { crash: race(2, false) }),
      sessionArm('kept', { crash: { ...owner, defeat: 'none' } }),
      sessionArm('deleted', { crash: { ...owner, defeat: 'lease-deleted' } }),
      sessionArm('replaced', { crash: { ...owner, defeat: 'folder-replaced' } }),
      sessionArm('again', { crash: { model: 'crash-in-recovery', commits: [2, 1, 0], depth: 1, same_events: false } }),
      sessionArm('from-its-end', { from: 'forced' }),
    ],
    { scenario: 'parallel', provider: 'asksBoth' },
  );
  let ran: Ran;
  beforeAll(async () => {
    ran = await run('models', [before]);
  });
  const answer = (...path: string[]): Answer => ran.facts('before', ...path, 'answer.json');
  const inspected = (snapshot: string): Answer => ran.facts('before', snapshot, 'inspection.json');
  const statuses = (snapshot: string, members: string[]): string[] =>
    members.map((member) => answer(snapshot, 'members', member).status);

  it('is proved, and leaves no tool', () => {
    expect(ran.voids).toEqual([]);
    expect(livingTools(plannedSession)).toEqual([]);
    for (const one of ['resume', 'told', 'again']) expect(answer(one)).toMatchObject({ status: 'completed', refusal: null });
  });

  it('is carried out by one of several, and refused to each other one', () => {
    for (const [name, racers] of [
      ['forced', 3],
      ['early', 2],
    ] as const) {
      const members = Array.from({ length: racers }, (_none, index) => `racer-${index + 1}`);
      expect(statuses(name, members).sort()).toEqual(['completed', 'refused', 'refused'].slice(0, racers));
      for (const member of members.filter((one) => answer(name, 'members', one).status === 'refused'))
        expect(answer(name, 'members', member)).toMatchObject(
          answer(name, 'members', member).refusal === null
            ? { session_refusal: { reason: 'nothing_open', operation: 'none', on: null, drift: [] } }
            : { refusal: { error: 'OwnerAlive' } },
        );
    }
    expect(answer('from-its-end')).toMatchObject({ status: 'refused', session_refusal: { reason: 'nothing_open' } });
  });

  it('stops an owner with the tool that it has started, and lets both go on', () => {
    expect(statuses('kept', ['owner', 'other'])).toEqual(['completed', 'refused']);
    for (const name of ['kept', 'deleted', 'replaced']) {
      const { timeline } = ran.facts<Process>('before', name, 'members', 'owner', 'process.json');
      expect(timeline.map(({ what }) => what)).toContain('stopped');
    }
  });

  it('ends an owner whose lock was taken away at its next record, and says so', () => {
    for (const name of ['deleted', 'replaced']) {
      expect(statuses(name, ['owner', 'other'])).toEqual(['failed', 'completed']);
      expect(answer(name, 'members', 'owner').detail).toMatch(/somebody else changed it/);
    }
    expect(inspected('deleted')).toMatchObject({ status: 'completed', session: { next_operation: 'close_out' } });
  });

  it('ends as the one that nobody killed, unless a kill left an effect unknown', () => {
    const reasons = (name: string): unknown => inspected(name).session?.['runs'];
    for (const name of ['resume', 'again', 'again-k0-end', 'again-k1-end'])
      expect(reasons(name)).toMatchObject([{ stage: 'finished', reason: 'interrupted' }]);
  });
});
