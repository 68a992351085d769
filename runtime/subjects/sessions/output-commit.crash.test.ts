/**
 * Output commit of a session as the kernel saw it: what was synced, files and their names, before the first byte to the model left, and before
 * that to the tool.
 *
 * Fault model: power loss, of which SIGKILL shows nothing. The system calls of a real producer are traced.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { available } from '../../testing/mechanism.js';
import { emptyFolder } from '../../testing/roles.js';
import { plain, runRole, startProvider } from './testing/roles.js';

const strace = available('strace', spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0);

test.skipIf(!strace).each(['each', 'grouped'] as const)(
  '%s: log, names and folders are synced before a request leaves',
  async (commit) => {
    const provider = await startProvider();
    const parent = emptyFolder();
    const [state, trace] = [join(parent, 'state'), join(parent, 'trace')];
    const through = ['strace', '-f', '-y', '-e', 'trace=pwrite64,write,rename,fsync,fdatasync,connect', '-o', trace];
    const role = await runRole({ role: 'produce', state, url: provider.url, scenario: { ...plain, commit }, through });
    await provider.close();
    expect(role.answer?.status).toBe('completed');
    const words = wordsOf(readFileSync(trace, 'utf8'), parent);

    const [model = -1, tool = -1] = words.flatMap((word, index) => (word === 'connect' ? [index] : []));
    // The folder is new too.
    expect(words.indexOf('sync parent')).toBeLessThan(words.indexOf('rename session.wal'));
    expect(words.indexOf('sync parent')).toBeGreaterThanOrEqual(0);
    const made = (name: string): string[] => [`write ${name}.new`, `sync ${name}.new`, `rename ${name}`, 'sync state'];
    const making = words.filter((word) => !/parent|connect|(?:write|sync) session\.wal$/.test(word)).slice(0, 8);
    expect(making).toEqual([...made('session.wal'), ...made('format.json')]);
    // The beginning of the run, and once its file's name.
    expect(words.slice(words.lastIndexOf('rename format.json', model), model).join(', ')).toMatch(
      /write session\.wal, sync session\.wal, sync state/,
    );
    // The intent of the tool, last of all.
    expect(words.slice(model + 1, tool).at(-1)).toBe('sync session.wal');
  },
);

/** The calls on the state, its files and the folder above it, and what leaves. */
function wordsOf(trace: string, parent: string): string[] {
  const nameOf = (path: string): string => {
    if (path === parent) return 'parent';
    return path === `${parent}/state` ? 'state' : path.slice(`${parent}/state/`.length);
  };
  return trace.split('\n').flatMap((line) => {
    if (/^\d+ +connect\(/.test(line)) return ['connect'];
    const [, call = '', onto] = /^\d+ +(\w+)\((?:\d+<([^>]*)>)?/.exec(line) ?? [];
    const path = call === 'rename' ? /, "([^"]*)"/.exec(line)?.[1] : onto;
    if (path === undefined || !path.startsWith(parent) || path === `${parent}/trace` || path.includes('lease')) return [];
    const what = { pwrite64: 'write', write: 'write', fsync: 'sync', fdatasync: 'sync', rename: 'rename' }[call];
    return what === undefined ? [] : [`${what} ${nameOf(path)}`];
  });
}
