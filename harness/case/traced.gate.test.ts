/**
 * The system-call ratchet, with real processes and a real tracer: a point dies before its call, or its call fails, and where that did not happen the
 * case is void.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Case, Process } from '../contract/types.js';
import type { PlannedArm, SyscallKill } from '../plan/types.js';
import { isLiving, processFacts } from '../process/proc.js';
import type { SpawnRequest } from '../process/spawn.js';
import type { RunResult } from '../run.js';
import { atIntent, killedCase, readJson } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';
import { realStages } from './context.js';

const stand = standForRuns();

function ratchet(role: 'produce' | 'resume', scenario = 'good', family: SyscallKill['family'] = 'writes'): PlannedArm {
  return {
    ...{ id: 'arm', role, scenario },
    ...(role === 'resume' ? { operation: 'recover' as const } : {}),
    crash: { model: 'syscall-kill', family, every: 1, offset: 0, carry_on: 'recover', outcomes: ['undecided'] },
    expect: { ended: 'completed', events: 0, receipts: 1, effects: 1, outcome: 'completed_once' },
  };
}

function run(arm: PlannedArm, change?: (args: string[]) => string[]): Promise<RunResult> {
  const spawn = (request: SpawnRequest) =>
    realStages.spawn(request.file === 'strace' && change ? { ...request, args: change([...request.args]) } : request);
  return stand.run([killedCase('case', 'good', atIntent, [arm])], { cases: ['case'], stages: { ...realStages, spawn } });
}

const place = ({ bundle }: RunResult, ...path: string[]): string => join(bundle, 'data', 'cases', 'case', ...path);
const processOf = (result: RunResult, snapshot: string) =>
  readJson(place(result, snapshot, 'process.json')) as unknown as Process;
const traceOf = (result: RunResult, snapshot: string): string[] =>
  readFileSync(place(result, snapshot, 'trace.txt'), 'utf8')
    .trimEnd()
    .split('\n');

describe('a ratchet over the writes of a producer', () => {
  let result: RunResult;
  beforeAll(async () => {
    result = await run(ratchet('produce'));
  });

  it('has a point for each write, what carries on from it, and a run behind the last one', () => {
    expect(result.voids).toEqual([]);
    const { snapshots } = readJson(place(result, 'case.json')) as unknown as Case;
    const points = [1, 2].flatMap((n) => [`arm-write-${n}`, `arm-write-${n}-end`]);
    expect(snapshots).toEqual(['producer', 'arm', ...points, 'arm-write-3']);
    // The producer, which was killed at its place, and the points.
    expect(result.kills).toBe(3);
    const reached = { case: 'case', arm: 'arm', role: 'producer', model: 'syscall-kill', family: 'writes', found: 2, tried: 2 };
    expect(result.reached).toEqual([reached]);
  });

  it.each([
    [1, ''],
    [2, 'intent\n'],
  ])('dies before write %i, which leaves what was written before', (n, log) => {
    const point = `arm-write-${n}`;
    const facts = processOf(result, point);
    expect(facts).toMatchObject({ armed: `syscall:write#${n}`, exit: { code: null, signal: 'SIGKILL' }, survivors: [] });
    expect(facts.timeline.map(({ what }) => what)).toEqual(['spawned', 'exit_seen', 'group_empty']);
    const lines = traceOf(result, point);
    expect(lines).toHaveLength(n + 1);
    expect(lines.at(-2)).toMatch(/^\d+ write\(\d+<<state>\/log\.txt>.*\) = \?$/);
    expect(lines.at(-1)).toBe(`${facts.pid} +++ killed by SIGKILL +++`);
    expect(readFileSync(place(result, point, 'state', 'log.txt'), 'utf8')).toBe(log);
    expect(existsSync(place(result, point, 'answer.json'))).toBe(false);
  });

  it('runs to its end where it is armed behind the last one', () => {
    expect(processOf(result, 'arm-write-3')).toMatchObject({ armed: 'syscall:write#3', exit: { code: 0 }, left_behind: [] });
    expect(traceOf(result, 'arm-write-3').slice(0, 3).join('\n')).not.toContain('?');
  });

  it('keeps no path of this machine', () => {
    for (const snapshot of ['arm', 'arm-write-2', 'arm-write-3'])
      expect(traceOf(result, snapshot).join('\n')).not.toMatch(/(?<!<state>)\/[a-z]+\//);
  });
});

describe('a ratchet', () => {
  it('over a resume begins with the state of the producer', async () => {
    const result = await run(ratchet('resume'));
    expect(result.voids).toEqual([]);
    expect(readFileSync(place(result, 'arm-write-1', 'state', 'log.txt'), 'utf8')).toBe('intent\n');
    expect(readFileSync(place(result, 'arm-write-1-end', 'state', 'log.txt'), 'utf8')).toContain('recovered');
  });

  it('over a family of which there is no call has no point', async () => {
    const result = await run(ratchet('produce', 'good', 'syncs'));
    expect(result.voids).toEqual([]);
    expect(readJson(place(result, 'case.json'))).toMatchObject({ snapshots: ['producer', 'arm'] });
  });

  it('takes the children of whom it killed with it, and its tracer for none of them', async () => {
    const result = await run(ratchet('produce', 'good.setsid'));
    expect(result.voids).toEqual([]);
    const facts = processOf(result, 'arm-write-2');
    expect(facts).toMatchObject({ survivors: [] });
    expect(facts.left_behind).toHaveLength(1);
    for (const pid of facts.left_behind) expect(isLiving(processFacts(pid))).toBe(false);
  });
});

describe('faults of the writes of a producer', () => {
  const withFaults = (lasting: boolean): PlannedArm => {
    const arm = ratchet('produce');
    const crash = arm.crash as SyscallKill;
    return { ...arm, crash: { ...crash, model: 'io-fault', error: 'ENOSPC', lasting } };
  };
  const marked = (result: RunResult, snapshot: string): boolean[] =>
    traceOf(result, snapshot)
      .slice(0, -1)
      .map((line) => line.endsWith(' = -1 ENOSPC (No space left on device) (INJECTED)'));

  it('have a point for each write, which ends by itself, what carries on from it, and a run behind the last one', async () => {
    const result = await run(withFaults(false));
    expect(result).toMatchObject({ voids: [], kills: 1 });
    const { snapshots } = readJson(place(result, 'case.json')) as unknown as Case;
    const points = [1, 2].flatMap((n) => [`arm-write-${n}`, `arm-write-${n}-end`]);
    expect(snapshots).toEqual(['producer', 'arm', ...points, 'arm-write-3']);
    const point = processOf(result, 'arm-write-2');
    expect(point).toMatchObject({ armed: 'syscall:write#2', exit: { code: 1, signal: null }, survivors: [], left_behind: [] });
    expect(marked(result, 'arm-write-1')).toEqual([true]);
    expect(marked(result, 'arm-write-2')).toEqual([false, true]);
    expect(marked(result, 'arm-write-3')).toEqual([false, false]);
    expect(readFileSync(place(result, 'arm-write-2', 'state', 'log.txt'), 'utf8')).toBe('intent\n');
  });

  const injecting = (change: (word: string) => string) => (args: string[]) =>
    args.map((word) => (word.startsWith('inject=') ? change(word) : word));

  it.each<[string, boolean, (word: string) => string, RegExp]>([
    ['another call', false, (word) => word.replace('when=1', 'when=2'), /had other calls fail than write 1/],
    ['no call', false, (word) => word.replace(/error=\w+/, 'delay_enter=1'), /had other calls fail than write 1/],
    ['the call with another error', false, (word) => word.replace('ENOSPC', 'EDQUOT'), /had other calls fail than write 1/],
    [
      'nobody, and kills',
      false,
      (word) => word.replace(/error=\w+/, 'signal=SIGKILL'),
      /was to run to its end, and ended by SIGKILL/,
    ],
  ])('by a tracer that has fail %s are void', async (_what, lasting, change, sentence) => {
    const { voids } = await run(withFaults(lasting), injecting(change));
    expect(voids).toMatchObject([
      { snapshot: 'arm-write-1', reason: 'fault-not-proven', detail: expect.stringMatching(sentence) },
    ]);
  });

  it('in a run that was only to be watched are void', async () => {
    const { voids } = await run(withFaults(true), (args) =>
      args.some((word) => word.startsWith('inject='))
        ? args
        : args.toSpliced(args.indexOf('-o'), 0, '-e', 'inject=write:error=ENOSPC:when=1+'),
    );
    expect(voids).toMatchObject([{ snapshot: 'arm', reason: 'fault-not-proven' }]);
  });
});

describe('a tracer that', () => {
  const changed = (change: (word: string) => string) => (args: string[]) => args.map(change);

  it('kills nobody proves nothing', async () => {
    const { voids } = await run(ratchet('produce'), (args) => {
      const at = args.findIndex((word) => word.startsWith('inject='));
      return at < 0 ? args : args.toSpliced(at - 1, 2);
    });
    expect(voids).toMatchObject([
      { snapshot: 'arm-write-1', reason: 'kill-not-proven', detail: 'The process ended by exit 0, not by SIGKILL.' },
    ]);
  });

  it('kills before another call proves nothing', async () => {
    const { voids } = await run(
      ratchet('produce'),
      changed((word) => word.replace(/:when=1$/, ':when=2')),
    );
    expect(voids).toMatchObject([
      { snapshot: 'arm-write-1', reason: 'kill-not-proven', detail: 'The tracer did not kill before write 1.' },
    ]);
  });

  it('kills whom it was only to watch proves nothing', async () => {
    const { voids } = await run(ratchet('produce'), (args) => {
      const at = args.indexOf('-o');
      return args.some((word) => word.startsWith('inject='))
        ? args
        : args.toSpliced(at, 0, '-e', 'inject=write:signal=SIGKILL:when=1');
    });
    expect(voids).toMatchObject([{ snapshot: 'arm', reason: 'kill-not-proven' }]);
  });

  it('tells nothing proves nothing', async () => {
    const { voids } = await run(
      ratchet('produce'),
      changed((word) => (word.endsWith('trace.raw') ? '/dev/null' : word)),
    );
    expect(voids).toMatchObject([
      { snapshot: 'arm', reason: 'kill-not-proven', detail: 'The tracer did not tell how the role ended.' },
    ]);
  });
});

describe('a folder with a name that a tracer rewrites', () => {
  it('is named in one sentence, and the case is void: a path that is not found again would look like no call', async () => {
    const folder = join(stand.folder, 'caf\u00e9');
    mkdirSync(folder);
    const { voids } = await stand.run([killedCase('case', 'good', atIntent, [ratchet('produce')])], { cases: ['case'] }, folder);
    expect(voids).toMatchObject([{ reason: 'mechanism-missing', detail: expect.stringMatching(/path of the output folder/) }]);
  });
});

describe('a machine without strace', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('says so in one sentence, and the case is void', async () => {
    const tools = join(stand.folder, 'tools');
    mkdirSync(tools);
    for (const name of ['git', 'unshare'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(tools, name));
    vi.stubEnv('PATH', tools);
    const { voids } = await run(ratchet('produce'));
    const detail =
      'No system call can be traced here: strace is not installed (apt-get install strace): syscall-kill, io-fault and power-loss cannot be run, and cases with them are void.';
    expect(voids).toEqual([{ case: 'case', snapshot: 'arm', reason: 'mechanism-missing', detail }]);
  });
});
