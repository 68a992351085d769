/**
 * A whole bundle in memory, small and good: two controls, a resume, a held request, a kill at the first event, a retry under an
 * honoured key, a planted reach. Made from the contract alone; the real ones come from the harness.
 */
import type { Answer, Case, Execution, Inspector, Plan, Process } from '../contract/types.js';
import { workStates } from '../model/work-state.js';
import { canonical } from '../read/canonical.js';
import { sha256, textSha256 } from '../read/hash.js';
import { snapshotsOf } from '../read/plan.js';
import type { Tree } from '../read/tree.js';
import { Editor } from '../mutations/editor.js';
import { scripts, stories, type Ran } from './stories.js';
import { scenario } from './scenario.js';
import { beganAt, type Book } from './world.js';

const settings = { journal_mode: 'wal', node: 'v20.20.2', sqlite: '3.53.2', synchronous: 2 };
const build = { key: 'key', source_sha256: '0'.repeat(64) };
const programs = ['inspect', 'produce', 'restart', 'resume'].map((role) => `runtime/subjects/${role}.js`);

const elsewhere = { host: 'example.org', port: 443 };
const scenarios = { review: scenario(), honoured: scenario(true), reached: scenario(false, elsewhere) };

function scenarioOf(caseId: string): keyof typeof scenarios {
  return caseId === 'honoured' || caseId === 'reached' ? caseId : 'review';
}

export function goodBundle(): Tree {
  const told = stories();
  const files = new Map<string, Buffer>();
  const json = (path: string, value: unknown): void => void files.set(path, Buffer.from(`${canonical(value)}\n`));
  const plan = planOf(told);
  json('data/plan.json', plan);
  json('data/build.json', { ...build, files: programs.map((path) => ({ path, sha256: '0'.repeat(64), size: 1 })) });
  json('data/execution.json', executionOf(files));
  for (const planned of plan.cases) {
    const snapshots = snapshotsOf(planned);
    json(`data/cases/${planned.id}/case.json`, {
      case: planned.id,
      snapshots: snapshots.map(({ id }) => id),
      void: null,
    } satisfies Case);
    for (const [index, { id }] of snapshots.entries()) {
      const ran = told[planned.id]?.[id];
      if (ran !== undefined)
        writeSnapshot(files, json, `data/cases/${planned.id}/${id}/`, ran, {
          ...{ plan, given: scenarioOf(planned.id), index, started: 2 * files.size },
        });
    }
  }
  files.set('bagit.txt', Buffer.from('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'));
  files.set('bag-info.txt', Buffer.from('Bagging-Date: 2026-01-01\nExternal-Identifier: run-1\nPayload-Oxum: 0.0\n'));
  const editor = new Editor({ files, forbidden: [], unreadable: [] });
  editor.repin();
  return editor.tree;
}

function planOf(told: Record<string, Record<string, Ran>>): Plan {
  const cases = Object.entries(told).map(([id, { producer, ...arms }]): Plan['cases'][number] => {
    if (producer === undefined) throw new Error('A story begins with its producer.');
    const list = Object.entries(arms).map(([arm, { role, expect, provider = 'answers' }]) => ({
      id: arm,
      role,
      expect,
      provider,
    }));
    return {
      id,
      title: `The case ${id}.`,
      scenario: scenarioOf(id),
      provider: producer.provider ?? 'answers',
      kill: producer.kill,
      expect: producer.expect,
      arms: list,
    };
  });
  return {
    version: 'plan/v1',
    ...{
      id: 'small',
      title: 'Small',
      question: 'Does it hold?',
      subject: 'runtime-calls',
      timeouts: { checkpoint_ms: 1000, role_ms: 1000 },
    },
    ...{ scenarios, providers: scripts, stopping_rule: 'Once.', exclusions: 'None.' },
    controls: { no_kill: ['control'], naive_restart: [{ case: 'held', arm: 'naive' }] },
    cases,
  };
}

function executionOf(files: Map<string, Buffer>): Execution {
  const hashOf = (path: string): string => sha256(files.get(path) ?? Buffer.alloc(0));
  const time = '2026-01-01T00:00:00.000Z';
  return {
    ...{
      version: 'execution/v1',
      run_id: 'run-1',
      confirmatory: false,
      exploratory_reason: 'a test',
      selected: null,
      started_at: time,
      ended_at: time,
      argv: ['run'],
      jobs: 1,
    },
    plan: { git_blob: null, path: null, sha256: hashOf('data/plan.json') },
    git: null,
    build: { ...build, files: programs.length, inventory_sha256: hashOf('data/build.json') },
    versions: { node: settings.node, packages: {}, sqlite: settings.sqlite },
    platform: { arch: 'x64', cores: 2, file_system: 'ext4', kernel: '6' },
    mechanisms: {},
    says: ['A bundle proves what ran.'],
  };
}

