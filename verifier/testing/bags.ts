/** Bags made by hand after RFC 8493, file by file: what a list says is written here, and not by what writes or reads bundles. */
import { createHash } from 'node:crypto';
import type { Tree } from '../read/tree.js';

export type Files = Record<string, string>;

export const [manifest, tagManifest] = ['manifest-sha256.txt', 'tagmanifest-sha256.txt'];
export const declaration = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';
export const state = 'data/cases/first/producer/state';
export const [image, text] = [`${state}/27613-h/images/q172.png`, `${state}/27613-h/images/q172.txt`];
/** The example of section 4.1: a picture and a text in nested folders. */
export const payload: Files = { [image]: '\u0089PNG\r\n\u001A\n', [text]: 'q172.png was scanned.\n' };

export const hash = (algorithm: string, content = ''): string => createHash(algorithm).update(content).digest('hex');
export const digest = (content?: string): string => hash('sha256', content);
export const lines = (files: Files): string =>
  Object.entries(files)
    .map(([path, content]) => `${digest(content)}  ${path}\n`)
    .join('');
export const inOrder = (files: Files): Files => Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
export const ofTags = (files: Files): Files =>
  inOrder(Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith('data/') && path !== tagManifest)));

function infoOf(files: Files): string {
  const sizes = Object.values(files).map((content) => Buffer.byteLength(content));
  const oxum = `${sizes.reduce((sum, size) => sum + size, 0)}.${sizes.length}`;
  return `Bagging-Date: 2026-11-30\nExternal-Identifier: myfirstbag\nPayload-Oxum: ${oxum}\n`;
}

/** A bag of this payload; then what is said otherwise, and last the list of its tag files, unless that is said otherwise too. */
export function bagOf(files: Files, otherwise: Files = {}): Files {
  const bag = {
    ...files,
    'bagit.txt': declaration,
    'bag-info.txt': infoOf(files),
    [manifest]: lines(inOrder(files)),
    ...otherwise,
  };
  return { [tagManifest]: lines(ofTags(bag)), ...bag };
}

export function without(bag: Files, ...names: string[]): Files {
  return Object.fromEntries(Object.entries(bag).filter(([path]) => !names.includes(path)));
}

/** Changes one file of the good bag, and lists it with its new hash. */
export function changed(name: string, change: (content: string) => string): Files {
  return bagOf(payload, { [name]: change(good[name] ?? '') });
}

export const treeOf = (bag: Files): Tree => ({
  files: new Map(Object.entries(bag).map(([path, content]) => [path, Buffer.from(content)])),
  forbidden: [],
  unreadable: [],
});

export const good = bagOf(payload);
