/**
 * Planted faults of the harness and of its subjects: evidence made by a broken experiment is void or invalid, never valid.
 *
 * The experiment is a part of the main plan, with the real runtime, provider and verifier. The first test shows that it is valid when
 * nothing is planted; without it the others could not fail. Faults are planted through the parameters of a run, never by a flag.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crashModels } from '../crash/models.js';
import { bySigkill, processKillBy, type Strike } from '../crash/process-kill.js';
import { filesBelow } from '../io/inventory.js';
import type { Plan } from '../plan/types.js';
import type { RunRequest } from '../prepare.js';
import { ownCgroup } from '../process/cgroup.js';
import { signal } from '../process/proc.js';
import type { RoleProcess } from '../process/spawn.js';
import { runPlan, type RunResult } from '../run.js';
import { loadSubject } from '../subject/find.js';
import { readJson } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';
import { askForVerdict } from '../verdict.js';
import { realStages, type Stages } from './context.js';

const stand = standForRuns();

/** The cases, each with the one arm that a fault below needs. */
const parts = new Map([
  ['manifest-resumed', 'resume'],
  ['effect-unknown', 'naive-restart'],
  ['control', null],
]);

function partOfMainPlan(): Plan {
  const plan = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '..', '..', 'preregistrations', 'working-state.json'), 'utf8'),
  ) as Plan;
  return {
    ...plan,
    cases: plan.cases
      .filter(({ id }) => parts.has(id))
      .map((planned) => ({ ...planned, arms: planned.arms.filter(({ id }) => id === parts.get(planned.id)) })),
    controls: {
      no_kill: plan.controls.no_kill.filter((id) => parts.has(id)),
      naive_restart: plan.controls.naive_restart.filter((control) => parts.has(control.case)),
    },
    timeouts: { checkpoint_ms: 10_000, role_ms: 10_000 },
  };
}

interface Outcome {
  verdict: string;
  codes: string[];
  voids: RunResult['voids'];
}

async function experiment(more: Partial<RunRequest> = {}): Promise<Outcome & { bundle: string }> {
  const result = await runPlan(stand.request(partOfMainPlan(), { subjects: [], ...more }));
  const { verdict } = await askForVerdict(result.bundle, stand.installation);
  return {
    verdict: verdict.verdict,
    codes: [...new Set(verdict.findings.map(({ code }) => code))].sort(),
    voids: result.voids,
    bundle: result.bundle,
  };
}

const withStage = (stage: Partial<Stages>): Partial<RunRequest> => ({ stages: { ...realStages, ...stage } });

const withKill = (strike: Strike): Partial<RunRequest> =>
  withStage({ models: { ...crashModels, 'process-kill': processKillBy(strike) } });

/** The real subject with one role replaced by a program of our own, which gets the path of the real one as its argument. */
function withRole(role: 'produce' | 'inspect' | 'resume' | 'restart', program: string): Partial<RunRequest> {
  const real = loadSubject(join(stand.installation.subjects, 'calls'));
  const planted = mkdtempSync(join(stand.folder, `planted-${role}-`));
  writeFileSync(join(planted, 'planted.mjs'), program);
  const roles = Object.fromEntries(
    Object.entries(real.description.roles).map(([name, [, file = '']]) => {
      const path = join(real.folder, file);
      return [name, name === role ? ['node', 'planted.mjs', path] : ['node', path]];
    }),
  );
  writeFileSync(join(planted, 'subject.json'), JSON.stringify({ ...real.description, roles }));
  return { subjects: [planted] };
}

describe('the experiment', () => {
  it('is valid when nothing is planted', async () => {
    expect(await experiment()).toMatchObject({ verdict: 'valid', codes: [], voids: [] });
  });

  it('is valid with the same subject by another path: replacing a role is not itself the fault', async () => {
    expect(await experiment(withRole('inspect', 'await import(process.argv[2]);'))).toMatchObject({
      verdict: 'valid',
      codes: [],
      voids: [],
    });
  });
});

