/**
 * The ground truth of power loss: `npx tsx scripts/ground-truth.ts [--json] [--points <n>]`. Real file systems on images of their own; producers that end, or
 * are killed before a system call; the image copied as it is and mounted again. What is found there must be one of the states that the
 * persistence model derives from the trace, and a loss that is known must show in both.
 *
 * Before the power goes, in every second run somebody else syncs a file of the disk: what nobody synced may survive with it. In how many runs any of
 * it did is counted, since a disk that always lost all of it would be the easiest of all states to derive.
 *
 * Exits 0 where it is so, 1 where a state was found that the model of the file system does not know or where nothing un-synced ever survived, 2 where it cannot be tried here (no root, no loop devices).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installationAt } from '../harness/io/installation.js';
import type { Plan } from '../harness/plan/types.js';
import { startWatchdog } from '../harness/process/watchdog-client.js';
import { startProvider } from '../harness/provider/provider.js';
import { findSubjects, subjectNamed } from '../harness/subject/find.js';
import { ensureBuild, orExit, root } from './build.mjs';
import { createDisks, type FileSystem, whyNoDisks } from './ground-truth/disks.js';
import { derivedAtEnd, type Left, leftIn } from './ground-truth/look.js';
import { type Ground, type KillBefore, producerOf, type Program, traceProgram } from './ground-truth/traced-role.js';

const fileSystems: readonly FileSystem[] = ['ext4', 'xfs'];
/** Before the nth of these a producer is killed; each is made by one thread, at places that are the same in each run. */
const names = ['fsync', 'fdatasync', 'pwrite64', 'rename', 'ftruncate', 'unlink'];
const plans = ['power-loss', 'power-loss-sessions'];
const json = process.argv.includes('--json');
const pointsOfName = process.argv.includes('--points') ? Number(process.argv[process.argv.indexOf('--points') + 1]) : 4;

interface Result {
  readonly fileSystem: FileSystem;
  readonly program: string;
  readonly kill: string;
  readonly items: number;
  readonly pending: number;
  readonly states: number;
  /** Somebody else synced a file of the disk before the power went. */
  readonly stirred: boolean;
  /** Something was found that had not been synced. */
  readonly survived: boolean;
  /** Derived with the model of this file system, and with the one that knows least. */
  readonly known: { readonly own: boolean; readonly strictest: boolean };
}

const why = whyNoDisks();
if (why !== null) {
  process.stderr.write(`The ground truth of power loss cannot be tried here: ${why}.\n`);
  process.exit(2);
}
const installation = installationAt(orExit(ensureBuild));
mkdirSync(join(root, 'evidence/runs'), { recursive: true });
const folder = mkdtempSync(join(root, 'evidence/runs/.ground-truth-'));
const disks = createDisks(join(folder, 'disks'));
const watchdog = startWatchdog(installation.watchdog);
const provider = await startProvider(installation.provider, watchdog, join(folder, 'provider.log'));
/** The program dies with the watchdog; only then can its disk be taken off. */
const stop = (): void => {
  void watchdog.end().then(() => {
    disks.release();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    process.exit(2);
  });
};
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);

const results: Result[] = [];
const losses: { readonly fileSystem: FileSystem; readonly onDisk: boolean; readonly inModel: boolean }[] = [];
let runs = 0;

/** One run on a disk of its own, to the loss of its power. */
async function one(
  fileSystem: FileSystem,
  ground: Ground,
  kill: KillBefore | null,
  stirred = false,
): Promise<{ lines: string[]; left: Left }> {
  const disk = disks.make(fileSystem);
  const { lines } = await traceProgram(ground, disk.state, join(folder, `work-${++runs}`), kill);
  if (stirred) disk.syncAnother();
  let left: Left | null = null;
  disk.powerOff((state) => (left = leftIn(state, ground.program.volatile)));
  if (left === null) throw new Error('Nothing was read.');
  return { lines, left };
}

