/**
 * What the kept bundles still show, each time the code changes: the newest of each plan.
 *
 * A verdict is fixed: a program that judges a kept bundle otherwise has changed its mind about old evidence, and CHANGELOG.md must say so. And
 * the killed ledgers can still be opened: a fresh process of today's runtime projects what the inspectors recorded then.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { judged, keptBundle, keptPlans } from './kept.js';
import { quoted } from './readme.js';

/** The main plan's ledgers are all opened; of the others so many are, chosen by their hashes. */
const sampled = 10;
const work = mkdtempSync(join(tmpdir(), 'killpoint-kept-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const bundles = keptPlans().map((plan): [plan: string, bundle: string] => [plan, keptBundle(plan) ?? '']);

function json(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(...path), 'utf8'));
}

/** `<case>/<snapshot>` of every process that was killed and left a ledger. */
function killedIn(bundle: string): string[] {
  const cases = join(bundle, 'data/cases');
  const places = readdirSync(cases).flatMap((name) => {
    const { snapshots } = json(cases, name, 'case.json') as { snapshots: string[] };
    return snapshots.map((snapshot) => `${name}/${snapshot}`);
  });
  return places.filter((place) => {
    const process = join(cases, place, 'process.json');
    const killed = existsSync(process) && (json(process) as { exit: { signal: string | null } }).exit.signal === 'SIGKILL';
    return killed && existsSync(join(cases, place, 'state/ledger.sqlite'));
  });
}

function reopenedIn(plan: string, bundle: string): string[] {
  const killed = killedIn(bundle);
  if (plan === 'working-state') return killed;
  const rank = (place: string): string => createHash('sha256').update(place).digest('hex');
  return killed.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1)).slice(0, sampled);
}

describe.each(bundles)('the kept bundle of %s', (plan, bundle) => {
  it('keeps its verdict, with more claims than the 73 of the experiment that the main plan repeats', () => {
    const { verdict, confirmatory, claims, void: voids } = judged(bundle);
    expect({ verdict, confirmatory, voids }).toEqual({ verdict: 'valid', confirmatory: true, voids: 0 });
    expect(claims.held).toBeGreaterThan(73);
  });

  it('was run from the plan that is still there: a plan is immutable once a bundle cites it', () => {
    const cited = readFileSync(join(bundle, 'data/plan.json'));
    expect(readFileSync(join('preregistrations', `${plan}.json`)).equals(cited)).toBe(true);
  });

  it.concurrent.each(reopenedIn(plan, bundle))(
    '%s: a fresh process reopens the killed ledger and projects what was recorded',
    async (place) => {
      const snapshot = join(bundle, 'data/cases', place);
      const copy = join(work, plan, place);
      cpSync(join(snapshot, 'state'), copy, { recursive: true });
      const before = readdirSync(copy).map((name) => [name, readFileSync(join(copy, name)).toString('base64')]);
      const { stdout } = await promisify(execFile)(process.execPath, ['bin/killpoint.js', 'state', copy, '--json'], {
        maxBuffer: 1 << 26,
      });
      const recorded = (json(snapshot, 'inspection.json') as { projections: unknown }).projections;
      const told = JSON.parse(stdout) as unknown;
      expect(Array.isArray(told) ? told : (told as { projections: unknown }).projections).toEqual(recorded);
      expect(readdirSync(copy).map((name) => [name, readFileSync(join(copy, name)).toString('base64')])).toEqual(before);
    },
  );
});

describe('the kept bundles', () => {
  it('are there: the main plan has one', () => {
    expect(bundles.map(([plan]) => plan)).toContain('working-state');
  });

  it('are what README.md quotes', () => {
    const readme = readFileSync('README.md', 'utf8');
    expect(quoted(readme)).toBe(readme);
  });
});
