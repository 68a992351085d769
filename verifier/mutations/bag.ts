/** Breaks in the bag itself. Nothing is re-pinned: here the pins are what is broken. */
import type { Editor, Mutation } from './editor.js';

const manifest = 'manifest-sha256.txt';

function onManifest(name: string, change: (text: string) => string): Mutation {
  return { name, codes: ['bag-malformed'], apply: (editor) => (editor.text(manifest, change), editor.repinTags(), true) };
}

function freeName(editor: Editor): string {
  const snapshot = editor.find((one) => !one.has('stderr.log'));
  return snapshot === undefined ? '' : snapshot.file('stderr.log');
}

export const bagMutations = {
  'bag-malformed': [
    onManifest('the manifest has CRLF line ends', (text) => text.replaceAll('\n', '\r\n')),
    onManifest('the manifest begins with a byte order mark', (text) => `\uFEFF${text}`),
    onManifest('the manifest is empty', () => ''),
    onManifest('the manifest is not sorted', (text) => `${text.slice(0, -1).split('\n').reverse().join('\n')}\n`),
    onManifest('a line of the manifest is repeated', (text) => text.replace(/^(.*\n)/, '$1$1')),
    {
      name: 'the payload summary lies',
      codes: ['bag-malformed'],
      apply: (editor) => (
        editor.text('bag-info.txt', (text) => text.replace(/^Payload-Oxum: .*$/m, 'Payload-Oxum: 1.1')),
        editor.repinTags(),
        true
      ),
    },
  ],
  'file-forbidden': [
    {
      name: 'a listed file outside the layout',
      codes: ['file-forbidden'],
      apply: (editor) => (editor.files.set('data/notes.txt', Buffer.from('notes\n')), editor.repin(), true),
    },
    {
      name: 'a link',
      codes: ['file-forbidden'],
      apply: (editor) => (editor.forbidden.push({ path: 'data/link', what: 'a link' }), true),
    },
    {
      name: 'a list of files to fetch',
      codes: ['file-forbidden'],
      apply: (editor) => (editor.files.set('fetch.txt', Buffer.from('')), editor.repin(), true),
    },
  ],
  'file-unlisted': [
    {
      name: 'a file that no list names',
      codes: ['file-unlisted'],
      apply(editor) {
        const path = freeName(editor);
        if (path === '') return false;
        editor.files.set(path, Buffer.from('words\n'));
        return true;
      },
    },
  ],
  'file-missing': [
    {
      name: 'a listed file that is not there',
      codes: ['file-missing'],
      apply(editor) {
        const path = freeName(editor);
        if (path === '') return false;
        editor.files.set(path, Buffer.from('words\n'));
        editor.repin();
        editor.files.delete(path);
        return true;
      },
    },
  ],
  'file-altered': [
    {
      name: 'a hash in the manifest altered',
      codes: ['file-altered'],
      apply: (editor) => (
        editor.text(manifest, (text) => text.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))),
        editor.repinTags(),
        true
      ),
    },
    {
      name: 'line ends of a listed file converted',
      codes: ['file-altered'],
      apply: (editor) => (editor.text('bag-info.txt', (text) => text.replaceAll('\n', '\r\n')), true),
    },
  ],
} satisfies Record<string, readonly Mutation[]>;
