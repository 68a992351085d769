/**
 * What a folder can hold that no bundle may: ways out, links of every kind, what is no file at all, names that two systems read differently,
 * more and larger things than anybody has memory for.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotFolder, type Hostile } from './hostile.js';

const data = (name: string) => (folder: string) => join(folder, 'data', name);
const receipts = `${snapshotFolder}receipts.jsonl`;
const put = (path: string | Buffer, bytes = ''): void => writeFileSync(path, bytes);

function replace(path: string, make: (path: string) => void): (folder: string) => void {
  return (folder) => {
    rmSync(join(folder, path));
    make(join(folder, path));
  };
}

const inPlace = (what: string, make: (path: string) => void, more: Partial<Hostile> = {}): Hostile => ({
  what: `${what} in the place of a file`,
  disk: replace(receipts, make),
  exit: 1,
  // What is not there has no lines that a role could have written.
  codes: ['file-forbidden', 'record-malformed'],
  at: receipts,
  ...more,
});

const links: Hostile[] = [
  inPlace('a link to a file of the bundle', (path) => symlinkSync('process.json', path)),
  inPlace('a link to a file outside', (path) => symlinkSync('/etc/hostname', path)),
  inPlace('a link to nothing', (path) => symlinkSync('nowhere', path)),
  inPlace('a link to itself', (path) => symlinkSync('receipts.jsonl', path)),
  {
    what: 'a link to the bundle itself, which would be walked without end',
    disk: (folder) => symlinkSync('..', data('loop')(folder)),
    ...{ exit: 1, codes: ['file-forbidden'], at: 'data/loop' },
  },
  {
    what: 'a link to a folder outside',
    disk: (folder) => symlinkSync('/usr', data('usr')(folder)),
    ...{ exit: 1, codes: ['file-forbidden'], at: 'data/usr' },
  },
  {
    what: 'two names of one file, which is nobody’s business',
    disk: replace(`${snapshotFolder}state/format.json`, (path) =>
      linkSync(path.replace('control/producer', 'control/producer'.replace('control', 'held')), path),
    ),
    exit: 0,
  },
];

const things: Hostile[] = [
  inPlace('a pipe', (path) => execFileSync('mkfifo', [path])),
  inPlace('a socket', (path) => {
    const listen = `require('node:net').createServer().listen(process.argv[1],()=>process.kill(process.pid,'SIGKILL'))`;
    try {
      execFileSync(process.execPath, ['-e', listen, 's'], { cwd: join(path, '..'), stdio: 'ignore' });
    } catch {
      // Killed, so that the name of the socket stays.
    }
    execFileSync('mv', ['s', 'receipts.jsonl'], { cwd: join(path, '..') });
  }),
  inPlace('a device', (path) => execFileSync('mknod', [path, 'c', '1', '5']), { asRoot: true }),
  inPlace('an empty folder', (path) => mkdirSync(path)),
  {
    what: 'a folder with something in it in the place of a file',
    disk: replace(receipts, (path) => (mkdirSync(path), put(join(path, 'x')))),
    ...{ exit: 1, codes: ['file-missing', 'file-unlisted', 'record-malformed'], at: receipts },
  },
  {
    what: 'a file that may not be read',
    disk: (folder) => chmodSync(join(folder, receipts), 0),
    ...{ exit: 2, says: /receipts\.jsonl cannot be read/, readByNobody: true },
  },
  {
    what: 'a folder that may not be listed',
    disk: (folder) => chmodSync(join(folder, snapshotFolder), 0),
    ...{ exit: 2, says: /data\/cases\/control\/producer cannot be read/, readByNobody: true },
  },
];

const stray = (what: string, name: string | Buffer, shown: string, isSound = false): Hostile => ({
  what: `a name with ${what}`,
  disk: (folder) => put(Buffer.concat([Buffer.from(join(folder, 'data/')), Buffer.from(name)])),
  exit: 1,
  codes: isSound ? ['file-unlisted'] : ['file-forbidden', 'file-unlisted'],
  at: `data/${shown}`,
});

const names: Hostile[] = [
  stray('a composed letter', 'caf\u00e9', 'caf\\u{e9}'),
  stray('a decomposed letter', 'cafe\u0301', 'cafe\\u{301}'),
  stray('a line feed', 'a\nb', 'a\\u{a}b'),
  stray('an escape sequence', '\u001b[31mred', '\\u{1b}[31mred'),
  stray('a C1 control', '\u009b31mred', '\\u{9b}31mred'),
  stray('a change of direction', 'a\u202egnp.exe', 'a\\u{202e}gnp.exe'),
  stray('bytes that are no text', Buffer.from([0x61, 0xff, 0xfe]), 'a\\x{ff}\\x{fe}'),
  stray('a backslash', 'a\\u{e9}', 'a\\\\u{e9}'),
  stray('what objects have by nature', '__proto__', '__proto__', true),
  stray('255 bytes', 'x'.repeat(255), 'x'.repeat(255), true),
  {
    what: 'a name that differs from another in case alone',
    disk: (folder) => put(data('PLAN.json')(folder)),
    ...{ exit: 1, codes: ['file-unlisted'], at: 'data/PLAN.json' },
  },
  {
    what: 'two names that a folder of another system could not hold apart, both no text',
    disk: (folder) => {
      for (const byte of [0xf0, 0xf1]) put(Buffer.concat([Buffer.from(join(folder, 'data/')), Buffer.from([byte])]), 'x');
    },
    ...{ exit: 1, codes: ['file-forbidden', 'file-unlisted'], at: 'data/\\x{f0}' },
  },
  {
    what: 'a folder whose name is no text',
    disk: (folder) => {
      const path = Buffer.concat([Buffer.from(join(folder, 'data/')), Buffer.from([0xff])]);
      mkdirSync(path);
      put(Buffer.concat([path, Buffer.from('/x')]));
    },
    ...{ exit: 1, codes: ['file-forbidden', 'file-unlisted'], at: 'data/\\x{ff}/x' },
  },
];

/** Deeper than a path can be long, made from inside. */
function deepen(folder: string, levels: number): void {
  const make = `
    process.chdir(process.argv[1]);
    for (let at = 0; at < Number(process.argv[2]); at += 1) { require('node:fs').mkdirSync('d'.repeat(100)); process.chdir('d'.repeat(100)); }
    require('node:fs').writeFileSync('x', '');`;
  execFileSync(process.execPath, ['-e', make, folder, String(levels)]);
}

