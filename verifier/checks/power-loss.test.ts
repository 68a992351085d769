/** What a power loss may leave, on the small bundle: breaks that have no mutation of their own. */
import { describe, expect, it } from 'vitest';
import type { DerivedState } from '../contract/types.js';
import type { Editor } from '../mutations/editor.js';
import { canonical, decodeUtf8 } from '../read/canonical.js';
import { changed, codesOf, judged, snapshot } from '../testing/match.js';

const codes = (change: (editor: Editor) => void): string[] => codesOf(changed(change));
const arm = (editor: Editor) => snapshot(editor, 'lost', 'power');
const trace = (editor: Editor, change: (lines: string[]) => string[]): void =>
  editor.text(arm(editor).file('trace.txt'), (text) => change(text.split('\n')).join('\n'));
const told = (editor: Editor, change: (line: DerivedState) => DerivedState): void =>
  editor.text(arm(editor).file('states.jsonl'), (text) =>
    text
      .slice(0, -1)
      .split('\n')
      .map((line) => `${canonical(change(JSON.parse(line) as DerivedState))}\n`)
      .join(''),
  );

describe('an arm under power loss', () => {
  const good = judged(changed(() => undefined));

  it('is sound, and every state is judged', () => {
    expect([good.verdict, good.findings]).toEqual(['valid', []]);
    const claims = good.results.filter(({ guarantee, scope }) => ['G46', 'G47'].includes(guarantee) && scope === 'lost');
    expect(claims.map(({ result }) => result)).toEqual(['held', 'held']);
    expect(claims.every(({ expected, seen }) => expected === seen && seen > 30)).toBe(true);
  });

  it('stands for what carries on from each thing that it may leave', () =>
    expect(good.outcomes.filter((one) => one.case === 'lost').map(({ snapshot: name }) => name)).toEqual([
      ...['producer', 'power', 'power-unmade-r0', 'power-n0-r0', 'power-n3-r0', 'power-n8-r0', 'power-n8-r2', 'power-n14-r2'],
    ]));

  it.each(['power-n8-r2', 'power-unmade-r0'])('that lacks %s is missed', (name) =>
    expect(
      codes((editor) => {
        for (const path of [...editor.files.keys()]) if (path.includes(`/lost/${name}/`)) editor.files.delete(path);
      }),
    ).toContain('case-missing'),
  );

  it('that has more than it stands for is found out', () =>
    expect(
      codes((editor) => {
        for (const [path, bytes] of [...editor.files])
          if (path.includes('/lost/power-n8-r2/')) editor.files.set(path.replace('n8-r2', 'n9-r2'), bytes);
      }),
    ).toContain('case-unplanned'));

  it('is not told by a trace that lacks a write', () =>
    expect(codes((editor) => trace(editor, (lines) => lines.filter((_line, index) => index !== lines.length - 4)))).toContain(
      'power-state-missed',
    ));

  it('is not judged by a trace that the model does not know', () => {
    const verdict = judged(
      changed((editor) =>
        trace(editor, (lines) => [lines[0]?.replace(/ .*/, ' mkdir("<state>/sub", 0777) = 0') ?? '', ...lines]),
      ),
    );
    expect(verdict.findings.map(({ code }) => code)).toContain('record-malformed');
    const claims = verdict.results.filter(({ guarantee, scope }) => ['G46', 'G47'].includes(guarantee) && scope === 'lost');
    expect(claims.map(({ result }) => result)).toEqual(['unknown', 'unknown']);
  });

  it('is not judged where its trace lacks a request that the provider received', () => {
    const verdict = judged(
      changed((editor) => trace(editor, (lines) => lines.map((line) => line.replace(/request\(.*/, 'answer() = ?')))),
    );
    const claim = verdict.results.find(({ guarantee, scope }) => guarantee === 'G46' && scope === 'lost');
    expect([claim?.result === 'held', claim?.reason]).toEqual([
      false,
      'The trace of the arm power lacks a request that the provider received.',
    ]);
  });

  it('is not the word of another process', () =>
    expect(codes((editor) => editor.text(arm(editor).file('trace.txt'), (text) => text.replaceAll(/^\d+/gm, '7')))).toEqual([
      'kill-unproven',
    ]));

  it('has nothing to do with other snapshots', () =>
    expect(
      codes((editor) => {
        const { file } = snapshot(editor, 'control');
        editor.files.set(file.call(snapshot(editor, 'control'), 'states.jsonl'), Buffer.from(''));
      }),
    ).toEqual(['record-malformed']));
});

describe('a finding about a state', () => {
  const findings = judged(
    changed((editor) =>
      told(editor, (line) =>
        line.opened?.entries === 8 && line.rule !== 'all-kept'
          ? { ...line, opened: null, refused: { error: 'state-damaged' } }
          : line,
      ),
    ),
  ).findings.filter(({ code }) => code === 'state-refused');

  it('names the state, where it occurs, and what was lost', () => {
    expect(findings.length).toBeGreaterThan(3);
    expect(findings.some(({ detail }) => /^State \d+ \(cut \d+, [a-z0-9-]+ \d+\) .* Lost: .*\(item \d+\)/.test(detail))).toBe(
      true,
    );
  });

  it('is made of a promise that came later, while the state stayed as it was', () => {
    const tree = changed((editor) =>
      trace(editor, (lines) => {
        const asked = lines.findIndex((line) => line.includes('request('));
        const sync = lines.findLastIndex((line, index) => index < asked && line.includes('fsync('));
        const [request = '', ...rest] = [lines[asked], ...lines.slice(sync, asked), ...lines.slice(asked + 1)];
        return [...lines.slice(0, sync), request, ...rest];
      }),
    );
    const { findings: all } = judged(tree);
    const firstCuts = new Map(
      decodeUtf8(tree.files.get('data/cases/lost/power/states.jsonl') ?? Buffer.alloc(0))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as DerivedState)
        .map(({ state, cut, opened }) => [state, { cut, entries: opened?.entries }]),
    );
    const lost = all.flatMap(({ code, detail }) => {
      const [, state, cut] = /^State (\d+) \(cut (\d+), /.exec(detail) ?? [];
      const first = firstCuts.get(Number(state));
      return code === 'promise-lost' && first?.entries === 3 ? [Number(cut) - first.cut] : [];
    });
    // The first commit alone is on record both before and after the request of the second one leaves.
    expect(lost.length).toBeGreaterThan(0);
    expect(Math.max(...lost)).toBeGreaterThan(1);
  });

  it('calls a state that nobody made lost where something had been promised', () => {
    const tree = changed((editor) =>
      trace(editor, (lines) => {
        const [request = ''] = lines.filter((line) => line.includes('request('));
        return [lines[0] ?? '', request, ...lines.slice(1).filter((line) => line !== request)];
      }),
    );
    expect(decodeUtf8(tree.files.get('data/cases/lost/power/trace.txt') ?? Buffer.alloc(0))).toContain('request(');
    const lost = judged(tree).findings.filter(({ code }) => code === 'promise-lost');
    expect(lost.some(({ detail }) => /holds 0 entries, and 8 had been promised\./.test(detail))).toBe(true);
  });
});
