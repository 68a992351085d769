/**
 * False races and zombies, with real processes: a model that did not do what it stands for ends as void, and leaves nobody behind.
 *
 * That the models are taken for good when nothing is planted is shown in `group.crash.test.ts`; without that these could not fail.
 */
import { describe, expect, it } from 'vitest';
import { type CrashModels, crashModels } from '../crash/models.js';
import { HarnessError } from '../errors.js';
import type { PlannedArm } from '../plan/types.js';
import { isLiving, processFacts } from '../process/proc.js';
import type { RoleProcess } from '../process/spawn.js';
import { stop } from '../process/stop.js';
import type { RunResult } from '../run.js';
import { atIntent, killedCase, race, readJson, recovery, zombie } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';
import { realStages, type Stages } from './context.js';

const stand = standForRuns();

function run(arms: PlannedArm[], stages: Partial<Stages> = {}): Promise<RunResult> {
  return stand.run([killedCase('case', 'good', atIntent, arms)], { cases: ['case'], stages: { ...realStages, ...stages } });
}

describe('a false race', () => {
  const runRace = (play: CrashModels['race']['play'], more: Partial<PlannedArm> = {}): Promise<RunResult> =>
    run([recovery('arm', { crash: race(2, true), ...more })], {
      models: { ...crashModels, race: { ...crashModels.race, play } },
    });

  it('that never overlapped, since one ended before the next was released, is void', async () => {
    const { voids, bundle } = await runRace(async (scene, cast) => {
      const racers = cast.map((part) => scene.start(part));
      await Promise.all(racers.map((racer) => racer.parked()));
      for (const racer of racers) {
        racer.role.goOn();
        await racer.ended();
      }
    });
    expect(voids).toMatchObject([{ snapshot: 'arm', reason: 'no-overlap' }]);
    expect(readJson(bundle, 'data', 'cases', 'case', 'arm', 'group.json')).toMatchObject({ overlap: 1 });
  });

  it('one of whose racers was released before the others were there is void', async () => {
    const { voids } = await runRace(async (scene, [first, ...others]) => {
      const early = scene.start(first!);
      await early.parked();
      early.role.goOn();
      const racers = others.map((part) => scene.start(part));
      await Promise.all(racers.map((racer) => racer.parked()));
      for (const { role } of racers) role.goOn();
      await Promise.all([early, ...racers].map((racer) => racer.ended()));
    });
    expect(voids).toMatchObject([{ reason: 'race-not-proven', detail: 'racer-1 was released before all were there.' }]);
  });

  it('that one racer ran alone is void', async () => {
    const { voids } = await runRace(async (scene, cast) => {
      const racer = scene.start(cast[0]!);
      await racer.parked();
      racer.role.goOn();
      await racer.ended();
    });
    expect(voids).toMatchObject([{ reason: 'race-not-proven', detail: '1 of 2 racers were started.' }]);
  });

  it('whose racers are left waiting is void, and they do not live on', async () => {
    const { voids, bundle } = await runRace(async (scene, cast) => {
      await Promise.all(cast.map((part) => scene.start(part).parked()));
    });
    expect(voids).toMatchObject([{ reason: 'harness-error' }]);
    for (const racer of ['racer-1', 'racer-2']) {
      const facts = readJson(bundle, 'data', 'cases', 'case', 'arm', 'members', racer, 'process.json');
      expect(facts).toMatchObject({ exit: { code: null, signal: 'SIGKILL' }, survivors: [] });
    }
  });

  it.each(['exits-at-the-checkpoint', 'announces-twice', 'another-nonce'])(
    'whose racers break the protocol (%s) is void',
    async (scenario) => {
      const { voids } = await runRace(crashModels.race.play, { scenario });
      expect(voids).toMatchObject([{ snapshot: 'arm', reason: 'race-not-proven' }]);
    },
  );
});

describe('a failure that is not of the case', () => {
  it('ends the run, and the racers that were there already die', async () => {
    const started: RoleProcess[] = [];
    const spawn: Stages['spawn'] = (request) => {
      if (started.length === 2) throw new HarnessError('watchdog-lost', 'planted');
      const role = realStages.spawn(request);
      if (request.environment['KILLPOINT_OPERATION'] !== undefined) started.push(role);
      return role;
    };
    await expect(run([recovery('arm', { crash: race(3, true) })], { spawn })).rejects.toMatchObject({ code: 'watchdog-lost' });
    expect(started).toHaveLength(2);
    for (const { pid } of started) expect(isLiving(processFacts(pid))).toBe(false);
  });
});

