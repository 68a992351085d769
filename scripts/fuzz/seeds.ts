/** Small pieces of kept evidence for a fuzzer to begin with: what chance would take very long to write. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

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

/** A database and its log as one input. */
function ledgers(): Buffer[] {
  const pairs = pathsOf('ledger.sqlite-wal');
  const made = pairs.map((path) => {
    const [log, database] = [readFileSync(join(kept, path)), readFileSync(join(kept, path.slice(0, -'-wal'.length)))];
    const length = Buffer.alloc(4);
    length.writeUInt32BE(database.length);
    return Buffer.concat([length, database, log]);
  });
  const bySize = new Map(made.map((bytes) => [bytes.length, bytes]));
  return [...bySize]
    .sort(([left], [right]) => left - right)
    .filter(([size]) => size <= mostBytes)
    .slice(0, each)
    .map(([, bytes]) => bytes);
}

export const seeds: Readonly<Record<string, () => Buffer[]>> = {
  frames: () => smallest('session.wal'),
  ledger: ledgers,
  receipts: () => smallest('receipts.jsonl'),
  bag: () => [bag()],
  plan: () => smallest('plan.json'),
};
