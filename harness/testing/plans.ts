/**
 * Small plans over the toy subject, and the request to run one: what the tests of this folder share.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installationAt, type Installation } from '../io/installation.js';
import type { Subject } from '../contract/types.js';
import type { Kill, Plan, PlannedArm, PlannedCase, Race, Zombie } from '../plan/types.js';
import type { RunRequest } from '../prepare.js';

export const subjectsFolder = resolve(import.meta.dirname, 'subjects');
const checkout = resolve(import.meta.dirname, '..', '..');

/**
 * The compiled programs, built if need be: roles, provider and watchdog are spawned from there, never from sources.
 * KILLPOINT_BUILD names another build to test.
 */
export function builtInstallation(): Installation {
  const build =
    process.env.KILLPOINT_BUILD ??
    execFileSync(process.execPath, [join(checkout, 'scripts', 'build.mjs')], { encoding: 'utf8' }).trim();
  return installationAt(build);
}

export const atIntent: Kill = { at: 'checkpoint', checkpoint: 'intent.written', occurrence: 1 };
export const held: Kill = { at: 'held' };

const expectation = (
  ended: 'killed' | 'completed' | 'refused' | 'several',
  outcome: 'completed_once' | 'duplicated' | 'refused' | 'undecided',
) => ({ ended, events: 0, receipts: 1, effects: 1, outcome });

export function restart(id = 'naive'): PlannedArm {
  return { id, role: 'restart', expect: expectation('completed', 'duplicated') };
}

/** A recovery by the role `resume`; of several processes where a race or a zombie is added. */
export function recovery(id: string, more: Partial<PlannedArm> = {}): PlannedArm {
  const several = more.crash?.model === 'race' || more.crash?.model === 'zombie';
  return {
    id,
    role: 'resume',
    operation: 'recover',
    expect: expectation(several ? 'several' : 'completed', 'completed_once'),
    ...more,
  };
}

export function race(racers: number, forced: boolean): Race {
  return { model: 'race', racers, forced };
}

/** The owner is stopped when it holds the lock and has committed once. */
export function zombie(defeat: Zombie['defeat'], other: Zombie['other'] = { operation: 'recover' }): Zombie {
  return { model: 'zombie', stop: { checkpoint: 'commit', occurrence: 1 }, defeat, other };
}

export function killedCase(id: string, scenario: string, kill: Kill = atIntent, arms: PlannedArm[] = []): PlannedCase {
  return {
    id,
    title: `The toy, ${id}.`,
    scenario,
    provider: kill?.at === 'held' ? 'holds' : 'answers',
    kill,
    expect: expectation('killed', 'undecided'),
    arms,
  };
}

export function control(): PlannedCase {
  return {
    id: 'no-kill',
    title: 'The toy, left alone.',
    scenario: 'good',
    provider: 'answers',
    kill: null,
    expect: expectation('completed', 'completed_once'),
    arms: [],
  };
}

export function heldCase(): PlannedCase {
  return killedCase('held', 'good', held, [{ ...restart(), provider: 'answers' }]);
}

/** The two controls, and whatever a test adds; a scenario for each behaviour that the cases name. */
export function toyPlan(cases: PlannedCase[] = [], subject = 'toy'): Plan {
  const all = [control(), heldCase(), ...cases];
  const names = new Set(all.flatMap((planned) => [planned.scenario, ...planned.arms.flatMap(({ scenario }) => scenario ?? [])]));
  return {
    version: 'plan/v1',
    id: 'toy-plan',
    title: 'The toy',
    question: 'Does the harness see what happened?',
    subject,
    timeouts: { checkpoint_ms: 3000, role_ms: 5000 },
    scenarios: Object.fromEntries([...names].map((name) => [name, scenarioNamed(name)])),
    providers: {
      answers: { key: 'ignore', requests: [], otherwise: { do: 'answer' } },
      holds: { key: 'ignore', requests: [], otherwise: { do: 'hold', effect: 'committed' } },
    },
    controls: { no_kill: ['no-kill'], naive_restart: [{ case: 'held', arm: 'naive' }] },
    cases: all,
    stopping_rule: 'Every case runs once.',
    exclusions: 'A void case makes the verdict unknown.',
  };
}

/** A behaviour with dashes for spaces, then the children to leave behind, each after a dot: `never-announces.setsid`. */
function scenarioNamed(name: string): Plan['scenarios'][string] {
  const [behaviour = 'good', ...children] = name.split('.');
  return { behaviour: behaviour.replaceAll('-', ' '), children, commit: 'each' };
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'killpoint-harness-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function requestFor(plan: Plan, folder: string, installation: Installation, more: Partial<RunRequest> = {}): RunRequest {
  const planFile = join(folder, 'plan.json');
  writeFileSync(planFile, `${JSON.stringify(plan, null, 2)}\n`);
  return {
    planFile,
    out: join(folder, 'runs'),
    subjects: ['toy', 'wrapped'].map((name) => join(subjectsFolder, name)),
    exploratory: true,
    jobs: 2,
    cases: [],
    argv: ['killpoint', 'run', 'plan.json'],
    installation,
    progress: () => undefined,
    ...more,
  };
}

export function readJson(...path: string[]): Record<string, unknown> {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as Record<string, unknown>;
}

export const toy: Subject = {
  protocol: 'subject/v1',
  name: 'toy',
  storage: 'opaque',
  model: 'receipts-only',
  state: '.',
  roles: { produce: ['node', 'a.mjs'], inspect: ['node', 'a.mjs'], resume: ['node', 'a.mjs'], restart: ['node', 'a.mjs'] },
  checkpoints: ['intent.written', 'role.ready', 'projection.read', 'commit'],
  volatile: ['lease.sqlite'],
};
