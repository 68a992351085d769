/** Small pieces of kept evidence for a fuzzer to begin with: what chance would take very long to write. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withSums } from './wal-sums.js';

const kept = 'evidence/kept';
const mostBytes = 60 * 1024;
const each = 6;

let listed: string[] | undefined;
const pathsOf = (name: string): string[] => {
  listed ??= readdirSync(kept, { recursive: true, encoding: 'utf8' });
  return listed.filter((path) => path.endsWith(`/${name}`));
};

/** The smallest files of that name, of as many different sizes. */
function smallest(name: string, least = 1): Buffer[] {
  const paths = pathsOf(name);
  const bySize = new Map(paths.map((path) => [statSync(join(kept, path)).size, join(kept, path)]));
  const fitting = [...bySize].filter(([size]) => size >= least && size <= mostBytes).sort(([left], [right]) => left - right);
  const step = Math.max(1, Math.floor(fitting.length / each));
  return fitting.filter((_one, index) => index % step === 0).map(([, path]) => readFileSync(path));
}

function bag(): Buffer {
  const zeros = '0'.repeat(64);
  const payload = ['data/build.json', 'data/cases/a/case.json', 'data/execution.json', 'data/plan.json'];
  const tags = ['bag-info.txt', 'bagit.txt', 'manifest-sha256.txt'];
  const files = {
    'bagit.txt': 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8',
    'bag-info.txt': 'Bagging-Date: 2026-01-01\nExternal-Identifier: run-1\nPayload-Oxum: 12.4',
    ...Object.fromEntries(payload.map((path) => [path, '{}'])),
    'manifest-sha256.txt': payload.map((path) => `${zeros}  ${path}`).join('\n'),
    'tagmanifest-sha256.txt': tags.map((path) => `${zeros}  ${path}`).join('\n'),
  };
  return Buffer.from(
    Object.entries(files)
      .map(([path, text]) => `=${path}\n${text}`)
      .join('\n'),
  );
}

/** A bag of few bytes whose lists are written from its files; a name of many short parts is soon another name. */
function shortBag(): Buffer {
  const state = 'data/cases/a/b/state/c/d/e/f/g';
  const tags = 'bagit.txt\nBagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n=bag-info.txt\nBagging-Date: 2026-01-01';
  const info = 'External-Identifier: run-1\nPayload-Oxum: 4.2';
  return Buffer.from(`=${tags}\n${info}\n=data/plan.json\n1\n=${state}\n1\n=manifest-sha256.txt\n*\n=tagmanifest-sha256.txt\n*`);
}

/**
 * Two pages and a log of two commits in the least size of page, so that most of what chance changes is of the log; no ledger is
 * that small.
 */
function shortLedger(): Buffer {
  const pageSize = 512;
  const database = Buffer.alloc(2 * pageSize, 'database');
  database.writeUInt16BE(pageSize, 16);
  const header = Buffer.alloc(32, 'salt');
  header.writeUInt32BE(0x377f0683, 0);
  header.writeUInt32BE(pageSize, 8);
  const frames = [
    [1, 0],
    [2, 2],
    [3, 0],
    [1, 3],
  ].map(([page = 0, commit = 0]) => {
    const frame = Buffer.alloc(24 + pageSize, `page ${page} `);
    frame.writeUInt32BE(page, 0);
    frame.writeUInt32BE(commit, 4);
    frame.writeUInt16BE(pageSize, 24 + 16);
    return frame;
  });
  return pairOf(database, withSums(Buffer.concat([header, ...frames])));
}

function pairOf(database: Buffer, log: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(database.length);
  return Buffer.concat([length, database, log]);
}

/** A database and its log as one input. */
function ledgers(): Buffer[] {
  const pairs = pathsOf('ledger.sqlite-wal');
  const made = pairs.map((path) => {
    return pairOf(readFileSync(join(kept, path.slice(0, -'-wal'.length))), readFileSync(join(kept, path)));
  });
  const bySize = new Map(made.map((bytes) => [bytes.length, bytes]));
  return [...bySize]
    .sort(([left], [right]) => left - right)
    .filter(([size]) => size <= mostBytes)
    .slice(0, each)
    .map(([, bytes]) => bytes);
}

/** The two controls of a kept plan, with names that differ in a digit: most of what chance changes in a whole plan is prose. */
function shortPlan(): Buffer {
  const [whole = Buffer.alloc(0)] = smallest('plan.json');
  const plan = JSON.parse(whole.toString('utf8')) as Plan;
  const [control] = plan.controls.naive_restart;
  const alone = plan.cases.find(({ id }) => id === plan.controls.no_kill[0]);
  const restarted = plan.cases.find(({ id }) => id === control?.case);
  const arm = restarted?.arms.find(({ id }) => id === control?.arm);
  if (alone === undefined || restarted === undefined) throw new Error('The smallest kept plan lacks its controls.');
  const { [alone.scenario]: scenario } = plan.scenarios;
  const { [alone.provider]: provider } = plan.providers;
  const numbers = [1, 2, 3, 4, 5, 6];
  const of = { title: 't', scenario: 'work', provider: 'all' };
  const short = {
    ...{ ...plan, title: 't', question: 'q', stopping_rule: 's', exclusions: 'e' },
    scenarios: { work: scenario },
    providers: Object.fromEntries(['all', ...numbers.map((number) => `spare-${number}`)].map((name) => [name, provider])),
    controls: { no_kill: ['none'], naive_restart: [{ case: 'one', arm: 'arm-1' }] },
    cases: [
      { ...alone, ...of, id: 'none', arms: [] },
      {
        ...restarted,
        ...of,
        id: 'one',
        arms: numbers.map((number) => ({ ...arm, provider: 'all', id: `arm-${number}` })),
      },
    ],
  };
  return Buffer.from(JSON.stringify(short));
}

interface Plan {
  readonly scenarios: Readonly<Record<string, unknown>>;
  readonly providers: Readonly<Record<string, unknown>>;
  readonly controls: { readonly no_kill: readonly string[]; readonly naive_restart: readonly { case: string; arm: string }[] };
  readonly cases: readonly {
    readonly id: string;
    readonly scenario: string;
    readonly provider: string;
    readonly arms: readonly { readonly id: string }[];
  }[];
}

export const seeds: Readonly<Record<string, () => Buffer[]>> = {
  frames: () => smallest('session.wal'),
  ledger: () => [shortLedger(), ...ledgers()],
  receipts: () => smallest('receipts.jsonl'),
  bag: () => [bag(), shortBag()],
  plan: () => [shortPlan(), ...smallest('plan.json').slice(0, 3)],
};