async function measure(fileSystem: FileSystem, name: string, ground: Ground, kill: KillBefore | null): Promise<string[]> {
  const stirred = results.length % 2 === 1;
  const { lines, left } = await one(fileSystem, ground, kill, stirred);
  const { volatile } = ground.program;
  const strictest = derivedAtEnd(lines, volatile, 'strictest');
  const own = fileSystem === 'ext4' ? derivedAtEnd(lines, volatile, 'ext4') : strictest;
  const result: Result = {
    fileSystem,
    program: name,
    kill: kill === null ? 'none' : `${kill.name}#${kill.nth}`,
    items: strictest.items,
    pending: strictest.pending,
    states: own.states.size,
    stirred,
    survived: left.sha256 !== own.allLost,
    known: { own: own.states.has(left.sha256), strictest: strictest.states.has(left.sha256) },
  };
  results.push(result);
  const { own: isKnown } = result.known;
  process.stderr.write(
    `${isKnown ? 'ok  ' : 'MISS'} ${fileSystem.padEnd(4)} ${name.padEnd(12)} killed before ${result.kill.padEnd(12)} ${result.items} items, ${result.pending} pending, ${result.states} states${stirred ? ', another file synced' : ''}; found${result.survived ? ', not all of it synced' : ''}: ${left.files.join(' ') || 'nothing'}\n`,
  );
  return lines;
}

/** Spread over the calls of a name. */
function pointsIn(lines: readonly string[]): KillBefore[] {
  return names.flatMap((name) => {
    const count = lines.filter((line) => new RegExp(`^\\d+ ${name}\\(`).test(line)).length;
    const points = Math.min(count, pointsOfName);
    return Array.from({ length: points }, (_none, index) => ({ name, nth: Math.floor(((index + 1) * count) / points) }));
  });
}

async function knownLoss(fileSystem: FileSystem, ground: Ground): Promise<void> {
  const { lines, left } = await one(fileSystem, ground, null);
  const { states } = derivedAtEnd(lines, [], fileSystem === 'ext4' ? 'ext4' : 'strictest');
  const announced = lines.some((line) => / answer\(/.test(line));
  const isLost = (files: readonly string[]): boolean => announced && !files.includes('note');
  const loss = { fileSystem, onDisk: isLost(left.files), inModel: [...states.values()].some(isLost) && states.has(left.sha256) };
  losses.push(loss);
  process.stderr.write(
    `${loss.onDisk && loss.inModel ? 'ok  ' : 'MISS'} ${fileSystem.padEnd(4)} a known loss; found: ${left.files.join(' ')}\n`,
  );
}

try {
  for (const id of plans) {
    const plan = JSON.parse(readFileSync(join(root, 'preregistrations', `${id}.json`), 'utf8')) as Plan;
    const subject = subjectNamed(findSubjects(installation, []), plan.subject);
    for (const planned of plan.cases.filter(({ id: name }) => name === 'each' || name === 'grouped')) {
      const scenario = plan.scenarios[planned.scenario];
      const script = plan.providers[planned.provider];
      if (scenario === undefined || script === undefined)
        throw new Error(`The case ${planned.id} has no scenario or no provider.`);
      const ground: Ground = { program: producerOf(subject, installation), scenario, script, provider, watchdog };
      for (const fileSystem of fileSystems) {
        const name = `${plan.subject}/${planned.id}`;
        const lines = await measure(fileSystem, name, ground, null);
        for (const kill of pointsIn(lines)) await measure(fileSystem, name, ground, kill);
      }
    }
  }
  const program: Program = {
    file: process.execPath,
    args: [join(root, 'scripts/ground-truth/known-loss.mjs')],
    folder: root,
    volatile: [],
  };
  const script = { key: 'ignore', requests: [], otherwise: { do: 'answer' } } as const;
  for (const fileSystem of fileSystems)
    await knownLoss(fileSystem, { program, scenario: {}, script, provider, watchdog } as unknown as Ground);
} finally {
  disks.release();
  await provider.end();
  await watchdog.end();
  rmSync(folder, { recursive: true, force: true });
}
const unknown = results.filter(({ known }) => !known.own);
const survived = results.filter((one) => one.survived);
const unseen = losses.filter(({ onDisk, inModel }) => !onDisk || !inModel);
const counts = {
  runs: results.length,
  with_pending: results.filter(({ pending }) => pending > 0).length,
  with_unsynced_found: survived.length,
  known: results.length - unknown.length,
  known_by_the_strictest_model: results.filter(({ known }) => known.strictest).length,
  losses: losses.length,
  losses_seen: losses.length - unseen.length,
};
if (json) process.stdout.write(`${JSON.stringify({ counts, results, losses })}\n`);
else
  process.stdout.write(
    `${Object.entries(counts)
      .map(([name, count]) => `${name.replaceAll('_', ' ')}: ${count}`)
      .join(', ')}\n`,
  );
process.exitCode = unknown.length === 0 && unseen.length === 0 && survived.length > 0 ? 0 : 1;
