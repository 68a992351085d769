import { lstatSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { factsOfGiven, refusalOfGiven } from './given.js';

function failed(code: string, path?: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'open', ...(path !== undefined && { path }) });
}

describe('what the system says', () => {
  it.each<[string, Error, string[], string | null]>([
    ['of a path that was given', failed('EACCES', '/a/b'), ['run', '/a/b'], '/a/b may not be used by this user.'],
    ['of what lies below it', failed('ENOTDIR', '/a/b/c'), ['run', '/a/b'], '/a/b/c has a part that is not a folder.'],
    ['of a path behind an option', failed('EIO', '/a/b'), ['run', '--out=/a'], '/a/b cannot be used (EIO).'],
    ['of another path', failed('EACCES', '/c'), ['run', '/a/b'], null],
    ['of a path that begins alike', failed('EACCES', '/a/bc'), ['run', '/a/b', ''], null],
    ['of no path', failed('EIO'), ['run', '/a/b'], null],
    ['of the process', failed('EMFILE', '/a/b'), ['run', '/a/b'], null],
    ['nothing', new TypeError('no'), ['run', '/a/b'], null],
  ])('%s: %s with %j', (_what, error, given, sentence) => {
    const refusal = refusalOfGiven(error, given);
    expect(refusal?.message ?? null).toEqual(sentence === null ? null : expect.stringContaining(sentence));
    if (refusal !== null) expect(refusal.exitCode).toBe(64);
  });
});

describe('the facts of a path', () => {
  it('are none where nothing is, below a file too, and a refusal where it cannot be looked at', () => {
    expect(factsOfGiven('/nowhere/at/all')).toBeUndefined();
    expect(factsOfGiven('/dev/null/below')).toBeUndefined();
    expect(factsOfGiven('/dev/null')?.ino).toBe(lstatSync('/dev/null').ino);
    expect(() => factsOfGiven(`/${'x'.repeat(300)}`)).toThrow(/is too long a name\. Check the path/);
  });
});
