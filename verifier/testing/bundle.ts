/**
 * A whole bundle in memory, small and good: controls, a resume, kills, an honoured key, a planted reach, recoveries. Made from the
 * contract alone; the real ones come from the harness.
 */
import type { Case, Execution, Plan } from '../contract/types.js';
import { canonical } from '../read/canonical.js';
import { sha256 } from '../read/hash.js';
import { readBundle } from '../read/bundle.js';
import type { Tree } from '../read/tree.js';
import { Editor } from '../mutations/editor.js';
import { scripts, type Story } from './ran.js';
import { version } from './recoveries.js';
import { scenarios } from './scenario.js';
import { settings, writeSnapshot } from './snapshot.js';
import { stories } from './stories.js';

const build = { key: 'key', source_sha256: '0'.repeat(64) };
const programs = ['inspect', 'produce', 'restart', 'resume'].map((role) => `runtime/subjects/${role}.js`);

type Files = Map<string, Buffer>;

let whole: Tree | undefined;

/**
 * All cases, or those that are named: with `control` and `held` the controls are there. The whole one is made once for all test files of a
 * worker, who change nothing but copies of it.
 */
export function goodBundle(only?: readonly string[]): Tree {
  if (only !== undefined) return freshBundle(only);
  whole ??= freshBundle();
  return whole;
}

/** Made anew, so with other salts in its databases. */
export function freshBundle(only?: readonly string[]): Tree {
  const told = chosen(stories(), only);
  return assembled(planOf(told), programs, (files, folder, caseId, id) => {
    const ran = told[caseId]?.[id];
    if (ran !== undefined) writeSnapshot(files, folder, ran);
  });
}

export function chosen<T>(told: Record<string, T>, only?: readonly string[]): Record<string, T> {
  return only === undefined ? told : Object.fromEntries(Object.entries(told).filter(([name]) => only.includes(name)));
}

/** The bag around the snapshots of a plan. */
export function assembled(
  plan: Plan,
  programs: readonly string[],
  write: (files: Files, folder: string, caseId: string, id: string) => void,
): Tree {
  const files: Files = new Map();
  const json = (path: string, value: unknown): void => void files.set(path, Buffer.from(`${canonical(value)}\n`));
  json('data/plan.json', plan);
  json('data/build.json', { ...build, files: programs.map((path) => ({ path, sha256: '0'.repeat(64), size: 1 })) });
  json('data/execution.json', executionOf(files, programs.length));
  for (const planned of plan.cases) {
    const names = new Set<string>();
    // What a ratchet stands for shows when its first snapshot is there.
    for (
      let fresh = namesIn(files, planned.id);
      fresh.length > 0;
      fresh = namesIn(files, planned.id).filter((id) => !names.has(id))
    ) {
      for (const id of fresh) {
        names.add(id);
        write(files, `data/cases/${planned.id}/${id}/`, planned.id, id);
      }
    }
    json(`data/cases/${planned.id}/case.json`, {
      case: planned.id,
      snapshots: namesIn(files, planned.id),
      void: null,
    } satisfies Case);
  }
  files.set('bagit.txt', Buffer.from('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'));
  files.set('bag-info.txt', Buffer.from('Bagging-Date: 2026-01-01\nExternal-Identifier: run-1\nPayload-Oxum: 0.0\n'));
  const editor = new Editor({ files, forbidden: [], unreadable: [] });
  editor.repin();
  return editor.tree;
}

/** The snapshots of a case, in the order of the plan. */
function namesIn(files: Files, caseId: string): string[] {
  const { cases } = readBundle({ files, forbidden: [], unreadable: [] });
  return cases.find(({ id }) => id === caseId)?.snapshots.map(({ name }) => name) ?? [];
}

type PlannedCase = Plan['cases'][number];

function planOf(told: Record<string, Story>): Plan {
  return {
    version: 'plan/v1',
    ...{ id: 'small', title: 'Small', question: 'Does it hold?', subject: 'runtime-calls' },
    timeouts: { checkpoint_ms: 1000, role_ms: 1000 },
    ...{ scenarios, providers: scripts, stopping_rule: 'Once.', exclusions: 'None.' },
    controls: { no_kill: ['control'], naive_restart: [{ case: 'held', arm: 'naive' }] },
    cases: Object.entries(told).map(([id, story]) => caseOf(id, story)),
  };
}

function caseOf(id: string, { producer, ...arms }: Story): PlannedCase {
  if (producer === undefined) throw new Error('A story begins with its producer.');
  const { kill, provider = 'answers', scenario = 'review', expect } = producer;
  const planned = Object.entries(arms).filter(([, { partOf }]) => partOf === undefined);
  return {
    ...{ id, title: `The case ${id}.`, scenario, provider, kill: kill as PlannedCase['kill'] },
    expect: expect as PlannedCase['expect'],
    arms: planned.map(([arm, ran]): PlannedCase['arms'][number] => ({
      ...{ id: arm, role: ran.role, provider: ran.provider ?? 'answers' },
      expect: ran.expect as PlannedCase['expect'],
      ...(ran.scenario === undefined ? {} : { scenario: ran.scenario }),
      ...(ran.from === undefined ? {} : { from: ran.from }),
      ...(ran.operation === undefined ? {} : { operation: ran.operation }),
      ...(ran.input === undefined ? {} : { input: ran.input }),
      ...(ran.crash === undefined ? {} : { crash: ran.crash }),
    })),
  };
}

function executionOf(files: Files, programs: number): Execution {
  const hashOf = (path: string): string => sha256(files.get(path) ?? Buffer.alloc(0));
  const time = '2026-01-01T00:00:00.000Z';
  return {
    ...{ version: 'execution/v1', run_id: 'run-1', confirmatory: false, exploratory_reason: 'a test', selected: null },
    ...{ started_at: time, ended_at: time, argv: ['run'], jobs: 1 },
    plan: { git_blob: null, path: null, sha256: hashOf('data/plan.json') },
    git: null,
    build: { ...build, files: programs, inventory_sha256: hashOf('data/build.json') },
    versions: { node: settings.node, packages: { killpoint: version }, sqlite: settings.sqlite },
    platform: { arch: 'x64', cores: 2, file_system: 'ext4', kernel: '6' },
    mechanisms: {},
    says: ['A bundle proves what ran.'],
  };
}
