/**
 * What was built on a call that had failed, on the small bundle: the fourth sync of a ledger, behind which another commit follows; and the second
 * write of its log, which is that of an intent.
 */
import { describe, expect, it } from 'vitest';
import type { Answer } from '../contract/types.js';
import type { Editor } from '../mutations/editor.js';
import { changed, judged, snapshot } from '../testing/match.js';

const point = 'flush-fsync-4';

/** What G48 finds in the snapshot. */
function found(change: (editor: Editor) => void, name = point): string[] {
  const { findings } = judged(changed(change));
  return findings.filter(({ guarantee, where }) => guarantee === 'G48' && where.snapshot === name).map(({ detail }) => detail);
}

/** Some of the files of the run in which no call failed, in the place of those of the point. */
function asUndisturbed(editor: Editor, names: readonly string[], of = { whole: 'flush', point }): void {
  const [from, to] = [of.whole, of.point].map((name) => snapshot(editor, 'fault', name));
  if (from === undefined || to === undefined) return;
  for (const name of names) editor.files.set(to.file(name), editor.bytes(from.file(name)));
  editor.coverFiles(to);
  editor.seal(to);
}

const state = ['state/ledger.sqlite', 'state/ledger.sqlite-wal', 'inspection.json'];

describe('after a sync that failed', () => {
  it('nothing is found where nothing was built on it', () => expect(found(() => undefined)).toEqual([]));

  it('no more is on record than may have been there', () =>
    expect(found((editor) => asUndisturbed(editor, state))).toEqual([
      expect.stringMatching(/^After the fault \d+ entries can be on record, and there are \d+\.$/),
    ]));

  it('no request leaves whose intent may not be durable', () => {
    const whole = (editor: Editor): void => asUndisturbed(editor, [...state, 'receipts.jsonl']);
    // With more syncs behind the fault the intent, too, came after it.
    const syncs = ' fsync(20<<state>/ledger.sqlite-wal>) = 0\n';
    const later = (editor: Editor): void => {
      whole(editor);
      editor.text(snapshot(editor, 'fault', 'flush').file('trace.txt'), (text) =>
        text.replace(/^(\d+) \+\+\+/m, (end, pid: string) => `${`${pid}${syncs}`.repeat(8)}${end}`),
      );
    };
    expect(found(whole)).toHaveLength(1);
    expect(found(later)).toContain('A request left whose intent cannot have been durable.');
  });

  it('a role cannot say that it completed', () =>
    expect(
      found((editor) => {
        const to = snapshot(editor, 'fault', point);
        editor.files.set(to.file('answer.json'), editor.bytes(snapshot(editor, 'fault', 'flush').file('answer.json')));
        editor.json<Answer>(to.file('answer.json'), (value) => void (value.pid = to.process.value?.pid ?? 0));
      }),
    ).toEqual(['The role says that it completed although it could not record.']));
});

describe('after a write of the log that failed', () => {
  const write = 'disk-pwrite64-3';
  const sent = (names: readonly string[]): string[] =>
    found((editor) => asUndisturbed(editor, names, { whole: 'disk', point: write }), write);

  it('nothing is found where nothing was built on it', () => expect(found(() => undefined, write)).toEqual([]));

  it('no request leaves whose intent it was: a producer that swallowed the error and sent', () =>
    expect(sent(['receipts.jsonl'])).toEqual(['A request left whose intent is not on record.']));

  it('nothing is on record that was not written before', () =>
    expect(sent(state)).toEqual([
      expect.stringMatching(/^ledger\.sqlite(?:-wal)? holds bytes that no write of the trace put there/),
    ]));
});

describe('a fault', () => {
  it('that is not proved says nothing of what came after it', () =>
    expect(
      found((editor) => {
        asUndisturbed(editor, state);
        editor.text(snapshot(editor, 'fault', point).file('trace.txt'), (text) => text.replace('(INJECTED)', ''));
      }),
    ).toEqual(['Call 4 failed by the disk itself, and not by the tracer.']));

  it('that never came is not proved', () =>
    expect(
      found((editor) =>
        editor.text(snapshot(editor, 'fault', point).file('trace.txt'), (text) => text.replace(/.*\(INJECTED\)\n/, '')),
      ),
    ).toEqual(['The call fsync 4 never came.']));

  it('under an arm of which no call failed proves nothing', () => {
    const verdict = judged(
      changed((editor) =>
        editor.plan((plan) => {
          const crash = plan.cases.find(({ id }) => id === 'fault')?.arms.find(({ id }) => id === 'flush')?.crash;
          if (crash?.model === 'io-fault') Object.assign(crash, { every: 9, offset: 8 });
        }),
      ),
    );
    expect(verdict.results.find(({ guarantee, scope }) => guarantee === 'G48' && scope === 'fault')).toMatchObject({
      result: 'unknown',
      reason: 'Under flush no call failed: it has no point.',
    });
  });
});