describe('a kill', () => {
  it('that does nothing is void', async () => {
    const { verdict, voids } = await experiment(withKill(() => undefined));
    expect(verdict).not.toBe('valid');
    expect(voids.map(({ case: id, reason }) => [id, reason]).sort()).toEqual([
      ['effect-unknown', 'kill-not-proven'],
      ['manifest-resumed', 'kill-not-proven'],
    ]);
  });

  it('that only claims to have struck is void', async () => {
    const { verdict, voids } = await experiment(withKill((_target, struck) => struck(process.hrtime.bigint())));
    expect(verdict).not.toBe('valid');
    expect(voids).toMatchObject([{ reason: 'kill-not-proven' }, { reason: 'kill-not-proven' }]);
  });

  it('by SIGTERM instead of SIGKILL is void', async () => {
    const strike: Strike = ({ pgid }, struck) => {
      struck(process.hrtime.bigint());
      signal(-pgid, 'SIGTERM');
    };
    const { verdict, voids } = await experiment(withKill(strike));
    expect(verdict).not.toBe('valid');
    expect(voids.length).toBeGreaterThan(0);
    for (const one of voids) expect(one).toMatchObject({ reason: 'kill-not-proven', snapshot: 'producer' });
  });
});

describe('a subject', () => {
  it('whose producer throws at the checkpoint is void', async () => {
    const program = `import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const write = fs.writeSync;
      fs.writeSync = (descriptor, ...rest) => {
        if (descriptor === 3) throw new Error('planted: thrown at the checkpoint');
        return write(descriptor, ...rest);
      };
      syncBuiltinESMExports();
      await import(process.argv[2]);`;
    const { verdict, voids } = await experiment(withRole('produce', program));
    expect(verdict).not.toBe('valid');
    expect(voids).toMatchObject([{ case: 'manifest-resumed', reason: 'exited-before-kill' }]);
  });

  it('whose inspection appends is invalid', async () => {
    const program = `import { appendFileSync } from 'node:fs';
      process.on('exit', () => appendFileSync(process.env.KILLPOINT_STATE + '/ledger.sqlite-wal', Buffer.alloc(24)));
      await import(process.argv[2]);`;
    const { verdict, codes } = await experiment(withRole('inspect', program));
    expect(verdict).toBe('invalid');
    expect(codes).toContain('inspection-changed-state');
  });

  it('whose inspection appends a real event is invalid', async () => {
    const program = `const { openRuntime } = await import(new URL('../../index.js', 'file://' + process.argv[2]));
      const runtime = openRuntime({
        directory: process.env.KILLPOINT_STATE,
        provider: { url: 'http://127.0.0.1:9', model: 'none' },
        context: { budgetTokens: 1 },
      });
      runtime.createTask({ taskId: 'planted-' + process.pid, title: 'Appended by an inspection' });
      runtime.close();
      await import(process.argv[2]);`;
    const { verdict, codes, voids } = await experiment(withRole('inspect', program));
    expect([verdict, voids]).toEqual(['invalid', []]);
    expect(codes).toContain('inspection-changed-state');
  });

  it('whose producer writes on after it announced is invalid: the killed ledger does not end at its checkpoint', async () => {
    // It takes the byte that it should wait for as given, commits the next event and then hangs in its request.
    const program = `import fs from 'node:fs';
      import { createServer } from 'node:net';
      import { syncBuiltinESMExports } from 'node:module';
      if (process.env.KILLPOINT_CHECKPOINT) {
        const silent = createServer().listen(0, '127.0.0.1');
        await new Promise((resolve) => silent.once('listening', resolve));
        process.env.KILLPOINT_PROVIDER_URL = 'http://127.0.0.1:' + silent.address().port;
        const read = fs.readSync;
        fs.readSync = (descriptor, buffer, ...rest) => (descriptor === 4 ? (buffer.write('g'), 1) : read(descriptor, buffer, ...rest));
        syncBuiltinESMExports();
      }
      await import(process.argv[2]);`;
    const strike: Strike = (target, struck) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      bySigkill(target, struck);
    };
    const { verdict, codes } = await experiment({ ...withRole('produce', program), ...withKill(strike) });
    expect(verdict).toBe('invalid');
    expect(codes).toContain('checkpoint-mismatch');
  });

  it('whose resume only wakes a helper of the producer is not valid: the helper died with the kill', async () => {
    const helper = `const fs = require('fs'); setInterval(() => {
        if (fs.existsSync(process.argv[1] + '.wake')) fs.appendFileSync(process.argv[1] + '.woken', 'x');
      }, 20)`;
    const program = `import { spawn } from 'node:child_process';
      spawn(process.execPath, ['-e', ${JSON.stringify(helper)}, process.argv[1]], { detached: true, stdio: 'ignore', env: {} }).unref();
      await import(process.argv[2]);`;
    const resume = `import { existsSync, writeFileSync } from 'node:fs';
      const producer = process.argv[1].replace(/planted.mjs$/, 'producer.mjs');
      writeFileSync(producer + '.wake', '');
      setTimeout(() => {
        if (existsSync(producer + '.woken')) writeFileSync(producer + '.lived', '');
        process.exit(70);
      }, 300);`;
    const request = withRole('resume', resume);
    const subject = request.subjects?.[0] ?? '';
    writeFileSync(join(subject, 'producer.mjs'), program);
    const description = readJson(subject, 'subject.json') as { roles: Record<string, string[]> };
    const [, path = ''] = description.roles.produce ?? [];
    description.roles.produce = ['node', 'producer.mjs', path];
    writeFileSync(join(subject, 'subject.json'), JSON.stringify(description));
    // One at a time: a producer of another case must not answer the call.
    const { verdict, bundle } = await experiment({ ...request, jobs: 1 });
    expect(verdict).not.toBe('valid');
    if (ownCgroup() === null) return;
    expect(existsSync(join(subject, 'producer.mjs.lived'))).toBe(false);
    expect(readJson(bundle, 'data', 'cases', 'manifest-resumed', 'resume', 'process.json')).toMatchObject({ exit: { code: 70 } });
  });

  it('whose naive restart does not duplicate is invalid: the control is silent', async () => {
    // Answers what the real one would, without sending anything.
    const program = `process.env.KILLPOINT_PROVIDER_URL = 'http://127.0.0.1:9/';
      await import(process.argv[2]);`;
    const { verdict, codes } = await experiment(withRole('restart', program));
    expect(verdict).toBe('invalid');
    expect(codes).toContain('control-silent');
  });
});

