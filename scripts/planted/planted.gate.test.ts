/**
 * The mechanism of planted defects, on a small project: a program whose one rule can be patched away, with a build script and git of its own.
 *
 * What the real patches find is a step of the gate; here it is whether a patch that proves nothing can pass for one that was found.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareCopy } from './copy.js';
import { parseHeader, type Header } from './header.js';
import { placesOf, problemsOf, type Plan, type Report } from './judge.js';
import { plant } from './plant.js';
import { selectionOf, unplanted, whyUnclean } from './unplanted.js';

const work = mkdtempSync(join(tmpdir(), 'killpoint-planted-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const project = join(work, 'project');
const prepared = join(work, 'prepared');
const rule = 'runtime/rule.js';
const files: Record<string, string> = {
  [rule]: '// One rule.\nexport const guarded = true;\nexport const spare = 1;\n',
  'harness/cli/main.js': `
    import { writeFileSync } from 'node:fs';
    import { guarded } from '../../runtime/rule.js';
    const findings = guarded ? [] : [{ code: 'rule-broken', where: { case: 'one', snapshot: 'producer' } }];
    const verdict = guarded ? 'valid' : 'invalid';
    const verdict_document = process.cwd() + '/verdict.json';
    writeFileSync(verdict_document, '{"outcomes":[]}');
    console.log(JSON.stringify({ verdict, cases: 1, kills: 1, findings, voids: [], verdict_document }));
  `,
  'scripts/build.mjs': `
    import { cpSync } from 'node:fs';
    if (process.argv[2] !== '--contract') {
      for (const name of ['harness', 'runtime']) cpSync(name, 'dist/key/' + name, { recursive: true });
      console.log(process.cwd() + '/dist/key');
    }
  `,
  'preregistrations/small.json': '{"cases":[{"id":"one","arms":[]},{"id":"two","arms":[]}]}',
  'package.json': '{"type":"module"}',
  '.gitignore': 'ignored.txt\ndist/\n',
  'deleted.txt': '',
};

beforeAll(() => {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, stdio: 'pipe' });
  git('init', '-q');
  git('add', '.');
  rmSync(join(project, 'deleted.txt'));
  put('ignored.txt', '');
  put('untracked.txt', '');
  prepareCopy(project, prepared);
});

const headerLines = ['# Plan: small', '# Must find: rule-broken', '# Why: nothing is guarded.'];
const noRule = change(
  rule,
  2,
  ' // One rule.\n-export const guarded = true;\n+export const guarded = false;\n export const spare = 1;\n',
);

function change(path: string, lines: number, hunk: string): string {
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,${lines + 1} +1,${lines + 1} @@\n${hunk}`;
}

let count = 0;
function planted(patch: string, header: readonly string[] = headerLines): readonly string[] {
  const name = join(work, `patched-${count++}`);
  writeFileSync(`${name}.patch`, `${header.join('\n')}\n${patch}`);
  return plant(prepared, `${name}.patch`, name).problems;
}

describe('a copy of the sources', () => {
  it('holds what git lists as it lies in the working tree, and nothing that git ignores', () => {
    const there = ['untracked.txt', 'ignored.txt', 'deleted.txt', rule].map((path) => existsSync(join(prepared, path)));
    expect(there).toEqual([true, false, false, true]);
  });
});

describe('a planted defect', () => {
  it('is found where the run of the patched build is invalid with the demanded codes', () => {
    expect(planted(noRule)).toEqual([]);
    expect(readFileSync(join(project, rule), 'utf8')).toBe(files[rule]);
  });

  it.each<[string, string, RegExp]>([
    ['does not apply any more', noRule.replace('guarded = true', 'guarded = 1'), /^It no longer applies \(.*rule\.js/],
    [
      'changes nothing that matters',
      noRule.replace('guarded = false', 'guarded = !0'),
      /^The defect was not found: the verdict is valid\.$/,
    ],
    ['has no change in it', '', /^It is no patch/],
    ['patches what judges', change('verifier/x.js', 0, '-a\n+b\n'), /^It patches what judges: verifier\/x\.js\.$/],
    ['leads to no report', noRule.replace('export const guarded = false', 'throw 1'), /^The run gave no report \(exit 1\)/],
  ])('that %s fails', (_name, patch, problem) => {
    expect(planted(patch)).toEqual([expect.stringMatching(problem)]);
  });

  it.each<[string, string[], RegExp]>([
    ['names no plan', headerLines.slice(1), /^The header lacks "# Plan:"\.$/],
    ['names a plan that is not there', ['# Plan: none', ...headerLines.slice(1)], /^There is no plan none in preregistrations/],
    ['names a case that the plan lacks', [...headerLines, '# Cases: one, three'], /^The plan small has no case three\.$/],
    ['demands another code', headerLines.map((line) => line.replace('rule-', 'other-')), /^There is no finding other-broken\.$/],
    ['demands it in a case that is spared', [...headerLines, '# In each: case'], /^There is no finding rule-broken in two\.$/],
  ])('whose header %s fails', (_name, header, problem) => {
    expect(planted(noRule, header)).toEqual([expect.stringMatching(problem)]);
  });
});

describe('the sources without a defect', () => {
  const patchFile = (name: string, ...header: string[]): string => {
    const path = join(work, `${name}.patch`);
    writeFileSync(path, `${[...headerLines, ...header].join('\n')}\n${noRule}`);
    return path;
  };
  const said: string[] = [];
  const without = (sources: string, ...patches: string[]): (readonly string[])[] => {
    const problems = unplanted(sources, patches, join(work, `unplanted-${count++}`), (line) => said.push(line));
    return patches.map(problems);
  };

  it('are run once a plan, and find nothing', () => {
    said.length = 0;
    expect(without(prepared, patchFile('one', '# Cases: one'), patchFile('two', '# Cases: two'))).toEqual([[], []]);
    expect(said).toEqual([expect.stringMatching(/^clean small, nothing planted: 1 of 2 cases, 1 kills, 0 findings; ran in/)]);
  });

  it('keep a defect from being found by a plan that is broken anyway', () => {
    const broken = join(work, 'broken');
    cpSync(prepared, broken, { recursive: true, verbatimSymlinks: true });
    writeFileSync(join(broken, rule), 'export const guarded = false;\n');
    expect(without(broken, patchFile('anyway'))).toEqual([['Without the defect there is a finding rule-broken.']]);
    writeFileSync(join(broken, rule), 'throw 1;\n');
    expect(without(broken, patchFile('anyway'))).toEqual([
      [expect.stringMatching(/^Without the defect: The run gave no report/)],
    ]);
  });

  it('may not be void either, and may leave open what was not selected', () => {
    const voids = [{ case: 'one', snapshot: 'a', reason: 'survivors', detail: 'one is left' }];
    expect(whyUnclean({ voids, findings: [] })).toEqual(['Without the defect one/a is void (survivors): one is left']);
    expect(whyUnclean({ voids: [], findings: [] })).toEqual([]);
  });

  it('are run in the cases of all patches, or in all where one asks for all', () => {
    const some = [patchFile('one', '# Cases: one'), patchFile('two', '# Cases: two, one')];
    expect([...selectionOf(some)]).toEqual([['small', ['one', 'two']]]);
    expect([...selectionOf([...some, patchFile('all')])]).toEqual([['small', []]]);
  });
});

describe('a header', () => {
  it('may go on in indented lines', () => {
    const text = '# Plan: small\n# Cases: one\n#   two\n# Must find: a, b\n# In each: forced race\n# Why: it\n#   is so.\ndiff';
    expect(parseHeader(text)).toEqual({
      plan: 'small',
      cases: ['one', 'two'],
      mustFind: ['a', 'b'],
      inEach: 'forced race',
      outcome: null,
      why: 'it is so.',
    });
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown field', [...headerLines, '# Must fnd: x'], /has a field "Must fnd"/],
    ['a field twice', [...headerLines, '# Plan: other'], /has "Plan" twice/],
    ['an empty field', ['# Plan:', ...headerLines.slice(1)], /lacks "# Plan:"/],
    ['an unknown kind of place', [...headerLines, '# In each: forced'], /"In each" is "forced"; it may be one of/],
    ['an outcome of no place', [...headerLines, '# Outcome: duplicated'], /"Outcome" says nothing without "In each"/],
    ['a line that is no field', ['# planted', ...headerLines], /a line that is no field: "# planted"/],
  ])('with %s is refused', (_name, lines, message) => {
    expect(() => parseHeader(lines.join('\n'))).toThrow(message);
  });
});

describe('the judge', () => {
  const race = (id: string, forced: boolean) => ({ id, crash: { model: 'race', forced } });
  const plan = { cases: [{ id: 'one', arms: [race('free', false), race('a', true), race('b', true)] }] };
  const header: Header = {
    plan: 'small',
    cases: [],
    mustFind: ['race-doubled'],
    inEach: 'forced race',
    outcome: null,
    why: 'it is so.',
  };
  const doubled = (snapshot: string) => ({ code: 'race-doubled', where: { case: 'one', snapshot } });
  const outcomes = ['a', 'b'].map((snapshot) => ({ case: 'one', snapshot, outcome: 'duplicated' }));
  const report = (verdict: string, ...findings: Report['findings']): Report => {
    return { verdict, findings, outcomes, voids: [], cases: 1, kills: 1 };
  };

  it('demands the defect in every forced race, and in no other', () => {
    expect(problemsOf(header, plan, report('invalid', doubled('a'), doubled('b')))).toEqual([]);
    expect(problemsOf(header, plan, report('invalid', doubled('a'), doubled('free')))).toEqual([
      'There is no finding race-doubled in one/b.',
    ]);
  });

  it('demands the outcome in every place where one is named', () => {
    const found = report('invalid', doubled('a'), doubled('b'));
    expect(problemsOf({ ...header, outcome: 'duplicated' }, plan, found)).toEqual([]);
    const once = [{ case: 'one', snapshot: 'a', outcome: 'completed_once' }];
    expect(problemsOf({ ...header, outcome: 'duplicated' }, plan, { ...found, outcomes: once })).toEqual([
      'one/a is completed_once, not duplicated.',
      'one/b is without an outcome, not duplicated.',
    ]);
  });

  it('is not content with a plan without a place that could show it', () => {
    expect(problemsOf(header, { cases: [{ id: 'one', arms: [] }] }, report('invalid', doubled('a')))).toEqual([
      'No forced race ran, so none could show the defect.',
    ]);
  });

  it('takes neither a void case nor an unknown verdict for a finding', () => {
    const found = report('invalid', doubled('a'), doubled('b'));
    const voids = [{ case: 'one', snapshot: 'a', reason: 'survivors', detail: 'one is left' }];
    expect(problemsOf(header, plan, { ...found, voids })).toEqual(['one/a is void (survivors): one is left']);
    expect(problemsOf(header, plan, { ...found, verdict: 'unknown' })).toEqual([
      'The defect was not found: the verdict is unknown.',
    ]);
  });
});

describe('the patches', () => {
  const home = 'scripts/planted';
  const headers = readdirSync(home)
    .filter((name) => name.endsWith('.patch'))
    .map((name) => parseHeader(readFileSync(join(home, name), 'utf8')));
  const plans = readdirSync('preregistrations').filter((name) => name.endsWith('.json'));
  const placesIn = (plan: string, cases: readonly string[]): string[] => {
    const text = readFileSync(join('preregistrations', `${plan}.json`), 'utf8');
    return placesOf({ cases }, JSON.parse(text) as Plan, 'forced race').map((place) => `${plan}/${place.case}/${place.snapshot}`);
  };

  it('are a control for every forced race of every plan: each must be seen to double', () => {
    const doubles = (code: string): boolean => code === 'race-doubled' || code === 'session-race-doubled';
    const controls = headers.filter(({ inEach, mustFind }) => inEach === 'forced race' && mustFind.some(doubles));
    const forced = plans.flatMap((name) => placesIn(name.replace(/\.json$/, ''), []));
    expect(forced.length).toBeGreaterThan(0);
    expect(controls.flatMap(({ plan, cases }) => placesIn(plan, cases)).sort()).toEqual(forced.sort());
  });
});
