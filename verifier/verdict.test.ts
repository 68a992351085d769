import { describe, expect, it } from 'vitest';
import { validateVerdict } from './contract/validators.js';
import type { CaseCheck } from './checks/check.js';
import { EvidenceError } from './errors.js';
import { judge } from './judge.js';
import { readBundle } from './read/bundle.js';
import { canonical } from './read/canonical.js';
import { freshBundle, goodBundle } from './testing/bundle.js';
import { changed, judged, snapshot } from './testing/match.js';
import { overall, verify } from './verdict.js';

const good = goodBundle();
const first = verify(good);
const held = { result: 'held' } as const;
const broken = { result: 'broken' } as const;
const unknown = { result: 'unknown' } as const;

const judgedAs = (model: 'calls/v1' | 'sessions/v1') =>
  judged(changed((editor) => editor.plan((plan) => void (plan.model = model))));
const without = { result: 'not_applicable' } as const;

describe('a verdict', () => {
  it.each([
    ['no claim at all', [], 0, 'unknown'],
    ['everything held', [held, held], 0, 'valid'],
    ['one unknown', [held, unknown], 0, 'unknown'],
    ['one broken', [held, broken], 0, 'invalid'],
    ['broken and unknown', [unknown, broken, held], 0, 'invalid'],
    ['nothing that could be judged', [without], 0, 'unknown'],
    ['something that was held, and nothing else to judge', [without, held], 0, 'valid'],
    ['a void case', [held], 1, 'unknown'],
    ['a void case and a broken claim', [broken], 1, 'invalid'],
  ] as const)('of %s', (_what, claims, voids, wanted) => expect(overall(claims, voids)).toBe(wanted));

  it('of the good bundle is valid, of the document\u2019s shape, and the same every time', () => {
    const { verdict, claims } = first;
    expect(verdict.findings).toEqual([]);
    expect(verdict.verdict).toBe('valid');
    expect(validateVerdict(verdict), JSON.stringify(validateVerdict.errors)).toBe(true);
    expect(claims).toHaveLength(4 + 32 * verdict.cases);
    // Another bundle of the same plan: SQLite salts its logs anew, so the root hash is another one.
    const { run: _first, ...document } = verdict;
    const { run: _second, ...again } = verify(freshBundle()).verdict;
    expect(canonical(again) === canonical(document)).toBe(true);
    expect(canonical(verify(good).verdict) === canonical(verdict)).toBe(true);
  });

  it('counts what was expected and seen, and something of everything', () => {
    const { results } = first.verdict;
    expect(results.every(({ expected, seen }) => expected === seen)).toBe(true);
    // What had nothing to judge is no guarantee kept; everything has something to judge somewhere.
    for (const { expected, result } of results) expect(result).toBe(expected === 0 ? 'not_applicable' : 'held');
    const held = results.filter(({ result }) => result === 'held').map(({ guarantee }) => guarantee);
    expect(new Set(held).size).toBe(36);
    const { claims } = first.verdict;
    expect(claims).toEqual({ held: held.length, broken: 0, unknown: 0, not_applicable: results.length - held.length });
  });

  it('holds no pid, path, host or time of the run', () => {
    const other = changed((editor) => {
      editor.execution((value) => {
        value.run_id = 'run-2';
        value.started_at = '2027-01-01T00:00:00.000Z';
        value.platform.kernel = '7';
      });
      editor.text('bag-info.txt', (text) => text.replace('run-1', 'run-2'));
      for (const name of ['producer', 'resume']) {
        editor.process(
          snapshot(editor, 'first', name),
          (value) =>
            void (value.timeline = value.timeline.map((moment) => ({ ...moment, monotonic_ns: `9${moment.monotonic_ns}` }))),
        );
      }
    });
    const { run: ran, ...before } = first.verdict;
    const { run: again, ...after } = judged(other);
    expect(canonical(after)).toBe(canonical(before));
    expect(again).not.toEqual(ran);
  });
});

describe('a claim', () => {
  const check = (run: CaseCheck['check']): CaseCheck => ({
    ...{ guarantee: 'G99', sentence: 'A test.', covers: 'a test', doesNotCover: 'a test', codes: [], scope: 'case', check: run },
  });
  const resultOf = (run: CaseCheck['check']) => judge(readBundle(good), [check(run)])[0];

  it('is unknown where the check throws, with the reason', () => {
    const thrown = resultOf(() => {
      throw new TypeError('a bug');
    });
    expect(thrown).toMatchObject({ result: 'unknown', reason: 'The check itself failed: a bug' });
    const refused = resultOf(() => {
      throw new EvidenceError('absent', 'The file is not there.');
    });
    expect(refused).toMatchObject({ result: 'unknown', reason: 'The file is not there.' });
  });

  it('is unknown where less was seen than expected', () => {
    expect(resultOf(() => ({ expected: 1, seen: 0, findings: [] }))?.result).toBe('unknown');
    expect(resultOf(() => ({ expected: 2, seen: 1, findings: [] }))?.result).toBe('unknown');
    expect(resultOf(() => ({ expected: 0, seen: 0, findings: [], unknown: 'nobody knows' }))?.result).toBe('unknown');
    expect(resultOf(() => ({ expected: 1, seen: 1, findings: [], unknown: 'nobody knows' }))?.result).toBe('unknown');
  });
});

