/** Breaks in the bag itself. Nothing is re-pinned: here the pins are what is broken. */
import type { Editor, Mutation } from './editor.js';
import { onBundle, onPlace, type Place } from './places.js';

const manifest = 'manifest-sha256.txt';

function onText(file: string, name: string, change: (text: string) => string): Mutation {
  return onBundle(name, ['bag-malformed'], (editor) => (editor.text(file, change), editor.repinTags()));
}

/** A name that the layout allows and that nothing has. */
const withoutWords: Place = (editor) => editor.find((one) => !one.has('stderr.log'));

function addFile(editor: Editor, path: string): void {
  editor.files.set(path, Buffer.from('words\n'));
}

export const bagMutations = {
  'bag-malformed': [
    onText(manifest, 'the manifest has CRLF line ends', (text) => text.replaceAll('\n', '\r\n')),
    onText(manifest, 'the manifest begins with a byte order mark', (text) => `\uFEFF${text}`),
    onText(manifest, 'the manifest is empty', () => ''),
    onText(manifest, 'the manifest is not sorted', (text) => `${text.slice(0, -1).split('\n').reverse().join('\n')}\n`),
    onText(manifest, 'a line of the manifest is repeated', (text) => text.replace(/^(.*\n)/, '$1$1')),
    onText('bag-info.txt', 'the payload summary lies', (text) => text.replace(/^Payload-Oxum: .*$/m, 'Payload-Oxum: 1.1')),
    onText('bag-info.txt', 'there is no payload summary', (text) => text.replace(/^Payload-Oxum: .*\n/m, '')),
    onText('bag-info.txt', 'the bag says more about itself', (text) => `${text}Source-Organization: somebody\n`),
    onText('bag-info.txt', 'the bag is named after another run', (text) =>
      text.replace(/^External-Identifier: .*$/m, 'External-Identifier: another-run'),
    ),
  ],
  'file-forbidden': [
    onBundle('a listed file outside the layout', ['file-forbidden'], (editor) => {
      addFile(editor, 'data/notes.txt');
      editor.repin();
    }),
    onBundle('a link', ['file-forbidden'], (editor) => editor.forbidden.push({ path: 'data/link', what: 'a link' })),
    onBundle('a list of files to fetch', ['file-forbidden'], (editor) => {
      editor.files.set('fetch.txt', Buffer.from(''));
      editor.repin();
    }),
  ],
  'file-unlisted': [
    onPlace(withoutWords, 'a file that no list names', ['file-unlisted'], (editor, target) =>
      addFile(editor, target.file('stderr.log')),
    ),
  ],
  'file-missing': [
    onPlace(withoutWords, 'a listed file that is not there', ['file-missing'], (editor, target) => {
      addFile(editor, target.file('stderr.log'));
      editor.repin();
      editor.files.delete(target.file('stderr.log'));
    }),
  ],
  'file-altered': [
    onBundle('a hash in the manifest altered', ['file-altered'], (editor) => {
      editor.text(manifest, (text) => text.replace(/^./, (digit) => (digit === '0' ? '1' : '0')));
      editor.repinTags();
    }),
    onBundle('line ends of a listed file converted', ['file-altered'], (editor) =>
      editor.text('bag-info.txt', (text) => text.replaceAll('\n', '\r\n')),
    ),
  ],
} satisfies Record<string, readonly Mutation[]>;
