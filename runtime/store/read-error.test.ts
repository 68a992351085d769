import * as fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, test } from 'vitest';
import { exhausted, readError } from './read-error.js';

const patchable = createRequire(import.meta.url)('node:fs') as typeof fs;
const { openSync } = patchable;
afterEach(() => opening(openSync));

function opening(as: typeof fs.openSync): void {
  Object.assign(patchable, { openSync: as });
  syncBuiltinESMExports();
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });

test.each([
  ['EACCES', 'state-unreadable'],
  ['EPERM', 'state-unreadable'],
  ['EIO', 'state-unreadable'],
  ['ENOTDIR', 'state-wrong-kind'],
  ['EISDIR', 'state-wrong-kind'],
  ['ELOOP', 'state-wrong-kind'],
  ['EMFILE', 'files-exhausted'],
  ['ENFILE', 'files-exhausted'],
])('%s is %s, and the sentence names the file and the reason', (code, ours) => {
  const cause = failure(code);
  const error = readError('/state/format.json', cause);
  expect(error).toMatchObject({ code: ours, cause });
  expect(error.message).toMatch(new RegExp(`^/state/format\\.json .*\\(${code}\\)\\. Nothing was .*\\.$`));
});

test.each([
  ['EMFILE', 'this process'],
  ['ENFILE', 'the machine'],
])('%s is found also where some descriptors are left, and says whose limit it is', (code, whose) => {
  let left = 3;
  const held: number[] = [];
  opening((...args) => {
    if (left-- === 0) throw failure(code);
    held.push(openSync(...args));
    return held.at(-1) as number;
  });
  expect(exhausted('/state/ledger.sqlite', failure('SQLITE_CANTOPEN'))).toMatchObject({
    code: 'files-exhausted',
    message: expect.stringContaining(`${whose} has too many open files (${code})`),
  });
  expect(held).toHaveLength(3);
  for (const descriptor of held) expect(() => fs.fstatSync(descriptor)).toThrow('EBADF');
});

test('where enough can be opened the reason is another one', () => {
  expect(exhausted('/state/ledger.sqlite', failure('SQLITE_CANTOPEN'))).toBeNull();
});