describe('a guarantee', () => {
  it('that had nothing to judge is not counted as held', () => {
    const nothing: CaseCheck = {
      ...{ guarantee: 'G99', sentence: 'A test.', covers: 'a test', doesNotCover: 'a test', codes: [], scope: 'case' },
      check: () => ({ expected: 0, seen: 0, findings: [] }),
    };
    const claims = judge(readBundle(good), [nothing]);
    expect(claims.map(({ result }) => result)).toEqual(claims.map(() => 'not_applicable'));
    expect(overall(claims, 0)).toBe('unknown');
  });
});

describe('a model that is not that of the record', () => {
  it('finds no log, leaves unknown whatever asks for it, and is judged by no guarantee of another one', () => {
    const verdict = judgedAs('sessions/v1');
    expect(verdict.verdict).toBe('invalid');
    expect(new Set(verdict.findings.map(({ code }) => code))).toEqual(
      new Set(['log-damaged', 'record-malformed', 'session-folder-malformed']),
    );
    const of = (guarantee: string) => verdict.results.filter((one) => one.guarantee === guarantee).map(({ result }) => result);
    expect(of('G8')).toEqual([]);
    expect(new Set(of('G25'))).toEqual(new Set(['unknown']));
    expect(new Set(of('G34'))).toEqual(new Set(['unknown']));
    expect(new Set(of('G5'))).toEqual(new Set(['held']));
  });

  it('changes nothing where the plan names calls, which is what a plan without a model means', () => {
    const { plan: _named, run: _first, ...named } = judgedAs('calls/v1');
    const { plan: _unnamed, run: _second, ...unnamed } = first.verdict;
    expect(canonical(named)).toBe(canonical(unnamed));
  });
});

describe('what is not there', () => {
  const nothing = { files: new Map<string, Buffer>(), forbidden: [], unreadable: [] };

  it('an empty folder is unknown, never valid', () => {
    const { verdict } = verify(nothing);
    expect(verdict.verdict).toBe('unknown');
    expect(verdict.claims).toMatchObject({ held: 0, broken: 0 });
    expect(validateVerdict(verdict)).toBe(true);
  });

  it('a folder of another product is unknown', () => {
    expect(verify({ ...nothing, files: new Map([['package.json', Buffer.from('{}')]]) }).verdict.verdict).toBe('unknown');
  });

  it('a bag of nothing is invalid', () => {
    const files = new Map([['bagit.txt', Buffer.from('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')]]);
    expect(verify({ ...nothing, files }).verdict.verdict).toBe('invalid');
  });

  it('a file that cannot be read leaves its claims unknown', () => {
    const files = new Map(good.files);
    files.delete('data/cases/control/producer/receipts.jsonl');
    const verdict = judged({
      files,
      forbidden: [],
      unreadable: [{ path: 'data/cases/control/producer/receipts.jsonl', why: 'cannot be read' }],
    });
    expect(verdict.findings).toEqual([]);
    expect(verdict.verdict).toBe('unknown');
    expect(verdict.results.map(({ reason }) => reason)).toContain('data/cases/control/producer/receipts.jsonl cannot be read.');
  });

  it('a folder that cannot be listed leaves its claims unknown, and hides nothing that lies elsewhere', () => {
    const folder = 'data/cases/control/producer';
    const files = new Map([...good.files].filter(([path]) => !path.startsWith(folder)));
    const unreadable = [{ path: folder, why: 'cannot be read', isFolder: true }];
    expect(judged({ files, forbidden: [], unreadable })).toMatchObject({ verdict: 'unknown', findings: [] });
    files.delete('data/build.json');
    const verdict = judged({ files, forbidden: [], unreadable });
    expect(verdict.verdict).toBe('invalid');
    expect(verdict.findings.map(({ code }) => code)).toContain('file-missing');
  });

  it('a void case takes all of its claims with it, and the verdict is unknown', () => {
    const tree = changed((editor) =>
      editor.json<{ void: unknown }>(
        'data/cases/first/case.json',
        (value) => void (value.void = { detail: 'd', reason: 'survivors', snapshot: 'producer' }),
      ),
    );
    const verdict = judged(tree);
    expect(verdict).toMatchObject({ verdict: 'unknown', void: 1, findings: [] });
    expect(verdict.results.filter(({ scope }) => scope === 'first').every(({ result }) => result === 'unknown')).toBe(true);
  });

  it('cases that were not selected are unknown, and missing in any other run, whatever its arguments say', () => {
    const without = (selected: string[] | null) =>
      changed((editor) => {
        for (const path of [...editor.files.keys()]) if (path.startsWith('data/cases/first/')) editor.files.delete(path);
        editor.execution((value) => {
          value.argv = ['run', '--case=control'];
          value.selected = selected;
        });
      });
    const verdict = judged(
      without(
        readBundle(good)
          .cases.map(({ id }) => id)
          .filter((id) => id !== 'first'),
      ),
    );
    expect(verdict).toMatchObject({ verdict: 'unknown', findings: [] });
    expect(verdict.results.filter(({ scope }) => scope === 'first').every(({ result }) => result === 'unknown')).toBe(true);
    expect(judged(without(null))).toMatchObject({ verdict: 'invalid' });
  });
});