describe('a false zombie', () => {
  const runZombie = (play: CrashModels['zombie']['play'], more: Partial<Stages> = {}): Promise<RunResult> =>
    run([recovery('arm', { crash: zombie('lease-deleted') })], {
      models: { ...crashModels, zombie: { ...crashModels.zombie, play } },
      ...more,
    });

  it('whose owner was never stopped is void', async () => {
    const { voids } = await runZombie(async (scene, [first, second]) => {
      const owner = scene.start(first!);
      await owner.parked();
      owner.role.timeline.mark('folder_defeated');
      await scene.start(second!).ended();
      owner.role.goOn();
      await owner.ended();
    });
    expect(voids).toMatchObject([{ reason: 'stop-not-proven' }]);
  });

  it('whose SIGSTOP hits nobody is void', async () => {
    const nobody = 2 ** 22 + 1;
    const spawn: Stages['spawn'] = (request) => {
      const role = realStages.spawn(request);
      return request.environment['KILLPOINT_CHECKPOINT'] === 'commit#1' ? { ...role, pgid: nobody } : role;
    };
    const { voids } = await runZombie(crashModels.zombie.play, { spawn });
    expect(voids).toMatchObject([{ reason: 'stop-not-proven', detail: 'The owner did not stop.' }]);
  });

  it('whose owner had ended before it was stopped is void', async () => {
    const play: CrashModels['zombie']['play'] = (scene, cast, treatment) => {
      const start: typeof scene.start = (part) => {
        const actor = scene.start(part);
        return { ...actor, parked: () => actor.parked().then(async () => void (await actor.role.exited)) };
      };
      return crashModels.zombie.play({ ...scene, start }, cast, treatment);
    };
    const arm = recovery('arm', { crash: zombie('none'), scenario: 'ends-after-the-announcement' });
    const { voids } = await run([arm], { models: { ...crashModels, zombie: { ...crashModels.zombie, play } } });
    expect(voids).toMatchObject([{ reason: 'stop-not-proven', detail: 'The owner did not stop.' }]);
  });

  it('whose owner did not stay stopped is void', async () => {
    const spawn: Stages['spawn'] = (request) => {
      const role = realStages.spawn(request);
      const { environment } = request;
      if (environment['KILLPOINT_CHECKPOINT'] === 'commit#1') owner = role.pid;
      // The other is spawned while the owner is stopped.
      else if (environment['KILLPOINT_OPERATION'] !== undefined) process.kill(owner, 'SIGCONT');
      return role;
    };
    let owner = 0;
    const { voids } = await runZombie(crashModels.zombie.play, { spawn });
    expect(voids).toMatchObject([{ reason: 'stop-not-proven', detail: 'The owner was stopped, and did not stay so.' }]);
  });

  it('beside whose owner the other began before the stop is void', async () => {
    const { voids } = await runZombie(async (scene, [first, second]) => {
      const owner = scene.start(first!);
      await owner.parked();
      const other = scene.start(second!);
      await stop(owner.role, 5000);
      owner.role.timeline.mark('folder_defeated');
      await other.ended();
      owner.role.goOn();
      owner.role.timeline.mark('sigcont_sent');
      process.kill(owner.role.pid, 'SIGCONT');
      await owner.ended();
    });
    expect(voids).toMatchObject([
      { reason: 'stop-not-proven', detail: 'The other process was not alone while the owner was stopped.' },
    ]);
  });

  it('whose lock is not there to be defeated is void, and the stopped owner dies', async () => {
    const arm = recovery('arm', {
      crash: { ...zombie('lease-deleted'), stop: { checkpoint: 'projection.read', occurrence: 1 } },
    });
    const { voids, bundle } = await run([arm]);
    expect(voids).toMatchObject([
      { reason: 'stop-not-proven', detail: 'There was no lease.sqlite to delete: the owner held no lock.' },
    ]);
    const facts = readJson(bundle, 'data', 'cases', 'case', 'arm', 'members', 'owner', 'process.json');
    expect(facts).toMatchObject({ exit: { code: null, signal: 'SIGKILL' }, survivors: [] });
    expect(readJson(bundle, 'data', 'cases', 'case', 'arm', 'group.json')).toMatchObject({ members: ['owner'] });
  });
});