function writeSnapshot(
  files: Map<string, Buffer>,
  json: (path: string, value: unknown) => void,
  folder: string,
  ran: Ran,
  { plan, given, index, started }: { plan: Plan; given: keyof typeof scenarios; index: number; started: number },
): void {
  const { book, role, kill, refusal = null, expect, provider = 'answers' } = ran;
  const nonce = `nonce-${started}`;
  const pid = index === 0 ? 1000 : book.pid === 1000 ? 2000 : book.pid;
  const { db, wal } = book.ledgerBytes();
  files.set(`${folder}state/ledger.sqlite`, db);
  files.set(`${folder}state/ledger.sqlite-wal`, wal);
  json(`${folder}state/format.json`, { product: 'killpoint', storage: 'ledger/v1', subject: 'runtime-calls' });
  const state = ['format.json', 'ledger.sqlite', 'ledger.sqlite-wal'].map((path) => {
    const bytes = files.get(`${folder}state/${path}`) ?? Buffer.alloc(0);
    return { path, sha256: sha256(bytes), size: bytes.length };
  });
  files.set(`${folder}receipts.jsonl`, book.receiptBytes);
  const armed = kill === null ? null : kill.at === 'held' ? 'held' : `${kill.checkpoint}#${kill.occurrence}`;
  const place = kill?.at === 'held' ? ('held' as const) : ('announced' as const);
  const moments =
    kill === null
      ? (['spawned', 'exit_seen', 'group_empty'] as const)
      : (['spawned', place, 'sigkill_sent', 'exit_seen', 'group_empty'] as const);
  json(`${folder}process.json`, {
    ...{ argv: ['node', `runtime/subjects/${role}.js`], armed, confinement: { cgroup: false, process_group: true } },
    exit: kill === null ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
    ...{ live_inventory: state, nonce, pgid: pid, pid },
    receipts: { bytes: book.receiptBytes.length, lines: book.receipts.length, sha256: sha256(book.receiptBytes) },
    ...{ role, start_time_ticks: String(started), survivors: [], left_behind: [] },
    scenario_sha256: textSha256(`${canonical(scenarios[given])}\n`),
    script_sha256: textSha256(canonical(plan.providers[provider])),
    // What is seen first comes before every request of the role, and the rest after them.
    timeline: moments.map((what, order) => ({ monotonic_ns: String(beganAt(Math.min(index, 1)) + 100 * order), what })),
  } satisfies Process);
  if (kill?.at === 'checkpoint') {
    const { checkpoint, occurrence } = kill;
    json(`${folder}checkpoint.jsonl`, { checkpoint, nonce, occurrence, pid });
  }
  const refused = Array.from({ length: ran.egress ?? 0 }, () => elsewhere);
  const egress = { mechanism: 'in-process guard' as const, refused: [] };
  if (kill === null) {
    const status = expect.ended === 'killed' ? 'failed' : expect.ended;
    json(`${folder}answer.json`, {
      detail: null,
      egress: { ...egress, refused },
      pid,
      refusal,
      replayed: false,
      role,
      settings,
      status,
    } satisfies Answer);
  }
  const inspectorPid = 5000 + index;
  json(`${folder}inspector.json`, {
    ...{
      after: state,
      argv: ['node', 'runtime/subjects/inspect.js'],
      before: state,
      exit: { code: 0, signal: null },
      pid: inspectorPid,
      start_time_ticks: String(started + 1),
    },
  } satisfies Inspector);
  json(`${folder}inspection.json`, {
    ...{
      detail: null,
      egress,
      pid: inspectorPid,
      refusal: null,
      replayed: false,
      role: 'inspect',
      settings,
      status: 'completed',
    },
    events: book.events,
    artifacts: [...book.artifacts]
      .sort()
      .map(([hash, { bytes, media_type }]) => ({ media_type, sha256: hash, size: bytes.length })),
    projections: projectionsOf(book),
  } satisfies Answer);
}

function projectionsOf(book: Book): NonNullable<Answer['projections']> {
  const reason = 'as recorded';
  return workStates(book.events).map((state) => ({
    ...state,
    task: { ...state.task, reason },
    calls: state.calls.map((call) => ({ ...call, reason })),
    compilations: state.compilations.map((one) => ({ ...one, reason })),
  }));
}
