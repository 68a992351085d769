/**
 * The kill stage alone: spawn, checkpoint, SIGKILL, reaped, prefix closed, state copied; two at a time, by the harness's own steps.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { act } from '../../harness/case/act.js';
import { crashModels } from '../../harness/crash/models.js';
import { installationAt } from '../../harness/io/installation.js';
import { copyState } from '../../harness/io/inventory.js';
import type { Plan } from '../../harness/plan/types.js';
import { spawnRole, type RoleProcess } from '../../harness/process/spawn.js';
import { startWatchdog } from '../../harness/process/watchdog-client.js';
import { startProvider } from '../../harness/provider/provider.js';
import { commandOf, findSubjects, subjectNamed } from '../../harness/subject/find.js';
import { atLeast, inFolder, longPairs, median, milliseconds, type Measured } from './measure.js';

const kills = 30;
const lanes = 2;
const armed = { at: 'checkpoint', checkpoint: 'call.manifest', occurrence: 1 } as const;
const killed = { model: 'process-kill', at: armed } as const;

export async function measureKillStage(build: string, plan: Plan): Promise<Measured[]> {
  const installation = installationAt(build);
  const subject = subjectNamed(findSubjects(installation, []), plan.subject);
  const command = commandOf(subject, 'produce', installation);
  const row = plan.cases.find(({ id }) => id === 'manifest-resumed');
  const scenario = row && plan.scenarios[row.scenario];
  const script = row && plan.providers[row.provider];
  if (scenario === undefined || script === undefined) throw new Error('The plan has no case manifest-resumed.');

  return inFolder(async (folder) => {
    writeFileSync(join(folder, 'scenario.json'), JSON.stringify(scenario));
    const watchdog = startWatchdog(installation.watchdog);
    const provider = await startProvider(installation.provider, watchdog, join(folder, 'provider.log'));
    let name = 0;
    const one = async (): Promise<void> => {
      const work = join(folder, String(name++));
      mkdirSync(join(work, 'state'), { recursive: true });
      const prefix = await provider.open(join(work, 'receipts.jsonl'), script, false);
      const environment = {
        KILLPOINT_STATE: join(work, 'state'),
        KILLPOINT_PROVIDER_URL: prefix.url,
        KILLPOINT_SCENARIO: join(folder, 'scenario.json'),
        KILLPOINT_OUT: join(work, 'answer.json'),
        KILLPOINT_CHECKPOINT: `${armed.checkpoint}#${armed.occurrence}`,
      };
      const { volatile } = subject.description;
      const spawn = (): RoleProcess => spawnRole({ ...command, folder: subject.folder, environment, cgroupHome: null, watchdog });
      const ground = { state: join(work, 'state'), aside: () => join(work, 'aside'), volatile, copy: copyState };
      const stage = { ...ground, spawn, prefix, limits: plan.timeouts };
      const { all, trouble } = await act(stage, crashModels['process-kill'], killed);
      await prefix.close();
      copyState(join(work, 'state'), join(work, 'copy'), volatile);
      for (const { role } of all) role.release();
      if (trouble !== null) throw trouble;
    };
    const lane = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) await one();
    };
    try {
      await lane(1);
      const rates: number[] = [];
      for (let round = 0; round < longPairs; round++) {
        const ms = await milliseconds(() => Promise.all(Array.from({ length: lanes }, () => lane(kills / lanes))));
        rates.push(kills / (ms / 1000));
      }
      return [
        atLeast('kill stages a second', median(rates), 5, `${kills} kills in each of ${rates.length} rounds, ${lanes} at a time`),
      ];
    } finally {
      await provider.end();
      await watchdog.end();
    }
  });
}
