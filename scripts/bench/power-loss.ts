/**
 * Power loss: the states of one trace of the main scenario, derived, written, opened and recovered by two warm workers, with a
 * line of facts of each, as a run writes it, a second.
 *
 * As in a run, the workers are kept from one arm to the next: the rate is that of a whole run of so many arms, from the moment at which its two
 * processes have started. Its first arm is slower, and counts.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf } from '../../harness/case/derived.js';
import { canonicalLine } from '../../harness/io/canonical.js';
import { installationAt } from '../../harness/io/installation.js';
import { makeMemoryFolder } from '../../harness/io/memory-folder.js';
import type { Plan } from '../../harness/plan/types.js';
import { distinctStatesOf, type Source, survey } from '../../harness/power-loss/derive.js';
import { lookAtStates } from '../../harness/power-loss/look-at.js';
import { createWorker } from '../../harness/power-loss/worker.js';
import { spawnRole } from '../../harness/process/spawn.js';
import { startWatchdog } from '../../harness/process/watchdog-client.js';
import { startProvider } from '../../harness/provider/provider.js';
import { commandOf, findSubjects, subjectNamed } from '../../harness/subject/find.js';
import { producerOf, traceProgram } from '../ground-truth/traced-role.js';
import { atLeast, inFolder, longPairs, median, milliseconds, type Measured } from './measure.js';

const workerCount = 2;
/** As many as the plan of power losses has of calls. */
const arms = 6;
/** Many subsets, so that an arm lasts. */
const parameters = { persistence: 'strictest', subsets: 64, seed: 'bench' } as const;

export async function measurePowerLoss(build: string, plan: Plan): Promise<Measured[]> {
  const installation = installationAt(build);
  const subject = subjectNamed(findSubjects(installation, []), plan.subject);
  const row = plan.cases.find(({ id }) => id === 'control');
  const scenario = row && plan.scenarios[row.scenario];
  const script = row && plan.providers[row.provider];
  if (scenario === undefined || script === undefined) throw new Error('The plan has no case control.');
  return inFolder(async (folder) => {
    const watchdog = startWatchdog(installation.watchdog);
    const provider = await startProvider(installation.provider, watchdog, join(folder, 'provider.log'));
    const memory = makeMemoryFolder('killpoint-bench');
    try {
      mkdirSync(join(folder, 'state'));
      const ground = { program: producerOf(subject, installation), scenario, script, provider, watchdog };
      const { lines } = await traceProgram(ground, join(folder, 'state'), join(folder, 'work'), null);
      const source: Source = { begun: new Map(), lines: () => lines, volatile: subject.description.volatile };
      const { file, args } = commandOf(subject, 'serve', installation);
      const spawn = { file, args, folder: subject.folder, environment: {}, cgroupHome: null, watchdog, talks: true } as const;
      const runs: { states: number; times: number[] }[] = [];
      for (let round = 0; round < longPairs; round++) {
        const workers = Array.from({ length: workerCount }, (_none, index) =>
          createWorker({ start: () => spawnRole(spawn), folder: join(memory.path, `${index}`), deadlineMs: 60_000 }),
        );
        await Promise.all(workers.map(({ lookAt }) => lookAt(new Map())));
        let looked = 0;
        const times: number[] = [];
        for (let arm = 0; arm < arms; arm++) {
          const ms = await milliseconds(async () => {
            const states = distinctStatesOf(source, parameters, survey(source, parameters));
            const kept = openSync(join(folder, `states-${round}-${arm}.jsonl`), 'wx');
            try {
              await lookAtStates(
                states,
                () => true,
                workers,
                ({ state, answer }) => {
                  looked += 1;
                  writeSync(kept, canonicalLine(lineOf(state, answer)));
                },
              );
            } finally {
              closeSync(kept);
            }
          });
          times.push(ms);
        }
        for (const worker of workers) await worker.end();
        runs.push({ states: looked, times });
      }
      return [recovered(runs)];
    } finally {
      memory.remove();
      await provider.end();
      await watchdog.end();
    }
  });
}

function recovered(runs: readonly { states: number; times: readonly number[] }[]): Measured {
  const inAll = runs.map(({ states, times }) => states / (times.reduce((sum, ms) => sum + ms, 0) / 1000));
  const ofArm = (arm: number): number => median(runs.map(({ states, times }) => states / arms / ((times.at(arm) ?? 0) / 1000)));
  const [first, last] = [0, -1].map((arm) => Math.round(ofArm(arm)));
  const detail = `${runs[0]?.states} states in ${arms} arms, ${workerCount} workers, with the derivation; first arm ${first}, last ${last}`;
  return atLeast('power-loss states recovered a second', median(inAll), 1000, detail);
}