describe('a harness', () => {
  it('that resumes in the process of the producer is invalid', async () => {
    let producer: RoleProcess | null = null;
    const spawn: Stages['spawn'] = (request) => {
      const role = realStages.spawn(request);
      if (request.args.some((word) => word.endsWith('produce.js'))) producer = role;
      const resumes = request.args.some((word) => word.endsWith('resume.js'));
      return resumes && producer !== null ? { ...role, pid: producer.pid, startTicks: producer.startTicks } : role;
    };
    const { verdict, codes } = await experiment({ ...withStage({ spawn }), jobs: 1 });
    expect(verdict).toBe('invalid');
    expect(codes).toContain('process-shared');
  });

  it('that copies the database without its sidecars is invalid', async () => {
    const copy: Stages['copy'] = (from, to, volatile) => {
      const sidecars = to.includes('/bag/') ? filesBelow(from).filter((path) => path.endsWith('-wal')) : [];
      realStages.copy(from, to, [...volatile, ...sidecars]);
    };
    const { verdict, codes } = await experiment(withStage({ copy }));
    expect(verdict).toBe('invalid');
    expect(codes).toContain('copy-incomplete');
  });

  it('that leaves out what --case left out says so, and the bundle is unknown', async () => {
    const { verdict, codes, bundle } = await experiment({
      cases: ['effect-unknown', 'control'],
      exploratory: false,
      argv: ['killpoint', 'run', 'plan.json', '--case', 'control', '--case', 'effect-unknown'],
    });
    expect([verdict, codes]).toEqual(['unknown', []]);
    expect(readJson(bundle, 'data', 'execution.json')).toMatchObject({
      confirmatory: false,
      exploratory_reason: 'only some cases were run (--case)',
      selected: ['effect-unknown', 'control'],
    });
  });

  it('that seals nothing is not valid', async () => {
    const empty = join(stand.folder, 'empty');
    mkdirSync(empty);
    await expect(askForVerdict(empty, stand.installation)).rejects.toThrow(/gave no verdict \(exit 64\): .* is no bundle/);
  });
});
