import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Editor } from '../mutations/editor.js';
import { goodBundle } from '../testing/bundle.js';
import { inFolder } from '../testing/folder.js';
import { bagProblems, looksLikeBag } from './bag.js';
import { readTree } from './tree.js';

const good = goodBundle();

function broken(change: (editor: Editor) => void): { codes: string[]; details: string } {
  const editor = new Editor(good);
  change(editor);
  const problems = bagProblems(editor.tree);
  return {
    codes: [...new Set(problems.map(({ code }) => code))].sort(),
    details: problems.map(({ detail }) => detail).join(' '),
  };
}

describe('a bag', () => {
  it('is sound when it is', () => {
    expect(bagProblems(good)).toEqual([]);
    expect(looksLikeBag(good)).toBe(true);
  });

  it('is one to sha256sum as well, and is read the same from disk', () => {
    inFolder((folder) => {
      for (const [path, bytes] of good.files) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), bytes);
      }
      execFileSync('sha256sum', ['-c', '--strict', '--quiet', 'manifest-sha256.txt'], { cwd: folder });
      expect(bagProblems(readTree(folder))).toEqual([]);
      mkdirSync(join(folder, 'data/empty'));
      symlinkSync('plan.json', join(folder, 'data/link'));
      expect(
        bagProblems(readTree(folder))
          .map(({ code, file }) => `${code} ${file}`)
          .sort(),
      ).toEqual(['file-forbidden data/empty', 'file-forbidden data/link']);
    });
  });

  it('names line ends that a clone converted, and fails all the same', () => {
    const { codes, details } = broken((editor) =>
      editor.text('data/cases/control/producer/receipts.jsonl', (text) => text.replaceAll('\n', '\r\n')),
    );
    expect(codes).toEqual(['file-altered']);
    expect(details).toContain('LF became CRLF');
    expect(
      broken((editor) => (editor.text('manifest-sha256.txt', (text) => text.replaceAll('\n', '\r\n')), editor.repinTags()))
        .details,
    ).toContain('CRLF');
  });

  it.each<[string, string[], (editor: Editor) => void]>([
    ['a file altered', ['file-altered'], (editor) => editor.text('data/build.json', (text) => `${text} `)],
    ['a file gone', ['file-missing'], (editor) => void editor.files.delete('data/build.json')],
    ['a stray in the root', ['file-unlisted'], (editor) => void editor.files.set('notes.txt', Buffer.from('x'))],
    [
      'a name with a character that is not allowed',
      ['file-forbidden', 'file-unlisted'],
      (editor) => void editor.files.set('data/a b', Buffer.from('x')),
    ],
    [
      'a volatile file',
      ['file-forbidden'],
      (editor) => (editor.files.set('data/cases/control/producer/state/lease.sqlite', Buffer.from('x')), editor.repin()),
    ],
    ['no bagit.txt', ['bag-malformed', 'file-missing'], (editor) => void editor.files.delete('bagit.txt')],
    [
      'another BagIt',
      ['bag-malformed'],
      (editor) => (editor.text('bagit.txt', (text) => text.replace('1.0', '0.97')), editor.repinTags()),
    ],
    ['no manifest', ['bag-malformed', 'file-missing'], (editor) => void editor.files.delete('manifest-sha256.txt')],
    [
      'a path that leads out',
      ['bag-malformed', 'file-missing'],
      (editor) => (editor.text('manifest-sha256.txt', (text) => `${'0'.repeat(64)}  ../out\n${text}`), editor.repinTags()),
    ],
    ['a manifest that lists a tag file', ['bag-malformed'], (editor) => listTagFile(editor)],
  ])('%s', (_what, codes, change) => expect(broken(change).codes).toEqual(codes));
});

function listTagFile(editor: Editor): void {
  const line =
    editor.files
      .get('tagmanifest-sha256.txt')
      ?.toString('utf8')
      .split('\n')
      .find((entry) => entry.endsWith('bagit.txt')) ?? '';
  editor.text('manifest-sha256.txt', (text) => `${line}\n${text}`);
  editor.repinTags();
}
