import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openReader } from '../api/reader.js';
import { newFolder, open, prepare } from '../testing/folder.js';

const withCode = (code: string) => expect.objectContaining({ code });
const patchable = createRequire(import.meta.url)('node:fs') as typeof fs;
const { openSync, fsyncSync, renameSync, mkdirSync, copyFileSync, readdirSync, readFileSync } = patchable;
const real = { openSync, fsyncSync, renameSync, mkdirSync, copyFileSync, readdirSync, readFileSync };
afterEach(() => {
  patch(real);
});

function patch(changes: Partial<typeof fs>): void {
  Object.assign(patchable, changes);
  syncBuiltinESMExports();
}

function recorded(): string {
  const directory = newFolder();
  const runtime = open(directory);
  prepare(runtime);
  runtime.close();
  return directory;
}

const kinds: [string, (path: string) => void][] = [
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ['a folder', (path) => fs.mkdirSync(path)],
  ['a link', (path) => fs.symlinkSync(`${path}-elsewhere`, path)],
  ['a socket', (path) => void execFileSync(process.execPath, ['-e', leavesSocket, path])],
];
// It ends without closing, which would take the socket away.
const leavesSocket = "require('net').createServer().listen(process.argv[1], () => process.reallyExit(0))";
describe.each(kinds)('%s under one of our names', (kind, make) => {
  test.each(['format.json', 'ledger.sqlite', 'ledger.sqlite-wal', 'ledger.sqlite-shm', 'lease.sqlite'])(
    'is refused before it is opened: %s',
    (name) => {
      const directory = recorded();
      const path = join(directory, name);
      if (fs.existsSync(path)) fs.renameSync(path, `${path}-elsewhere`);
      make(path);
      const refused = expect.objectContaining({
        code: 'state-wrong-kind',
        message: `${path} is ${kind}, not a file. It was not opened; put the file itself there, from a copy.`,
      });
      expect(() => open(directory)).toThrow(refused);
      expect(() => openReader({ directory, scratch: newFolder() })).toThrow(refused);
    },
    5_000,
  );
});

/** Fails as the system does where it has no more of what is asked for. */
const without = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code });
};

describe('a system without descriptors', () => {
  test.each(['EMFILE', 'ENFILE'])('says so wherever it is met, and is not taken for a folder that is not there: %s', (code) => {
    const directory = recorded();
    const none = expect.objectContaining({
      code: 'files-exhausted',
      message: expect.stringContaining(`too many open files (${code})`),
    });
    for (const call of ['readdirSync', 'readFileSync'] as const) {
      patch({ [call]: without(code) });
      for (const create of [true, false]) expect(() => open(directory, { create })).toThrow(none);
      expect(() => openReader({ directory, scratch: newFolder() })).toThrow(none);
      patch(real);
    }
    patch({ copyFileSync: without(code) });
    expect(() => openReader({ directory, scratch: newFolder() })).toThrow(none);
    patch({ openSync: without(code) });
    expect(() => open(newFolder())).toThrow(none);
  });

  test('is met before the first commit, which can then be tried again', () => {
    const directory = recorded();
    const runtime = open(directory);
    const record = (): void => runtime.recordObjective('task-1', { objectiveId: 'later', statement: 'x' });
    patch({ openSync: without('EMFILE') });
    expect(record).toThrow(withCode('files-exhausted'));
    expect(runtime.events()).toHaveLength(5);
    patch(real);
    record();
    expect(runtime.events()).toHaveLength(6);
    runtime.close();
  });
});

test('a copy that cannot be made is not the fault of what is copied', () => {
  const directory = recorded();
  patch({ copyFileSync: without('ENOSPC') });
  const scratch = newFolder();
  expect(() => openReader({ directory, scratch })).toThrow(
    expect.objectContaining({ code: 'state-unwritable', message: expect.stringContaining(`The copy in ${scratch}`) }),
  );
});

test('a folder without its format record is told as opening tells it', () => {
  const directory = recorded();
  fs.rmSync(join(directory, 'format.json'));
  const lost = expect.objectContaining({ code: 'state-unfinished', message: expect.stringContaining('that file was lost') });
  expect(() => open(directory, { create: false })).toThrow(lost);
  expect(() => openReader({ directory, scratch: newFolder() })).toThrow(lost);
  expect(() => open(directory)).toThrow(withCode('directory-foreign'));
});

test.each([
  ['a repeated name', '{"product":"killpoint","product":"killpoint","storage":"ledger/v1","subject":"calls"}\n'],
  ['another order', '{"storage":"ledger/v1","product":"killpoint","subject":"calls"}\n'],
  ['bytes that are not UTF-8', Buffer.from('{"product":"killpoint\xff"}', 'latin1')],
])('a format record with %s is refused', (_name, text) => {
  const directory = recorded();
  fs.writeFileSync(join(directory, 'format.json'), text);
  expect(() => open(directory)).toThrow(withCode('ledger-damaged'));
});

describe('creation', () => {
  test.each(['openSync', 'fsyncSync', 'renameSync', 'mkdirSync'] as const)(
    'that cannot %s says so, and may be tried again',
    (call) => {
      const directory = newFolder();
      const full = (): never => {
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      };
      patch({ [call]: full });
      expect(() => open(directory)).toThrow(withCode('state-unwritable'));
      patch(real);
      prepare(open(directory));
    },
  );

  test('that somebody else finished meanwhile is theirs, with what they recorded', () => {
    const directory = newFolder();
    const late = (...args: Parameters<typeof fs.mkdirSync>): string | undefined => {
      patch(real);
      const other = open(directory);
      prepare(other);
      other.close();
      return mkdirSync(...args);
    };
    patch({ mkdirSync: late as typeof fs.mkdirSync });
    expect(open(directory).events()).toHaveLength(5);
  });
});

test('a failed sync of the names ends the ledger: it is not tried again', () => {
  const directory = recorded();
  const runtime = open(directory);
  let failures = 0;
  patch({
    fsyncSync: (descriptor) => {
      if (failures++ === 0) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
      real.fsyncSync(descriptor);
    },
  });
  const record = (objectiveId: string) => () => runtime.recordObjective('task-1', { objectiveId, statement: 'x' });
  expect(record('one')).toThrow(withCode('ledger-failed'));
  expect(record('two')).toThrow(withCode('ledger-failed'));
  expect(failures).toBe(1);
});

test('a look during which somebody wrote is refused', () => {
  const directory = recorded();
  patch({
    copyFileSync: (...args) => {
      real.copyFileSync(...args);
      patch(real);
      const owner = open(directory);
      owner.createTask({ taskId: 'task-2', title: 'Meanwhile' });
      owner.close();
    },
  });
  expect(() => openReader({ directory, scratch: newFolder() })).toThrow(withCode('owner-alive'));
});
