/**
 * What the kept bundles still show, each time the code changes: the newest of each plan.
 *
 * A verdict is fixed: a program that judges a kept bundle otherwise has changed its mind about old evidence, and CHANGELOG.md must say so. And
 * the killed records can still be opened: today's runtime projects what the inspectors recorded then. That is asked in this process, of so
 * many of each bundle, chosen by their hashes, and of one of each by the command that a person would use.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openReader, openSessionReader, type SessionState, type WorkState } from '../runtime/index.js';
import { changesIn, formatsOf, frozenOf, readFrozen, type Judged } from './frozen.js';
import { judged, keptBundle, keptBundles, keptPlans, verdictOf } from './kept.js';
import { quoted } from './readme.js';

/** More than the killed processes of the main plan, which are all asked. */
const atMost = 60;
const work = mkdtempSync(join(tmpdir(), 'killpoint-kept-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const bundles = keptPlans().map((plan): [plan: string, bundle: string] => [plan, keptBundle(plan) ?? '']);

function json(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(...path), 'utf8'));
}

/** The folder of every snapshot whose process was killed and left a record. */
function killedIn(bundle: string): string[] {
  const cases = join(bundle, 'data/cases');
  const places = readdirSync(cases).flatMap((name) => {
    const { snapshots } = json(cases, name, 'case.json') as { snapshots: string[] };
    return snapshots.map((snapshot) => join(cases, name, snapshot));
  });
  return places.filter((place) => {
    const process = join(place, 'process.json');
    const killed = existsSync(process) && (json(process) as { exit: { signal: string | null } }).exit.signal === 'SIGKILL';
    // Where no format record is there was no promise yet, and nothing to open.
    return killed && existsSync(join(place, 'state/format.json'));
  });
}

function isSession(place: string): boolean {
  return existsSync(join(place, 'state/session.wal'));
}

function recordedIn(place: string): unknown {
  return told(json(place, 'inspection.json'), place);
}

/** What is said of the state, by an inspector or to a person. */
function told(document: unknown, place: string): unknown {
  if (Array.isArray(document)) return document;
  const { projections, session } = document as { projections?: unknown; session?: unknown };
  return isSession(place) ? session : projections;
}

function projected(place: string): WorkState[] | SessionState {
  if (isSession(place)) return openSessionReader(join(place, 'state')).state();
  const scratch = mkdtempSync(join(work, 'look-'));
  const reader = openReader({ directory: join(place, 'state'), scratch });
  try {
    return reader.workStates();
  } finally {
    reader.close();
    rmSync(scratch, { recursive: true });
  }
}

const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

function bytesOf(place: string): string[] {
  const names = readdirSync(join(place, 'state')).sort();
  return names.map((name) => `${name} ${digestOf(readFileSync(join(place, 'state', name)))}`);
}

describe.each(bundles)('the kept bundle of %s', (plan, bundle) => {
  const killed = killedIn(bundle)
    .toSorted((left, right) => (digestOf(left) < digestOf(right) ? -1 : 1))
    .slice(0, atMost);

  it('keeps its verdict, with more claims than the 73 of the experiment that the main plan repeats', { timeout: 180_000 }, () => {
    const { verdict, confirmatory, claims, void: voids } = judged(bundle);
    expect({ verdict, confirmatory, voids }).toEqual({ verdict: 'valid', confirmatory: true, voids: 0 });
    expect(claims.held).toBeGreaterThan(73);
  });

  it('was run from the plan that is still there: a plan is immutable once a bundle cites it', () => {
    const cited = readFileSync(join(bundle, 'data/plan.json'));
    expect(readFileSync(join('preregistrations', `${plan}.json`)).equals(cited)).toBe(true);
  });

  it('holds killed records that open as ever: each projects what was recorded, and looking changes no byte', () => {
    expect(killed.length).toBeGreaterThan(0);
    for (const place of killed) {
      const before = bytesOf(place);
      expect(projected(place), place).toEqual(recordedIn(place));
      expect(bytesOf(place), place).toEqual(before);
    }
  });

  it('tells a person the same by the command', () => {
    const [place = ''] = killed;
    const args = ['bin/killpoint.js', 'state', join(place, 'state'), '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
    expect(stderr).toBe('');
    expect(told(JSON.parse(stdout), place), place).toEqual(recordedIn(place));
  });
});

describe('the kept bundles', () => {
  it.each(keptBundles())('%s keeps each claim that it had when it was frozen', { timeout: 180_000 }, (bundle) => {
    const frozen = readFrozen(bundle);
    if (frozen === null) throw new Error(`The verdict of ${bundle} is not frozen: npx tsx scripts/freeze.ts ${bundle}`);
    const now = frozenOf(bundle, formatsOf(bundle), verdictOf(bundle) as Judged);
    expect(changesIn(frozen, now)).toEqual([]);
    expect(now.formats).toEqual(frozen.formats);
  });

  it('are there: every plan has one', () => {
    const plans = readdirSync('preregistrations').filter((name) => name.endsWith('.json'));
    expect(keptPlans()).toEqual(plans.map((name) => name.replace(/\.json$/, '')).sort());
  });

  it('are what README.md quotes', () => {
    const readme = readFileSync('README.md', 'utf8');
    expect(quoted(readme)).toBe(readme);
  });
});
