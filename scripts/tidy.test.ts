/**
 * The house rules that a compiler does not know, over every file that git tracks or would track.
 *
 * Generated code and kept evidence are not ours to tidy; lists of forbidden words are put together at run time, so that this
 * file passes its own rules.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

// Kept evidence is left out by git itself: its thousands of names outgrow the buffer of a child process.
const names = ['ls-files', '--cached', '--others', '--exclude-standard', '--', '.', ':(exclude)evidence/kept'];
const listed = execFileSync('git', names, { encoding: 'utf8' }).split('\n');
const files = listed.filter((path) => path !== '' && existsSync(path));
const texts = new Map(
  files.filter((path) => !/\.(sqlite|bin|png)$/.test(path)).map((path) => [path, readFileSync(path, 'utf8')]),
);
const code = [...texts].filter(([path]) => /\.(ts|mjs|js)$/.test(path));
const ours = [...texts].filter(([path]) => path !== 'package-lock.json');
const word = (...parts: string[]): RegExp => new RegExp(parts.join(''), 'i');

function offenders(among: [string, string][], pattern: RegExp): string[] {
  return among.flatMap(([path, text]) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 100)}`] : [])),
  );
}

describe('the house', () => {
  it('is not empty', () => {
    for (const program of ['runtime/', 'synthetic-provider/', 'harness/', 'verifier/', 'scripts/', 'evidence/schema/']) {
      expect(files.filter((path) => path.startsWith(program)).length, program).toBeGreaterThan(1);
    }
  });

  it('has no source file longer than 300 lines', () => {
    const long = code.filter(([, text]) => text.split('\n').length > 300).map(([path]) => path);
    expect(long).toEqual([]);
  });

  it('opens every source file with a header that says what it is for', () => {
    const silent = code.filter(
      ([path, text]) => !path.endsWith('.test.ts') && !path.startsWith('bin/') && !/^(#!.*\n)?\/\*\*?/.test(text),
    );
    expect(silent.map(([path]) => path).filter((path) => !/\.config\.ts$/.test(path))).toEqual([]);
  });

  it('leaves nothing to be fixed later', () => {
    expect(offenders(ours, word('FIX', 'ME|XX', 'X:'))).toEqual([]);
  });

  it('runs all of its tests: none is focused or skipped', () => {
    const tests = code.filter(([path]) => path.endsWith('.test.ts'));
    expect(tests.length).toBeGreaterThan(5);
    expect(offenders(tests, /\b(it|test|describe)\.(only|skip|todo)\(/)).toEqual([]);
  });

  it('names no folder of this machine', () => {
    const places = [word('(^|[\'"`( =])/(wo', 'rk|ro', 'ot|Us', 'ers)/'), new RegExp(`${process.cwd()}/`)];
    expect(places.flatMap((place) => offenders(ours, place))).toEqual([]);
  });

  it('names no registry in the lock, and nothing that an address could be stolen from', () => {
    const lock = texts.get('package-lock.json') ?? '';
    expect(lock).toContain('"lockfileVersion"');
    expect(lock).not.toMatch(/"resolved"|https?:\/\/[^"]*(registry|npmjs|\.tgz)/);
  });

  it('pins every dependency to one version', () => {
    const { dependencies, devDependencies } = JSON.parse(texts.get('package.json') ?? '') as Record<
      string,
      Record<string, string>
    >;
    const ranges = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(ranges).toEqual([]);
  });

  it('keeps clocks, chance and files out of the code that decides', () => {
    const pure = code.filter(
      ([path]) => /^(runtime\/core|verifier\/(model|checks)|harness\/plan)\//.test(path) && !/\.test\.ts$|\/testing\//.test(path),
    );
    expect(pure.length).toBeGreaterThan(3);
    expect(offenders(pure, /\bDate\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|process\.hrtime/)).toEqual([]);
  });

  it('writes durably with synchronous calls: an async write already handed over lands even while parked', () => {
    const durable = code.filter(([path]) => /^(runtime\/store|synthetic-provider)\//.test(path) && !path.endsWith('.test.ts'));
    expect(durable.length).toBeGreaterThan(3);
    expect(offenders(durable, /fs\/promises|\bfs\.promises|createWriteStream/)).toEqual([]);
  });
});
