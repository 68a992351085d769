/**
 * The table of hostile bundles, each given to the compiled verifier as a process: what it says, by which code it leaves, and that it took no more
 * memory and no more time than a bundle is worth. No row is taken for a pass, ends by a signal, or shows a producer's bytes to a terminal.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../contract/types.js';
import { put, type Hostile } from '../testing/hostile/hostile.js';
import { ledgers } from '../testing/hostile/ledgers.js';
import { logs } from '../testing/hostile/logs.js';
import { measured } from '../testing/hostile/measured.js';
import { places } from '../testing/hostile/places.js';
import { texts } from '../testing/hostile/texts.js';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
/** Of a row that says nothing else; Node alone holds 45 MiB. */
const bound = { mebibytes: 512, seconds: 30 };
/** Whatever moves the cursor, changes colours or turns the direction of what follows. */
const unshown = /(?!\n)\p{Cc}|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Even what lies deeper than a path can name must go again. */
async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-hostile-'));
  try {
    return await use(folder);
  } finally {
    execFileSync('rm', ['-rf', folder]);
  }
}

const rows = [...places, ...texts, ...ledgers, ...logs];
const possible = rows.filter(({ asRoot, readByNobody }) => isRoot || (asRoot !== true && readByNobody !== true));

describe.each(possible)('$what', (row) => {
  it('is judged within its bounds, for what it is', { timeout: 240_000 }, () => inFolder((folder) => demand(row, folder)));
});

async function demand(row: Hostile, folder: string): Promise<void> {
  // Somebody else must find the way to it.
  if (row.readByNobody === true) chmodSync(folder, 0o755);
  put(row, folder);
  const as = row.readByNobody === true ? { uid: nobody } : {};
  const json = await measured(['verify', folder, '--json'], as);
  const { mebibytes, seconds } = { ...bound, ...row.within };
  expect({ signal: json.signal, code: json.code, err: json.err }).toEqual({ signal: null, code: row.exit, err: '' });
  const verdict = JSON.parse(json.out) as Verdict;
  expect([...new Set(verdict.findings.map(({ code }) => code))].sort()).toEqual([...(row.codes ?? [])].sort());
  if (row.at != null && row.exit !== 0) expect(verdict.findings[0]?.where.file).toBe(row.at);
  if (row.says !== undefined) expect(said(verdict)).toMatch(row.says);
  expect(json.mebibytes).toBeLessThan(mebibytes);
  expect(json.seconds).toBeLessThan(seconds);
  // A giant costs as much again, and has nothing to show to a terminal that others have not.
  if (row.within !== undefined) return;
  const text = await measured(['verify', folder], as);
  expect({ signal: text.signal, code: text.code, err: text.err }).toEqual({ signal: null, code: row.exit, err: '' });
  expect(text.out).not.toMatch(unshown);
  expect(text.mebibytes).toBeLessThan(mebibytes);
}

function said({ findings, results }: Verdict): string {
  return [...findings.map(({ detail, where }) => `${where.file}: ${detail}`), ...results.map(({ reason }) => reason)].join('\n');
}

describe('the folder of a bundle', () => {
  const good: Hostile = { what: 'a good bundle', exit: 0 };

  it('may be named by a link, and is named by nothing else', { timeout: 60_000 }, () =>
    inFolder(async (folder) => {
      const bag = join(folder, 'bag');
      mkdirSync(bag);
      put(good, bag);
      symlinkSync('bag', join(folder, 'link'));
      symlinkSync('nowhere', join(folder, 'dead'));
      symlinkSync('turning', join(folder, 'turning'));
      mkdirSync(join(folder, 'empty'));
      writeFileSync(join(folder, 'file'), '');
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      const codes: Record<string, number | null> = {};
      for (const name of [
        'bag',
        'bag/',
        'link',
        'dead',
        'turning',
        'empty',
        'file',
        'file/',
        'pipe',
        'missing',
        'bag/data/plan.json',
        '\u001b[31m',
      ]) {
        const { code, out, err } = await measured(['verify', join(folder, name), '--json']);
        codes[name] = code;
        if (code !== 64) continue;
        expect(JSON.parse(out)).toHaveProperty('error.code');
        expect(err.split('\n')).toHaveLength(2);
        expect(err.trim()).not.toMatch(unshown);
      }
      expect(codes).toEqual({
        ...{ bag: 0, 'bag/': 0, link: 0, dead: 64, turning: 64, empty: 64, file: 64, 'file/': 64, pipe: 64, missing: 64 },
        ...{ 'bag/data/plan.json': 64, '\u001b[31m': 64 },
      });
    }),
  );

  it('is read and nothing else is, and nothing is written anywhere', { timeout: 60_000 }, () =>
    inFolder(async (folder) => {
      const bag = join(folder, 'bag');
      mkdirSync(bag);
      writeFileSync(join(folder, 'bait'), 'secret');
      put(leadsOut, bag);
      const trace = join(folder, 'trace');
      const under = ['strace', '-f', '-qq', '-o', trace, '-e', 'trace=%file'];
      const { code, out } = await measured(['verify', bag, '--json'], { under });
      expect({ code, codes: [...new Set((JSON.parse(out) as Verdict).findings.map((one) => one.code))].sort() }).toEqual({
        code: 1,
        codes: [...(leadsOut.codes ?? [])].sort(),
      });
      const calls = readFileSync(trace, 'utf8').split('\n');
      expect(calls.some((call) => call.includes(join(bag, 'bagit.txt')))).toBe(true);
      expect(calls.filter((call) => call.includes('bait'))).toEqual([]);
      const writes =
        /O_WRONLY|O_RDWR|O_CREAT|\b(?:unlink|rename|mkdir|rmdir|link|symlink|mknod|truncate|chmod|chown|utimensat)(?:at|at2)?\(/;
      expect(calls.filter((call) => writes.test(call) && !call.includes('/dev/'))).toEqual([]);
    }),
  );

  it('may lie where nobody can write', { timeout: 60_000 }, () =>
    inFolder(async (folder) => {
      put(good, folder);
      const mounts = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && ! touch "$0/x" 2>/dev/null && exec "$@"';
      const { code, err } = await measured(['verify', folder], { under: ['unshare', '-Urm', 'sh', '-c', mounts, folder] });
      expect({ code, err }).toEqual({ code: 0, err: '' });
    }),
  );
});

/** Every way out at once; the bait lies beside the bag. */
const leadsOut: Hostile = {
  what: 'a bundle that leads out',
  edit(editor) {
    const first = editor.text.bind(editor);
    editor.repin();
    for (const list of ['manifest-sha256.txt', 'tagmanifest-sha256.txt'])
      first(list, (text) => `${'0'.repeat(64)}  ../bait\n${text}`);
    editor.repin = () => undefined;
  },
  disk(folder) {
    symlinkSync('../../bait', join(folder, 'data/out'));
    symlinkSync('..', join(folder, 'data/up'));
  },
  exit: 1,
  codes: ['bag-malformed', 'file-altered', 'file-forbidden', 'file-missing'],
};
