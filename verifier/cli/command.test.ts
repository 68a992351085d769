import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateVerdict } from '../contract/validators.js';
import { parseCanonicalFile } from '../read/canonical.js';
import { goodBundle } from '../testing/bundle.js';
import type { Tree } from '../read/tree.js';
import { command } from './command.js';
import { onDisk, run } from '../testing/command.js';
import { against, snapshot } from '../testing/match.js';

/** Of few cases, for what a command makes of a verdict does not depend on how many there are. */
const good = goodBundle(['control', 'held', 'manifest', 'first']);
const { changed, judged } = against(() => good);
const bad = changed((editor) =>
  editor.process(snapshot(editor, 'manifest'), (value) => void (value.exit = { code: 0, signal: null })),
);
const voided = changed((editor) =>
  editor.json<{ void: unknown }>(
    'data/cases/first/case.json',
    (value) => void (value.void = { detail: 'd', reason: 'survivors', snapshot: 'producer' }),
  ),
);
const nothing: Tree = { files: new Map(), forbidden: [], unreadable: [] };
const without = (...names: string[]): Tree => ({
  ...good,
  files: new Map([...good.files].filter(([path]) => !names.includes(path))),
});
const payload = without(...[...good.files.keys()].filter((path) => !path.startsWith('data/')));
const other: Tree = { ...nothing, files: new Map([['README.md', Buffer.from('another product\n')]]) };

describe('exit codes', () => {
  it.each<[string, Tree, number, string]>([
    ['a good bundle', good, 0, 'valid'],
    ['a bad one', bad, 1, 'invalid'],
    ['one with a void case', voided, 2, 'unknown'],
    ['one without its declaration', without('bagit.txt'), 1, 'invalid'],
    ['one without its plan', without('data/plan.json'), 1, 'invalid'],
    ['one of which only the payload is left', payload, 2, 'unknown'],
  ])('of verifying %s', async (_what, tree, code, verdict) => {
    const json = await onDisk(tree, (folder) => run(['verify', folder, '--json']));
    expect(json).toMatchObject({ code, err: '' });
    const document = parseCanonicalFile(Buffer.from(json.out));
    expect(validateVerdict(document)).toBe(true);
    expect(document).toMatchObject({ verdict });
    const words = await onDisk(tree, (folder) => run([folder]));
    expect(words.code).toBe(code);
    expect(words.out).toMatch(new RegExp(`verdict: ${verdict}\n$`));
  });

  it.each<[string, string[]]>([
    ['no argument', []],
    ['an option that is not there', ['verify', '.', '--lenient']],
    ['a command that is not there and no folder either', ['frobnicate']],
    ['two folders', ['verify', 'a', 'b']],
    ['corrupting nothing', ['corrupt']],
    ['a folder that is not there', ['verify', '/nowhere/at/all']],
    ['a file', ['verify', new URL(import.meta.url).pathname]],
  ])('of %s is 64, with one sentence', async (_what, args) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(64);
    expect(out).toBe('');
    expect(err.trim().split('\n').length).toBe(1);
  });

  it.each<[string, Tree, string]>([
    ['an empty folder', nothing, ''],
    ['a folder of another product', other, ''],
    ['what lies in a bundle', good, 'data'],
  ])('of %s is 64, with what is wrong and what to name', async (_what, tree, below) => {
    for (const name of ['verify', 'corrupt']) {
      const { code, out, err, place } = await onDisk(tree, async (folder) => {
        const at = join(folder, below);
        return { place: at, ...(await run([name, at, '--json'])) };
      });
      const sentence = `${place} is no bundle: it has no bagit.txt. Name the folder that killpoint run printed.`;
      expect({ code, err }).toEqual({ code: 64, err: `${sentence}\n` });
      expect(JSON.parse(out)).toEqual({ error: { code: 'not-a-bundle', message: sentence } });
    }
  });

  it('of help is 0', async () => {
    for (const args of [['--help'], ['verify', '--help'], ['corrupt', '--help']])
      expect(await run(args)).toMatchObject({ code: 0, err: '' });
  });

  it('of a failure of its own is 70', async () => {
    const code = await onDisk(good, (folder) =>
      command(['verify', folder], {
        out: () => {
          throw new Error('no place to write');
        },
        err: () => undefined,
        colour: false,
      }),
    );
    expect(code).toBe(70);
  });
});

describe('corrupting', () => {
  it('a bad one is refused in a sentence', async () => {
    const { code, err } = await onDisk(bad, (folder) => run(['corrupt', folder, '--json']));
    expect(code).toBe(2);
    expect(err).toBe(
      'The bundle itself is invalid, and only a valid one can be corrupted; verify tells what is the matter with it.\n',
    );
  });
});

describe('the words', () => {
  it('print every claim with its sentence and what was expected and seen, broken ones first', async () => {
    const { out } = await onDisk(bad, (folder) => run(['verify', folder]));
    expect(out.startsWith('G5  A kill counts only if')).toBe(true);
    expect(out).toContain('    broken   manifest  2 of 2');
    expect(out.match(/^ {4}(held|broken|unknown|n\/a) {2,}\S+ {2}\d+ of \d+/gm)).toHaveLength(judged(bad).results.length);
    expect(out).toContain('G5 kill-unproven at data/cases/manifest/producer/process.json');
  });
});
