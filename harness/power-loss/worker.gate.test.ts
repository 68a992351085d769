/**
 * Workers, with real processes: one that dies at a state says so, one that hangs or talks nonsense proves nothing, and none is left.
 */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { canonicalLine } from '../io/canonical.js';
import { isLiving, processFacts } from '../process/proc.js';
import { type RoleProcess, spawnRole } from '../process/spawn.js';
import { startWatchdog, type Watchdog } from '../process/watchdog-client.js';
import { builtInstallation, subjectsFolder, temporaryFolder } from '../testing/plans.js';
import { contentOf } from './content.js';
import { createWorker, statesAtOnce, type Worker } from './worker.js';

const { path: folder, remove } = temporaryFolder();
let watchdog: Watchdog;
let worker: Worker | null = null;
let started: RoleProcess[] = [];
beforeAll(() => {
  watchdog = startWatchdog(builtInstallation().watchdog);
});
afterEach(async () => {
  await worker?.end();
  const living = started.filter(({ pid }) => isLiving(processFacts(pid)));
  if (living.length > 0) throw new Error(`The worker left ${living.map(({ pid }) => pid).join(', ')}.`);
  [worker, started] = [null, []];
});
afterAll(async () => {
  await watchdog.end();
  remove();
});

function workerOf(args: string[], deadlineMs = 5000): Worker {
  const start = (): RoleProcess => {
    const request = { file: process.execPath, args, folder: join(subjectsFolder, 'served'), environment: {} };
    const role = spawnRole({ ...request, cgroupHome: null, watchdog, talks: true });
    started.push(role);
    return role;
  };
  worker = createWorker({ start, folder: join(folder, 'worker'), deadlineMs });
  return worker;
}

const files = (log: string, isMade = true) =>
  new Map([
    ['log.txt', contentOf(Buffer.from(log))],
    ...(isMade ? [['format.json', contentOf(Buffer.from('{}\n'))] as const] : []),
  ]);
const served = ['served.mjs', 'serve'];

describe('a worker', () => {
  it('looks at one state after another, and finds in its folder nothing of the one before', async () => {
    const { lookAt } = workerOf(served);
    expect(await lookAt(files('a\nb\n'))).toMatchObject({ opened: { entries: 2 }, refused: null });
    expect(await lookAt(files('a\n'))).toMatchObject({ opened: { entries: 1 } });
    expect(await lookAt(new Map([['format.json', contentOf(Buffer.from('{}\n'))]]))).toMatchObject({ opened: { entries: 0 } });
    expect(await lookAt(files('a\n', false))).toMatchObject({ refused: { error: 'state-absent' }, remade: { entries: 0 } });
    expect(started).toHaveLength(1);
  });

  it.each(['crash', 'exit'])('that dies at a state (%s) has refused it, and another one goes on', async (how) => {
    const { lookAt } = workerOf(served);
    await lookAt(files('a\n'));
    expect(await lookAt(files(`${how}\n`))).toEqual({ opened: null, refused: { error: 'crashed' }, remade: null });
    expect(await lookAt(files('a\n'))).toMatchObject({ opened: { entries: 1 } });
    expect(started).toHaveLength(2);
  });

  it('takes further states before it has answered the first', async () => {
    const { lookAt } = workerOf(served);
    const answers = await Promise.all([lookAt(files('a\nb\n')), lookAt(files('a\n'))]);
    expect(answers).toMatchObject([{ opened: { entries: 2 } }, { opened: { entries: 1 } }]);
    expect(started).toHaveLength(1);
    const many = Array.from({ length: statesAtOnce + 1 }, () => lookAt(files('a\n')));
    await expect(Promise.all(many)).rejects.toThrow(`${statesAtOnce} states at once`);
  });

  it.each(['crash', 'exit'])(
    'that dies at a state (%s) says nothing of those behind it, which another one looks at',
    async (how) => {
      const { lookAt } = workerOf(served);
      await lookAt(files('a\n'));
      const logs = [`${how}\n`, ...Array.from({ length: statesAtOnce - 1 }, () => 'a\n')];
      const [first, ...others] = await Promise.all(logs.map((log) => lookAt(files(log))));
      expect(first).toEqual({ opened: null, refused: { error: 'crashed' }, remade: null });
      expect(others.map(({ opened }) => opened?.entries)).toEqual(others.map(() => 1));
      const [third, fourth] = await Promise.all([lookAt(files('a\nb\n')), lookAt(files(`${how}\n`))]);
      expect(third).toMatchObject({ opened: { entries: 2 } });
      expect(fourth).toEqual({ opened: null, refused: { error: 'crashed' }, remade: null });
      expect(started).toHaveLength(2);
    },
  );

  it('that started somebody who lives is not kept for other states', async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }).unref();`;
    const answer = canonicalLine({ opened: { digest: '0'.repeat(64), entries: 0 }, refused: null, remade: null });
    const program = (first: string) =>
      `process.stdin.once('data', () => { ${first} process.stdout.write(${JSON.stringify(answer)}); });`;
    for (const leaves of [false, true]) {
      const one = workerOf(['-e', program(leaves ? child : '')]);
      one.demandAlone();
      await one.lookAt(files('a\n'));
      if (leaves) expect(() => one.demandAlone()).toThrow(/outlived the serve role: \d+/);
      else one.demandAlone();
      await one.end();
    }
  });

  it('that hangs proves nothing', async () => {
    const { lookAt } = workerOf(served, 300);
    const [hangs, behind] = [lookAt(files('hang\n')), lookAt(files('a\n'))];
    await expect(hangs).rejects.toMatchObject({ code: 'role-deadline' });
    await expect(behind).rejects.toMatchObject({ code: 'role-deadline' });
  });

  it.each<[string, string]>([
    ['ends before it ever answered', 'process.stderr.write("no such thing\\n"); process.exit(64)'],
    ['answers what is no JSON', 'process.stdin.once("data", () => process.stdout.write("yes\\n"))'],
    [
      'answers nothing',
      'process.stdin.once("data", () => process.stdout.write(\'{"opened":null,"refused":null,"remade":null}\\n\'))',
    ],
    ['talks without an end', 'process.stdin.once("data", () => process.stdout.write("x".repeat(100000)))'],
  ])('that %s is no worker', async (_what, program) => {
    await expect(workerOf(['-e', program]).lookAt(files('a\n'))).rejects.toMatchObject({ code: 'harness-error' });
  });
});