const codesOfGiant: Readonly<Record<string, Hostile['codes']>> = {
  'bagit.txt': ['bag-malformed', 'file-altered'],
  'data/git': ['file-unlisted'],
  'tagmanifest-sha256.txt': ['bag-malformed'],
};

const sizes: Hostile[] = [
  {
    what: 'folders nested beyond the longest path',
    disk: (folder) => deepen(join(folder, 'data'), 500),
    ...{ exit: 1, codes: ['file-forbidden'], says: /nested deeper/ },
  },
  {
    what: '100,000 files that nobody listed',
    disk: (folder) => {
      mkdirSync(data('many')(folder));
      for (let at = 0; at < 100_000; at += 1) put(join(folder, 'data/many', String(at)), 'x');
    },
    ...{ exit: 1, codes: ['file-unlisted'], at: 'data/many/0' },
  },
  ...(
    [
      ['1 TiB', 2 ** 40],
      ['5 GiB', 5 * 2 ** 30],
    ] as const
  ).map(([words, size]): Hostile => ({
    what: `a file of ${words} with nothing in it, in the place of a listed one`,
    disk: (folder) => truncateSync(join(folder, receipts), size),
    ...{ exit: 2, says: /receipts\.jsonl is larger/ },
  })),
  {
    what: 'a file of 1 TiB that nobody listed',
    disk: (folder) => (put(data('giant')(folder)), truncateSync(data('giant')(folder), 2 ** 40)),
    ...{ exit: 1, codes: ['file-unlisted'], at: 'data/giant' },
  },
  {
    what: 'eight files of 1 GiB each, of which there is memory for one',
    disk: (folder) => {
      for (let at = 0; at < 8; at += 1) {
        const path = data(`giant-${at}`)(folder);
        put(path);
        truncateSync(path, 2 ** 30);
      }
    },
    ...{ exit: 1, codes: ['file-unlisted'], at: 'data/giant-0', within: { mebibytes: 2560 } },
  },
  ...['bag-info.txt', 'bagit.txt', 'data/git', 'tagmanifest-sha256.txt'].map((name): Hostile => ({
    what: `a ${name} of 700 MiB, more than one text can hold`,
    disk: (folder) => (put(join(folder, name)), truncateSync(join(folder, name), 700 * 2 ** 20)),
    ...{ exit: 1, codes: codesOfGiant[name] ?? ['file-altered'], at: name, within: { mebibytes: 1024 } },
  })),
];

export const places: readonly Hostile[] = [...links, ...things, ...names, ...sizes];
