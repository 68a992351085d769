/**
 * Real processes, real kills: what the harness records of good subjects, and which rule-breaking ends a case as void. The other ways to
 * break a rule are in `broken.gate.test.ts`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { validateAnswer, validateCase, validateExecution, validateInspector, validateProcess } from '../contract/validators.js';
import { parseCanonical, sha256 } from '../io/canonical.js';
import { filesBelow } from '../io/inventory.js';
import { allPids, signal } from '../process/proc.js';
import type { RunResult } from '../run.js';
import { expectVoid, runWithBroken } from '../testing/broken.js';
import { atIntent, held, killedCase, readJson, restart } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';
import { realStages } from './context.js';

const stand = standForRuns();

describe('a run of good subjects', () => {
  let result: RunResult;
  const snapshot = (...path: string[]): string => join(result.bundle, 'data', 'cases', ...path);

  beforeAll(async () => {
    const late = { at: 'checkpoint' as const, checkpoint: 'answer.written', occurrence: 1 };
    const arms = [restart('naive'), { ...restart('again'), from: 'naive' }];
    result = await stand.run([killedCase('at-intent', 'good', atIntent, arms), killedCase('at-answer', 'good', late)]);
  });

  it('has no void case and counts its kills', () => {
    expect(result).toMatchObject({ cases: 4, voids: [], kills: 3, confirmatory: false });
  });

  it('leaves a bag that sha256sum accepts, with its root hash, and no partial folder', () => {
    for (const list of ['manifest-sha256.txt', 'tagmanifest-sha256.txt']) {
      execFileSync('sha256sum', ['-c', '--strict', '--quiet', list], { cwd: result.bundle });
    }
    expect(sha256(readFileSync(join(result.bundle, 'tagmanifest-sha256.txt')))).toBe(result.rootSha256);
    expect(readdirSync(join(result.bundle, '..'))).toEqual([result.runId]);
    const listed = readFileSync(join(result.bundle, 'manifest-sha256.txt'), 'utf8')
      .split('\n')
      .map((line) => line.slice(66))
      .filter(Boolean);
    expect(listed).toEqual(filesBelow(join(result.bundle, 'data')).map((path) => `data/${path}`));
  });

  it('writes records of the right shape, canonical and without a path of this machine', () => {
    const shapes: [RegExp, (value: unknown) => boolean][] = [
      [/\/case\.json$/, validateCase],
      [/\/process\.json$/, validateProcess],
      [/\/inspector\.json$/, validateInspector],
      [/\/(answer|inspection)\.json$/, validateAnswer],
      [/execution\.json$/, validateExecution],
    ];
    let checked = 0;
    for (const path of filesBelow(result.bundle)) {
      const text = readFileSync(join(result.bundle, path), 'utf8');
      expect(text).not.toContain(stand.installation.build);
      expect(text).not.toContain(stand.folder);
      const shape = shapes.find(([name]) => name.test(path));
      if (shape === undefined) continue;
      expect(shape[1](parseCanonical(text)), path).toBe(true);
      checked += 1;
    }
    expect(checked).toBe(4 * 1 + 7 * 3 + 4 + 1);
  });

  it('shows the order of a kill: announced, struck, seen, nobody left', () => {
    const facts = readJson(snapshot('at-intent', 'producer', 'process.json')) as {
      timeline: { what: string }[];
      exit: object;
      survivors: [];
    };
    expect(facts.timeline.map(({ what }) => what)).toEqual(['spawned', 'announced', 'sigkill_sent', 'exit_seen', 'group_empty']);
    expect(facts).toMatchObject({ exit: { code: null, signal: 'SIGKILL' }, survivors: [], armed: 'intent.written#1' });
    const parkedByProvider = readJson(snapshot('held', 'producer', 'process.json')) as { timeline: { what: string }[] };
    expect(parkedByProvider.timeline.map(({ what }) => what)).toEqual([
      'spawned',
      'held',
      'sigkill_sent',
      'exit_seen',
      'group_empty',
    ]);
  });

  it('ends a killed state at its checkpoint, and begins an arm with exactly that state and those receipts', () => {
    expect(readFileSync(snapshot('at-intent', 'producer', 'state', 'log.txt'), 'utf8')).toBe('intent\n');
    expect(readFileSync(snapshot('at-intent', 'again', 'state', 'log.txt'), 'utf8')).toBe(
      'intent\nintent\nanswer\nintent\nanswer\n',
    );
    const before = readFileSync(snapshot('held', 'producer', 'receipts.jsonl'));
    const after = readFileSync(snapshot('held', 'naive', 'receipts.jsonl'));
    expect(before.length).toBeGreaterThan(0);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    const lines = after
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; peer_pid?: number });
    expect(lines.map(({ kind }) => kind)).toEqual(['received', 'settled', 'received', 'settled']);
  });

  it('runs producer, arms and inspectors as processes of their own', () => {
    const identities = filesBelow(result.bundle)
      .filter((path) => /(process|inspector)\.json$/.test(path))
      .map((path) => readJson(result.bundle, path))
      .map(({ pid, start_time_ticks }) => `${String(pid)}@${String(start_time_ticks)}`);
    expect(new Set(identities).size).toBe(14);
  });

  it('never carries a volatile file', () => {
    expect(filesBelow(result.bundle).filter((path) => path.endsWith('/lock'))).toEqual([]);
  });
});

describe('a subject that breaks a rule', () => {
  const behaviours: [string, string][] = [
    ['throws-at-the-checkpoint', 'exited-before-kill'],
    ['half-a-line', 'checkpoint-deadline'],
    ['another-nonce', 'kill-not-proven'],
    ['inspection-fails', 'inspection-failed'],
    ['state-holds-a-link', 'harness-error'],
  ];
  let result: RunResult;

  beforeAll(async () => {
    result = await runWithBroken(stand, behaviours, [
      killedCase('never-sends', 'sends-nothing', held),
      killedCase('speaks', 'writes-a-lot-to-stderr', { at: 'checkpoint', checkpoint: 'answer.written', occurrence: 1 }),
    ]);
  });

  it.each(behaviours)('%s: void, %s', (behaviour, reason) => expectVoid(result, behaviour, reason));

  it('a request that never comes is not waited for: the exit ends the wait', () => {
    expect(result.voids.filter((one) => one.case === 'never-sends')).toMatchObject([{ reason: 'exited-before-kill' }]);
  });

  it('keeps what a role wrote to standard error, without the paths of this machine', () => {
    const words = readFileSync(
      join(result.bundle, 'data', 'cases', 'throws-at-the-checkpoint', 'producer', 'stderr.log'),
      'utf8',
    );
    expect(words).toContain('planted: thrown at the checkpoint');
    expect(readFileSync(join(result.bundle, 'data', 'cases', 'speaks', 'producer', 'stderr.log'), 'utf8')).toBe(
      '<subject>/toy.mjs\n',
    );
    expect(existsSync(join(result.bundle, 'data', 'cases', 'held', 'producer', 'stderr.log'))).toBe(false);
  });

  it('does not touch the cases beside it', () => {
    expect(result.voids.map((one) => one.case).sort()).toEqual(
      [...behaviours.map(([behaviour]) => behaviour), 'never-sends'].sort(),
    );
  });
});

describe('a provider that dies', () => {
  it('voids every case that stood on it, and the run still ends in a sealed bundle', async () => {
    const stages = {
      ...realStages,
      spawn: (request: Parameters<typeof realStages.spawn>[0]) => {
        for (const pid of allPids())
          if (commandLineOf(pid).includes(stand.installation.provider) && parentOf(pid) === process.pid) signal(pid, 'SIGKILL');
        return realStages.spawn(request);
      },
    };
    const result = await stand.run([killedCase('killed', 'good')], { stages });
    expect(result.voids.map(({ reason }) => reason)).toEqual(['provider-lost', 'provider-lost', 'provider-lost']);
    execFileSync('sha256sum', ['-c', '--strict', '--quiet', 'manifest-sha256.txt'], { cwd: result.bundle });
  });

  const commandLineOf = (pid: number): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  };
  const parentOf = (pid: number): number => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
});
