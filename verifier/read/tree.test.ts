import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder } from '../testing/folder.js';
import { bagProblems } from './bag.js';
import { readTree, type Limits } from './tree.js';

const roomy: Limits = { bytes: 1000, entries: 100, levels: 4 };

/** Limits are asked for once for each file, after it was opened: that is a moment between two steps of the reading. */
function during(change: () => void): Limits {
  let isDone = false;
  return {
    ...roomy,
    get bytes() {
      if (!isDone) change();
      isDone = true;
      return roomy.bytes;
    },
  };
}

describe('a folder', () => {
  it('is read by the order of its names, whatever the system lists first', () =>
    inFolder((folder) => {
      for (const name of ['b', 'a', 'c/z', 'c/b']) {
        mkdirSync(join(folder, 'c'), { recursive: true });
        writeFileSync(join(folder, name), name);
      }
      const { files, changed } = readTree(folder);
      expect([...files].map(([path, bytes]) => `${path} ${bytes.toString()}`)).toEqual(['a a', 'b b', 'c/b c/b', 'c/z c/z']);
      expect(changed).toEqual([]);
    }));

  it('is read through a link that names it, and through none below', () =>
    inFolder((folder) => {
      mkdirSync(join(folder, 'bag'));
      writeFileSync(join(folder, 'outside'), 'secret');
      symlinkSync('bag', join(folder, 'link'));
      symlinkSync('../outside', join(folder, 'bag/out'));
      linkSync(join(folder, 'outside'), join(folder, 'bag/hard'));
      const { files, forbidden } = readTree(join(folder, 'link'));
      expect([...files.keys()]).toEqual(['hard']);
      expect(forbidden).toEqual([{ path: 'out', what: 'a link' }]);
    }));

  it('leaves out what there is no memory for, by sizes and names alone, and goes on with what is smaller', () =>
    inFolder((folder) => {
      for (const [name, size] of [
        ['a', 600],
        ['b', 2 ** 40],
        ['c', 500],
        ['d', 400],
      ] as const) {
        writeFileSync(join(folder, name), '');
        truncateSync(join(folder, name), size);
      }
      const { files, unreadable } = readTree(folder, roomy);
      expect([...files.keys()]).toEqual(['a', 'd']);
      expect(unreadable.map(({ path }) => path)).toEqual(['b', 'c']);
      expect(unreadable[0]?.why).toMatch(/larger/);
    }));

  it('ends at a number of entries and at a depth, each with its place', () =>
    inFolder((folder) => {
      mkdirSync(join(folder, 'a/b/c/d/e'), { recursive: true });
      mkdirSync(join(folder, 'many'));
      for (let at = 0; at < 120; at += 1) writeFileSync(join(folder, 'many', String(at)), '');
      const { forbidden } = readTree(folder, roomy);
      expect(forbidden).toEqual([
        { path: 'a/b/c/d', what: 'a folder nested deeper than 4 levels' },
        { path: 'many/', what: 'more than 100 files and folders' },
      ]);
    }));
});

describe('a folder that changes while it is read', () => {
  const cases: [string, (folder: string) => void, string[]][] = [
    ['a file that grows', (folder) => writeFileSync(join(folder, 'in/a'), 'longer than before'), ['in/a']],
    ['a file that is cut', (folder) => truncateSync(join(folder, 'in/a'), 1), ['in/a']],
    ['a name that comes', (folder) => writeFileSync(join(folder, 'in/new'), ''), ['in']],
    ['a name that goes', (folder) => rmSync(join(folder, 'in/b')), ['in']],
    ['a file that is exchanged', (folder) => renameSync(join(folder, 'other'), join(folder, 'in/b')), ['', 'in']],
    ['a folder that is exchanged', exchange, ['']],
  ];
  it.each(cases)('%s is told', (_what, change, wanted) =>
    inFolder((folder) => {
      mkdirSync(join(folder, 'in'));
      for (const name of ['in/a', 'in/b', 'other']) writeFileSync(join(folder, name), 'whole');
      const tree = readTree(
        folder,
        during(() => change(folder)),
      );
      expect([...(tree.changed ?? [])].sort()).toEqual(expect.arrayContaining(wanted));
      const told = bagProblems(tree).filter(({ detail }) => detail === 'It changed while it was read.');
      expect(told.map(({ code }) => code)).toContain('file-altered');
    }),
  );

  function exchange(folder: string): void {
    renameSync(join(folder, 'in'), join(folder, 'was'));
    mkdirSync(join(folder, 'in'));
  }

  it('shows nothing of what a link leads to that takes the place of a file, over and over', { timeout: 60_000 }, async () => {
    const { mkdtempSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const folder = mkdtempSync(join(tmpdir(), 'killpoint-verifier-'));
    writeFileSync(join(folder, 'secret'), 'secret');
    mkdirSync(join(folder, 'bag'));
    writeFileSync(join(folder, 'bag/a'), 'whole');
    const flip = `const fs = require('node:fs'); process.chdir(process.argv[1]); process.stdout.write('x');
      for (;;) { fs.symlinkSync('../secret', 'l'); fs.renameSync('l', 'a'); fs.writeFileSync('f', 'whole'); fs.renameSync('f', 'a'); }`;
    const flipping = spawn(process.execPath, ['-e', flip, join(folder, 'bag')], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await once(flipping.stdout, 'data');
      for (let at = 0; at < 300; at += 1) {
        const { files } = readTree(join(folder, 'bag'));
        for (const bytes of files.values()) expect(bytes.toString()).not.toContain('secret');
      }
    } finally {
      flipping.kill('SIGKILL');
      await once(flipping, 'close');
      rmSync(folder, { recursive: true });
    }
  });
});
