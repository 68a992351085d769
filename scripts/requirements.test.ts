/**
 * Every row of `evidence/schema/requirements.json` says something, and what it names exists.
 *
 * Not covered: whether the named test really shows the requirement, and whether a requirement of the source documents is
 * missing. Both are for a reader.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';

interface Reference {
  kind: 'test' | 'case' | 'check' | 'code';
  ref: string;
}
interface Row {
  id: string;
  requirement: string;
  shown_by: 'open' | { refused: string } | Reference[];
}
interface Arm {
  id: string;
  crash?: { model: string; commits?: number[]; depth?: number };
}
interface Plan {
  cases: { id: string; arms: Arm[] }[];
}

const load = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const rows = load('evidence/schema/requirements.json') as Row[];
const validate = new Ajv2020({ allErrors: true }).compile(load('evidence/schema/requirements.schema.json') as object);
const guarantees = readFileSync('evidence/schema/README.md', 'utf8');

function plannedNames(): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync('preregistrations').filter((name) => name.endsWith('.json'))) {
    const stem = file.replace('.json', '');
    for (const { id, arms } of (load(`preregistrations/${file}`) as Plan).cases) {
      names.add(`${stem}/${id}`);
      for (const arm of arms.flatMap(snapshotsOf)) names.add(`${stem}/${id}/${arm}`);
    }
  }
  return names;
}

/** An arm, with the snapshots that a crash in recovery stands for, as `evidence/schema/README.md` names them. */
function snapshotsOf({ id, crash }: Arm): string[] {
  if (crash?.model !== 'crash-in-recovery') return [id];
  const killed = (crash.commits ?? []).flatMap((commits, i) => {
    const once = `${id}-k${i}`;
    const twice = crash.depth === 2 ? Array.from({ length: commits + 1 }, (_, m) => `${once}-k${m}`) : [];
    return [once, ...twice];
  });
  return [id, ...killed.flatMap((name) => [name, `${name}-end`])];
}

const planned = plannedNames();
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  encoding: 'utf8',
  maxBuffer: 64 << 20,
}).split('\0');
/** What git knows, or would take: files, and the folders that they lie in. */
const known = new Set(listed.flatMap((path) => path.split('/').map((_part, at, parts) => parts.slice(0, at + 1).join('/'))));

function resolves({ kind, ref }: Reference): boolean {
  if (kind === 'case') return planned.has(ref);
  if (kind === 'check') return guarantees.includes(`| ${ref} |`);
  const isTest = ref.endsWith('.test.ts');
  return existsSync(ref) && (kind === 'test') === isTest && known.has(ref);
}

describe('requirements', () => {
  it('has the shape that its schema says', () => {
    expect(validate(rows), JSON.stringify(validate.errors, null, 1)).toBe(true);
  });

  it('numbers its rows without gap or repetition, calls first', () => {
    for (const source of ['WS', 'DC']) {
      const ids = rows.map(({ id }) => id).filter((id) => id.startsWith(source));
      expect(ids.length).toBeGreaterThan(20);
      expect(ids).toEqual(ids.map((_, index) => `${source}-${String(index + 1).padStart(2, '0')}`));
    }
  });

  it('names for each fault tests of the mechanism, a case of a plan, and a guarantee that a bundle can break', () => {
    const faults = rows.filter(({ id }) => id.startsWith('FA'));
    expect(faults.map(({ id }) => id)).toEqual(['FA-15', 'FA-17', 'FA-18', 'FA-19', 'FA-20', 'FA-26', 'FA-30']);
    for (const { id, shown_by } of faults) {
      const kinds = Array.isArray(shown_by) ? shown_by.map(({ kind }) => kind) : [];
      expect({ id, kinds }).toEqual({ id, kinds: expect.arrayContaining(['test', 'case', 'check']) as string[] });
    }
  });

  it('says each requirement once', () => {
    expect(new Set(rows.map(({ requirement }) => requirement)).size).toBe(rows.length);
  });

  it('names only what exists', () => {
    const references = rows.flatMap(({ id, shown_by }) =>
      Array.isArray(shown_by) ? shown_by.map((reference) => ({ id, ...reference })) : [],
    );
    expect(references.length).toBeGreaterThan(60);
    expect(references.filter((reference) => !resolves(reference))).toEqual([]);
  });

  it('names the snapshots that a crash in recovery stands for', () => {
    const crash = { model: 'crash-in-recovery', commits: [1, 0], depth: 2 };
    const twoDeep = ['r-k0-k0', 'r-k0-k0-end', 'r-k0-k1', 'r-k0-k1-end', 'r-k1-k0', 'r-k1-k0-end'];
    const oneDeep = ['r', 'r-k0', 'r-k0-end', 'r-k1', 'r-k1-end'];
    expect(snapshotsOf({ id: 'r', crash }).toSorted()).toEqual([...oneDeep, ...twoDeep].toSorted());
    expect(snapshotsOf({ id: 'r', crash: { ...crash, depth: 1 } })).toEqual(oneDeep);
    expect(snapshotsOf({ id: 'r', crash: { model: 'race' } })).toEqual(['r']);
  });

  it('rejects an empty row and a row that names nothing', () => {
    const [row] = rows;
    expect(validate([{ ...row, requirement: '' }])).toBe(false);
    expect(validate([{ ...row, shown_by: [] }])).toBe(false);
    expect(resolves({ kind: 'case', ref: 'working-state/no-such-case' })).toBe(false);
    expect(resolves({ kind: 'check', ref: 'G99' })).toBe(false);
    expect(resolves({ kind: 'test', ref: 'runtime/no-such.test.ts' })).toBe(false);
    expect(resolves({ kind: 'code', ref: 'package-lock.json/x' })).toBe(false);
  });
});
