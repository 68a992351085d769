import fc from 'fast-check';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/plans.js';
import { linesIn, writeLines } from './lines.js';
import { makeMemoryFolder } from './memory-folder.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const file = join(folder.path, 'lines');

describe('a file of lines', () => {
  it('is read as it was written, whatever its length', () => {
    const byte = fc.integer({ min: 0, max: 255 }).filter((code) => code !== 0x0a);
    const line = fc.array(byte, { maxLength: 20 }).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        rmSync(file, { force: true });
        writeLines(file, lines);
        expect([...linesIn(file)]).toEqual(lines);
      }),
      { numRuns: 50 },
    );
  });

  it('has of a line that is longer than it may be the beginning', () => {
    writeFileSync(file, `${'x'.repeat(3 * 2 ** 20)}\nshort\n12345678`);
    expect([...linesIn(file, 7)]).toEqual(['xxxxxxxx', 'short', '12345678']);
  });

  it('may have lines longer than what is read at once, and a last one without an end', () => {
    const long = 'x'.repeat(3 * 2 ** 20);
    writeFileSync(file, `${long}\n\nshort\n${long}y`);
    expect([...linesIn(file)]).toEqual([long, '', 'short', `${long}y`]);
  });

  it('is never written over', () => {
    expect(() => writeLines(file, ['a'])).toThrow(/EEXIST/);
  });
});

describe('a folder in memory', () => {
  it('is private, and gone when it is removed', () => {
    const { path, remove } = makeMemoryFolder('killpoint-test');
    expect(statSync(path).mode & 0o777).toBe(0o700);
    writeFileSync(join(path, 'file'), 'x');
    remove();
    expect(existsSync(path)).toBe(false);
  });
});
