import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { demandWritableOut } from './out.js';

const home = mkdtempSync(join(tmpdir(), 'killpoint-out-'));
afterAll(() => rmSync(home, { recursive: true }));

describe('the place where bundles go', () => {
  it('may be a folder that is there, or one that can be made', () => {
    expect(() => demandWritableOut(home)).not.toThrow();
    expect(() => demandWritableOut(join(home, 'new', 'and', 'deeper'))).not.toThrow();
  });

  it.each<[string, () => string, RegExp]>([
    ['a file', () => '/dev/null', /\/dev\/null is not a folder\. Choose another --out/],
    ['below a file', () => '/dev/null/x', /\/dev\/null is not a folder/],
    ['a name that no file can have', () => join(home, 'x'.repeat(300)), /the name is too long\. Choose another --out/],
    ['a folder that cannot be made', () => '/proc/nowhere', /no folder can be made in \/proc/],
    [
      'a link that leads nowhere',
      () => {
        symlinkSync('nowhere', join(home, 'link'));
        return join(home, 'link');
      },
      /it is a symbolic link that leads nowhere/,
    ],
  ])('is refused before anything starts where it is %s', (_what, place, words) => {
    expect(() => demandWritableOut(place())).toThrow(words);
  });
});
