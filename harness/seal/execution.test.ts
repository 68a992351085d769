import { describe, expect, it } from 'vitest';
import { portable } from './execution.js';

describe('an argument in the execution record', () => {
  it.each([
    ['run', 'run'],
    ['plans/a.json', 'plans/a.json'],
    ['/home/me/x/plans/a.json', 'plans/a.json'],
    ['/home/me/x', '.'],
    ['/home/me/xy/a.json', '<outside>/a.json'],
    ['/tmp/secret/out', '<outside>/out'],
    ['--out=/tmp/secret/out', '--out=<outside>/out'],
    ['--jobs=2', '--jobs=2'],
  ])('%s is recorded as %s', (word, recorded) => {
    expect(portable(word, '/home/me/x')).toBe(recorded);
  });
});
