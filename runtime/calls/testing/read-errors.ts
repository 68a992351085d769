/** Each way in which a state folder cannot be read, or read and not written, made for real, with the code and the sentence that belong to it. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { RuntimeErrorCode } from '../../core/errors.js';
import { leaseIn, ledgerIn, looks, withoutLease, type How } from './every-operation.js';
import { available } from '../../testing/mechanism.js';

/** Root may read everything, unless it gives that up. */
export const withoutPrivileges = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
export const modesCount = available(
  'setpriv',
  spawnSync(withoutPrivileges[0] ?? 'true', [...withoutPrivileges.slice(1), 'true']).status === 0,
);
export const limitable = available('prlimit', spawnSync('prlimit', ['--version']).status === 0);

type Undo = () => void;

export interface Row extends How {
  kind: 'locked' | 'unreadable' | 'unwritable' | 'missing' | 'wrong kind' | 'too many open files';
  what: string;
  spoil: (folders: readonly string[]) => Undo | void | Promise<Undo>;
  code: RuntimeErrorCode;
  /** The sentence: what, why, and what to do. */
  says: RegExp;
  /** Who need not read what is spoiled. */
  not?: readonly string[];
  /** The ledger itself is opened and read, so the log's index is made anew. */
  ledgerRead?: true;
}

const each =
  (spoil: (folder: string) => void): Row['spoil'] =>
  (folders) =>
    folders.forEach(spoil);

export const missing: Row[] = [
  {
    kind: 'missing',
    what: 'the folder',
    spoil: each((folder) => fs.rmSync(folder, { recursive: true })),
    code: 'state-absent',
    says: /^There is no ledger in \S+\. Check the path, or ask to create one\.$/,
  },
  {
    kind: 'missing',
    what: 'the ledger',
    spoil: each((folder) => fs.rmSync(ledgerIn(folder))),
    code: 'ledger-missing',
    says: /^The folder is there and its ledger is not: \S+ledger\.sqlite\. Restore it; it is not started anew\.$/,
  },
  {
    kind: 'missing',
    what: 'the format record',
    spoil: each((folder) => fs.rmSync(join(folder, 'format.json'))),
    code: 'state-unfinished',
    says: /has a ledger and no format\.json: it was never finished, or that file was lost\. Restore the file, or ask to create/,
  },
];

export const wrongKinds: Row[] = [
  ...['format.json', 'ledger.sqlite', 'ledger.sqlite-wal', 'ledger.sqlite-shm', 'lease.sqlite'].map((name): Row => {
    const pipe = (folder: string): void => {
      fs.rmSync(join(folder, name), { force: true });
      execFileSync('mkfifo', [join(folder, name)]);
    };
    return {
      kind: 'wrong kind',
      what: `a pipe in the place of ${name}`,
      spoil: each(pipe),
      code: 'state-wrong-kind',
      says: new RegExp(`${name} is a pipe, not a file\\. It was not opened; put the file itself there, from a copy\\.$`),
    };
  }),
  {
    kind: 'wrong kind',
    what: 'a file in the place of the folder',
    spoil: each((folder) => {
      fs.rmSync(folder, { recursive: true });
      fs.writeFileSync(folder, 'a file');
    }),
    code: 'state-wrong-kind',
    says: /state is not a folder, .* \(ENOTDIR\)\. Nothing was changed; name another path, or put the right file there\.$/,
  },
];

