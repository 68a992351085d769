/**
 * Bags made by hand after RFC 8493, each with exactly what is said of it. The good ones are its example bag with names of our layout. Of the
 * bad ones some are broken, whoever reads them; the others are the second spellings that it allows and we do not.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as hand from '../testing/bags.js';
import { inFolder } from '../testing/folder.js';
import { bagProblems } from './bag.js';
import { readTree, type Tree } from './tree.js';

const { bagOf, changed, declaration, digest, good, hash, image, inOrder, lines, manifest, ofTags } = hand;
const { payload, state, tagManifest, text, treeOf, without } = hand;
type Files = hand.Files;

const said = (tree: Tree): string[] =>
  bagProblems(tree)
    .map(({ code, file }) => `${code} ${file}`)
    .sort();

function onDisk<T>(bag: Files, use: (folder: string) => T): T {
  return inFolder((folder) => {
    for (const [path, content] of Object.entries(bag)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return use(folder);
  });
}

const listed = good[manifest] ?? '';
const also = (line: string): string => `${line}\n${listed}`;

describe('a bag by hand that is good', () => {
  it.each<[string, Files]>([
    ['the example of section 4.1', good],
    ['with an empty file', bagOf({ ...payload, [`${state}/empty`]: '' })],
    ['with one file', bagOf({ 'data/plan.json': '{}\n' })],
    ['with two files of the same bytes', bagOf({ [`${state}/a`]: 'x', [`${state}/b`]: 'x' })],
    ['with names that differ by their case', bagOf({ [`${state}/A`]: 'x', [`${state}/a`]: 'y' })],
    ['with names that begin with dots', bagOf({ [`${state}/.hidden`]: 'x', [`${state}/...`]: 'y' })],
    ['with CRLF in its payload', bagOf({ [`${state}/windows.txt`]: 'a\r\nb\r\n' })],
    ['with no bytes at all in its payload', bagOf({ [`${state}/empty`]: '' })],
  ])('%s: nothing is said of it, in memory, from disk, and by sha256sum', (_what, bag) => {
    expect(said(treeOf(bag))).toEqual([]);
    onDisk(bag, (folder) => {
      expect(said(readTree(folder))).toEqual([]);
      for (const list of [manifest, tagManifest]) execFileSync('sha256sum', ['-c', '--strict', '--quiet', list], { cwd: folder });
    });
  });
});

describe('a bag by hand that is broken', () => {
  it.each<[string, string[], Files]>([
    [
      'without bagit.txt',
      ['bag-malformed bagit.txt'],
      without(bagOf(payload, { [tagManifest]: lines(ofTags(without(good, 'bagit.txt'))) }), 'bagit.txt'),
    ],
    ['without bagit.txt, which is listed', ['bag-malformed bagit.txt', 'file-missing bagit.txt'], without(good, 'bagit.txt')],
    ['without a version', ['bag-malformed bagit.txt'], changed('bagit.txt', (all) => all.slice(all.indexOf('Tag')))],
    ['of a version that is not there', ['bag-malformed bagit.txt'], changed('bagit.txt', (all) => all.replace('1.0', '2.0'))],
    ['without an encoding', ['bag-malformed bagit.txt'], changed('bagit.txt', (all) => all.slice(0, all.indexOf('Tag')))],
    [
      'whose lines are in another order',
      ['bag-malformed bagit.txt'],
      changed('bagit.txt', (all) => `${all.slice(19)}${all.slice(0, 19)}`),
    ],
    [
      'whose declaration begins with a byte order mark',
      ['bag-malformed bagit.txt'],
      changed('bagit.txt', (all) => `\uFEFF${all}`),
    ],
    ['without a manifest', [`bag-malformed ${manifest}`, `file-missing ${manifest}`], without(good, manifest)],
    ['with a file that is not listed', [`file-unlisted ${state}/more`], { ...good, [`${state}/more`]: 'x' }],
    ['without a file that is listed', [`file-missing ${text}`], without(good, text)],
    ['with an altered file', [`file-altered ${text}`], { ...good, [text]: 'q172.png was drawn.\n' }],
    [
      'with two files exchanged',
      [`file-altered ${image}`, `file-altered ${text}`],
      { ...good, [image]: payload[text] ?? '', [text]: payload[image] ?? '' },
    ],
    [
      'with a file listed under the hash of another',
      [`file-altered ${text}`],
      changed(manifest, (all) => all.replace(digest(payload[text]), digest(payload[image]))),
    ],
    ['with a line twice', [`bag-malformed ${manifest}`], changed(manifest, (all) => all.replace(/^(.*\n)/, '$1$1'))],
    [
      'with a file under two hashes',
      [`bag-malformed ${manifest}`],
      changed(manifest, (all) => `${all}${digest('other')}  ${text}\n`),
    ],
    [
      'with a path that leads out of it',
      [`bag-malformed ${manifest}`, 'file-missing ../outside'],
      changed(manifest, () => also(`${digest('x')}  ../outside`)),
    ],
    [
      'with a path out of its payload',
      ['file-missing data/../../outside'],
      changed(manifest, () => also(`${digest('x')}  data/../../outside`)),
    ],
    [
      'with an absolute path',
      [`bag-malformed ${manifest}`, 'file-missing /etc/hostname'],
      changed(manifest, () => also(`${digest('x')}  /etc/hostname`)),
    ],
    ['with a path from a home', [`bag-malformed ${manifest}`], changed(manifest, () => also(`${digest('x')}  ~/outside`))],
    [
      'whose manifest lists a tag file',
      [`bag-malformed ${manifest}`],
      changed(manifest, (all) => `${digest(declaration)}  bagit.txt\n${all}`),
    ],
    [
      'whose payload summary has other bytes',
      ['bag-malformed bag-info.txt'],
      changed('bag-info.txt', (all) => all.replace(/Oxum: \d+/, 'Oxum: 1')),
    ],
    [
      'whose payload summary has other files',
      ['bag-malformed bag-info.txt'],
      changed('bag-info.txt', (all) => all.replace(/\.\d+\n$/, '.3\n')),
    ],
    [
      'with another hash of a tag file',
      ['file-altered bagit.txt'],
      { ...good, [tagManifest]: (good[tagManifest] ?? '').replace(digest(declaration), digest('')) },
    ],
    [
      'with a tag file altered after it was listed',
      ['file-altered bag-info.txt'],
      { ...good, 'bag-info.txt': (good['bag-info.txt'] ?? '').replace('30', '29') },
    ],
    [
      'whose list of tag files lists itself',
      [`bag-malformed ${tagManifest}`, `file-altered ${tagManifest}`],
      { ...good, [tagManifest]: `${good[tagManifest]}${digest('')}  ${tagManifest}\n` },
    ],
    [
      'whose list of tag files lists payload',
      [`bag-malformed ${tagManifest}`],
      { ...good, [tagManifest]: lines(inOrder({ ...ofTags(good), [text]: payload[text] ?? '' })) },
    ],
  ])('%s', (_what, expected, bag) => expect(said(treeOf(bag))).toEqual(expected));
});

describe('a bag by hand that the RFC allows and we do not', () => {
  const other = (algorithm: string, files: Files): string =>
    Object.entries(files)
      .map(([path, content]) => `${hash(algorithm, content)}  ${path}\n`)
      .join('');
  const md5 = { 'manifest-md5.txt': other('md5', payload) };
  const sha512 = { 'manifest-sha512.txt': other('sha512', payload) };

  it.each<[string, string[], Files]>([
    [
      'the example of section 4.1 to the letter, of MD5 and without our tag files',
      ['bag-malformed bag-info.txt', `bag-malformed ${manifest}`, `bag-malformed ${tagManifest}`],
      { ...payload, ...md5, 'bagit.txt': declaration },
    ],
    ['of an older version', ['bag-malformed bagit.txt'], changed('bagit.txt', (all) => all.replace('1.0', '0.97'))],
    ['in another encoding', ['bag-malformed bagit.txt'], changed('bagit.txt', (all) => all.replace('UTF-8', 'ISO-8859-1'))],
    ['with lists of another algorithm beside ours', ['file-forbidden manifest-sha512.txt'], bagOf(payload, sha512)],
    ['with lists of another algorithm that are not listed', ['file-unlisted manifest-sha512.txt'], { ...good, ...sha512 }],
    [
      'with lists of two other algorithms only',
      [`bag-malformed ${manifest}`, 'file-forbidden manifest-md5.txt', 'file-forbidden manifest-sha512.txt'],
      without(
        {
          ...bagOf(payload, { ...md5, ...sha512, [manifest]: '' }),
          [tagManifest]: lines(ofTags({ ...without(good, manifest), ...md5, ...sha512 })),
        },
        manifest,
      ),
    ],
    ['without a list of its tag files', [`bag-malformed ${tagManifest}`], without(good, tagManifest)],
    [
      'whose list of tag files leaves one out',
      ['file-unlisted bagit.txt'],
      { ...good, [tagManifest]: lines(ofTags(without(good, 'bagit.txt'))) },
    ],
    ['with something to fetch', ['file-forbidden fetch.txt'], bagOf(payload, { 'fetch.txt': '' })],
    [
      'with something to fetch that is not listed',
      ['file-unlisted fetch.txt'],
      { ...good, 'fetch.txt': 'file:///etc/hostname - data/plan.json\n' },
    ],
    [
      'with a file still to be fetched',
      ['file-forbidden fetch.txt', `file-missing ${text}`],
      without(bagOf(payload, { 'fetch.txt': `file:///x 22 ${text}\n` }), text),
    ],
    [
      'with a percent sign in a name, encoded in the list',
      [`bag-malformed ${manifest}`, `file-forbidden ${state}/50%`],
      bagOf({ ...payload, [`${state}/50%`]: 'x' }, { [manifest]: `${lines(payload)}${digest('x')}  ${state}/50%25\n` }),
    ],
    [
      'with a line break in a name, encoded in the list',
      [`bag-malformed ${manifest}`, `file-forbidden ${state}/a\nb`],
      bagOf({ ...payload, [`${state}/a\nb`]: 'x' }, { [manifest]: `${lines(payload)}${digest('x')}  ${state}/a%0Ab\n` }),
    ],
    [
      'with a space in a name',
      [`bag-malformed ${manifest}`, `file-forbidden ${state}/a b`],
      bagOf({ ...payload, [`${state}/a b`]: 'x' }),
    ],
    [
      'with a letter beyond ASCII in a name',
      [`bag-malformed ${manifest}`, `file-forbidden ${state}/é`],
      bagOf({ ...payload, [`${state}/é`]: 'x' }),
    ],
    ['with CRLF in its declaration', ['bag-malformed bagit.txt'], changed('bagit.txt', (all) => all.replaceAll('\n', '\r\n'))],
    ['with CRLF in its manifest', [`bag-malformed ${manifest}`], changed(manifest, (all) => all.replaceAll('\n', '\r\n'))],
    ['with CR in its manifest', [`bag-malformed ${manifest}`], changed(manifest, (all) => all.replaceAll('\n', '\r'))],
    [
      'with CRLF in its list of tag files',
      [`bag-malformed ${tagManifest}`],
      { ...good, [tagManifest]: (good[tagManifest] ?? '').replaceAll('\n', '\r\n') },
    ],
    [
      'with CRLF in its information',
      ['bag-malformed bag-info.txt'],
      changed('bag-info.txt', (all) => all.replaceAll('\n', '\r\n')),
    ],
    [
      'without information',
      ['bag-malformed bag-info.txt'],
      without({ ...good, [tagManifest]: lines(ofTags(without(good, 'bag-info.txt'))) }, 'bag-info.txt'),
    ],
    [
      'with more information',
      ['bag-malformed bag-info.txt'],
      changed('bag-info.txt', (all) => `Source-Organization: Spengler University\n${all}`),
    ],
    [
      'with information on two lines',
      ['bag-malformed bag-info.txt'],
      changed('bag-info.txt', (all) => all.replace(': myfirstbag', ':\n  myfirstbag')),
    ],
    [
      'without a line break at the end of its manifest',
      [`bag-malformed ${manifest}`],
      changed(manifest, (all) => all.slice(0, -1)),
    ],
    [
      'with hashes in capital letters',
      [`bag-malformed ${manifest}`],
      changed(manifest, (all) => all.replace(/^[0-9a-f]+/gm, (digits) => digits.toUpperCase())),
    ],
    [
      'with one space between hash and path',
      [`bag-malformed ${manifest}`],
      changed(manifest, (all) => all.replaceAll('  ', ' ')),
    ],
    ['with a tab between hash and path', [`bag-malformed ${manifest}`], changed(manifest, (all) => all.replaceAll('  ', '\t'))],
    ['with the mark of binary files', [`bag-malformed ${manifest}`], changed(manifest, (all) => all.replaceAll('  ', ' *'))],
    [
      'whose manifest is not sorted',
      [`bag-malformed ${manifest}`],
      changed(manifest, (all) => `${all.slice(0, -1).split('\n').reverse().join('\n')}\n`),
    ],
    ['whose manifest has an empty line', [`bag-malformed ${manifest}`], changed(manifest, (all) => `${all}\n`)],
    ['without payload', [`bag-malformed ${manifest}`], bagOf({})],
    [
      'with payload outside our layout',
      ['file-forbidden data/27613-h/images/q172.txt'],
      bagOf({ 'data/27613-h/images/q172.txt': 'x' }),
    ],
    ['with a tag file of its own', ['file-forbidden README.md'], bagOf(payload, { 'README.md': 'x' })],
    ['with tag files in a folder', ['file-forbidden tags/more.txt'], bagOf(payload, { 'tags/more.txt': 'x' })],
  ])('%s', (_what, expected, bag) => expect(said(treeOf(bag))).toEqual(expected));

  it('is read from disk as it is in memory, and nothing beyond its folder is looked at', () => {
    onDisk({ 'bag/data/plan.json': '{}\n', outside: 'x' }, (folder) => {
      const bag = bagOf(
        { 'data/plan.json': '{}\n' },
        { [manifest]: `${digest('x')}  ../outside\n${lines({ 'data/plan.json': '{}\n' })}` },
      );
      for (const [path, content] of Object.entries(bag)) writeFileSync(join(folder, 'bag', path), content);
      expect(said(readTree(join(folder, 'bag')))).toEqual([`bag-malformed ${manifest}`, 'file-missing ../outside']);
    });
  });
});
