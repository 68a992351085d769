import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/plans.js';
import { readPlainFile } from './read.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const at = (name: string): string => join(folder.path, name);

describe('a file that somebody else names', () => {
  it('is read whole, through a link too, and refused beyond its bound', () => {
    writeFileSync(at('file'), 'x'.repeat(200_000));
    symlinkSync(at('file'), at('link'));
    expect(readPlainFile(at('link'), 200_000)).toHaveLength(200_000);
    expect(() => readPlainFile(at('file'), 199_999)).toThrow('it is larger than 199999 bytes');
    expect(() => readPlainFile(at('link'), 200_000, { follow: false })).toThrow('symbolic link');
    expect(readPlainFile('/proc/self/stat', 4096).length).toBeGreaterThan(0);
  });

  it.skipIf(process.platform !== 'linux')('is never waited for', () => {
    execFileSync('mkfifo', [at('fifo')]);
    mkdirSync(at('folder'));
    for (const path of [at('fifo'), at('folder'), '/dev/zero', '/dev/null'])
      expect(() => readPlainFile(path, 10)).toThrow('it is not a plain file');
    expect(() => readPlainFile(at('nothing'), 10)).toThrow('it does not exist');
  });
});