export const unreadable: Row[] = [
  ...[
    ['.', 0o000, '\\S+state'],
    ['.', 0o600, 'format\\.json'],
    ['format.json', 0o000, 'format\\.json'],
    ['ledger.sqlite', 0o000, 'ledger\\.sqlite'],
    ['ledger.sqlite-wal', 0o000, 'ledger\\.sqlite-wal'],
    ['ledger.sqlite-shm', 0o000, 'ledger\\.sqlite-shm'],
  ].map(([name, mode, told]): Row => ({
    kind: 'unreadable',
    what: `mode ${mode?.toString(8)} on ${name}`,
    spoil: withMode(String(name), Number(mode)),
    through: withoutPrivileges,
    code: 'state-unreadable',
    says: new RegExp(
      `${told} cannot be read \\(EACCES\\)\\. Nothing was changed; check its permissions and those of the folders above it\\.$`,
    ),
    // It looks at a copy, which makes an index of its own.
    not: name === 'ledger.sqlite-shm' ? ['openReader'] : [],
  })),
  {
    kind: 'unreadable',
    what: 'mode 0 on lease.sqlite',
    spoil: withMode('lease.sqlite', 0),
    through: withoutPrivileges,
    code: 'lease-unreadable',
    says: /^The lease \S+ cannot be read \(EACCES\)\. Nothing was recorded; check its permissions and the folder's\.$/,
    not: withoutLease,
    ledgerRead: true,
  },
];

const unwritableFile = (name: string, more: Partial<Row>): Row => ({
  kind: 'unwritable',
  what: `mode 444 on ${name}`,
  spoil: withMode(name, 0o444),
  through: withoutPrivileges,
  code: 'state-unwritable',
  says: new RegExp(
    `${name.replace('.', '\\.')} cannot be written \\(EACCES\\)\\. Nothing was changed; check its permissions, those of its folder, `,
  ),
  ...more,
});

/** What only looks needs to write nothing. */
export const unwritable: Row[] = [
  ...['ledger.sqlite', 'ledger.sqlite-wal', 'ledger.sqlite-shm'].map((name) => unwritableFile(name, { not: ['openReader'] })),
  unwritableFile('lease.sqlite', { not: looks, ledgerRead: true }),
  {
    ...unwritableFile('state', { not: looks, ledgerRead: true }),
    what: 'no lease, and a folder in which none can be made',
    spoil: (folders) => {
      folders.forEach((folder) => fs.rmSync(leaseIn(folder), { force: true }));
      return withMode('.', 0o555)(folders);
    },
  },
];

function withMode(name: string, mode: number): Row['spoil'] {
  return (folders) => {
    for (const folder of folders) fs.chmodSync(join(folder, name), mode);
    return () => folders.forEach((folder) => fs.chmodSync(join(folder, name), 0o700));
  };
}

/** With three the ledger can be read; then the lease, the connection that writes and the sync of the folder are what cannot be opened. */
export const exhausted = [0, 1, 2, 3, 4, 5].map((spare): Row => ({
  kind: 'too many open files',
  what: `${spare} more can be opened`,
  spoil: () => undefined,
  through: ['prlimit', '--nofile=256:256'],
  spare,
  code: 'files-exhausted',
  says: /^\S+ cannot be opened: this process has too many open files \(EMFILE\)\. Nothing was recorded; close some or raise the limit, then try again\.$/,
  ...(spare > 2 && { not: looks, ledgerRead: true }),
}));

export const locked: Row[] = [
  {
    kind: 'locked',
    what: 'the ledger, for longer than a statement waits',
    spoil: (folders) => held(folders.map(ledgerIn)),
    apart: true,
    code: 'ledger-busy',
    says: /^Another process holds the ledger \S+ledger\.sqlite: database is locked\. Nothing was changed; try again when it is done\.$/,
    // It asks for no lock: it looks at a copy, and at whether the file changed meanwhile.
    not: ['openReader'],
  },
  {
    kind: 'locked',
    what: 'the lease',
    spoil: (folders) => held(folders.map(leaseIn)),
    code: 'owner-alive',
    says: /^Another process owns \S+\. Wait until it ends, or stop it; then try again\.$/,
    not: withoutLease,
    ledgerRead: true,
  },
];

/** One process holds them all. */
async function held(files: readonly string[]): Promise<Undo> {
  const hold = `
    const all = process.argv.slice(1).map((path) => {
      const database = new (require('better-sqlite3'))(path);
      database.pragma('locking_mode = EXCLUSIVE');
      database.exec('BEGIN EXCLUSIVE');
      return database;
    });
    require('fs').writeSync(1, 'held');
    setInterval(() => all, 1000);`;
  const holder = spawn(process.execPath, ['-e', hold, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return () => void holder.kill('SIGKILL');
}
