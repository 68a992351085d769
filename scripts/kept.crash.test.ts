/**
 * What the kept bundle of the main plan still shows, each time the code changes.
 *
 * Its verdict is fixed: a program that judges it otherwise has changed its mind about old evidence, and CHANGELOG.md must say so. And the killed
 * ledgers in it can still be opened: a fresh process of today's runtime projects what the inspectors recorded then.
 */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { figures, keptBundle, withFigures } from './readme.js';

const bundle = keptBundle();
const work = mkdtempSync(join(tmpdir(), 'killpoint-kept-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

function run(bin: string, ...args: string[]): { status: number | null; stdout: string } {
  return spawnSync(process.execPath, [`bin/${bin}.js`, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 });
}

function json(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

interface Plan {
  cases: { id: string; kill: object | null }[];
}

describe('the kept bundle', () => {
  it('keeps its verdict, with more than the 73 claims of the experiment that it repeats', () => {
    const { status, stdout } = run('killpoint-verify', bundle, '--json');
    const verdict = JSON.parse(stdout) as { verdict: string; confirmatory: boolean; claims: { held: number }; void: number };
    expect({ status, verdict: verdict.verdict, confirmatory: verdict.confirmatory, void: verdict.void }).toEqual({
      status: 0,
      verdict: 'valid',
      confirmatory: true,
      void: 0,
    });
    expect(verdict.claims.held).toBeGreaterThan(73);
  });

  it('is what README.md quotes', () => {
    const readme = readFileSync('README.md', 'utf8');
    expect(withFigures(readme, figures(bundle))).toBe(readme);
  });

  it('was run from the plan that is still there: a plan is immutable once a bundle cites it', () => {
    const cited = readFileSync(join(bundle, 'data/plan.json'));
    expect(readFileSync('preregistrations/working-state.json').equals(cited)).toBe(true);
  });

  const killed = (json(join(bundle, 'data/plan.json')) as Plan).cases.filter(({ kill }) => kill !== null);
  it.concurrent.each(killed.map(({ id }) => id))(
    '%s: a fresh process reopens the killed ledger and projects what was recorded',
    async (id) => {
      const snapshot = join(bundle, 'data/cases', id, 'producer');
      const copy = join(work, id);
      cpSync(join(snapshot, 'state'), copy, { recursive: true });
      const before = readdirSync(copy).map((name) => [name, readFileSync(join(copy, name)).toString('base64')]);
      const { stdout } = await promisify(execFile)(process.execPath, ['bin/killpoint.js', 'state', copy, '--json'], {
        maxBuffer: 1 << 26,
      });
      const recorded = (json(join(snapshot, 'inspection.json')) as { projections: unknown }).projections;
      const told = JSON.parse(stdout) as unknown;
      expect(Array.isArray(told) ? told : (told as { projections: unknown }).projections).toEqual(recorded);
      expect(readdirSync(copy).map((name) => [name, readFileSync(join(copy, name)).toString('base64')])).toEqual(before);
    },
  );
});
