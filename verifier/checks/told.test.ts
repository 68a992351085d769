/** What a record or an answer may not say, whatever else is right: found by the generated mutants, each with the check that missed it. */
import { describe, expect, it } from 'vitest';
import type { Answer } from '../contract/types.js';
import type { Editor } from '../mutations/editor.js';
import type { Snapshot } from '../read/bundle.js';
import { changed, codesOf, expectFindings, snapshot } from '../testing/match.js';
import * as sessions from '../testing/sessions/match.js';
import { g42 } from './sessions/g42-export.js';

describe('G2: a program of the build', () => {
  it.each([
    ['with a word behind it', ['node', 'runtime/subjects/calls/produce.js', 'more']],
    ['without Node', ['runtime/subjects/calls/produce.js']],
  ])('%s did not run as it is recorded', (_what, words) => {
    const argvOf = (editor: Editor) => snapshot(editor, 'control').process.value?.argv ?? [];
    expectFindings((editor) => {
      const program = argvOf(editor).at(-1) ?? '';
      const argv = words.map((word) => (word.endsWith('.js') ? program : word));
      editor.process(snapshot(editor, 'control'), (value) => void (value.argv = argv));
    }, 'execution-malformed');
  });
});

describe('G3: an answer', () => {
  it('from the record adds nothing to it', () => {
    const codes = codesOf(
      changed((editor) => editor.answer(snapshot(editor, 'control'), (value) => void (value.replayed = true))),
    );
    expect(codes).toContain('record-malformed');
  });

  it('about calls does not tell how a session was synced', () =>
    expectFindings(
      (editor) => editor.answer(snapshot(editor, 'control'), (value) => void (value.settings.sync = 'fdatasync')),
      'record-malformed',
    ));

  it('of one that never opened a state tells nothing of it', () =>
    expectFindings(
      (editor) =>
        editor.inspection(snapshot(editor, 'ratchet', 'syncs-fsync-1'), ({ refusal }) => {
          if (refusal !== null) refusal.operation = 'finalize';
        }),
      'record-malformed',
    ));
});

describe('an inspector that was refused', () => {
  it.each<[string, 'state-mismatch' | 'export-mismatch', Partial<Answer>]>([
    ['projects nothing, not even no task', 'state-mismatch', { projections: [] }],
    ['exports no events, not even none', 'export-mismatch', { events: [] }],
    ['exports no artifacts, not even none', 'export-mismatch', { artifacts: [] }],
  ])('%s', (_what, code, told) =>
    expectFindings(
      (editor) => editor.inspection(snapshot(editor, 'ratchet', 'syncs-fsync-1'), (value) => void Object.assign(value, told)),
      code,
    ),
  );

  it.each<Partial<Answer>>([
    { projections: [] },
    { events: [] },
    { artifacts: [] },
    { session: {} },
    { log: { frames: [], torn_bytes: 0 } },
    {},
  ])('of a session exports nothing: %j', (told) => {
    const refused = {
      name: 'producer',
      planned: { expect: { events: 0 } },
      state: { unfinished: true },
      inspection: { value: told },
      file: () => 'inspection.json',
    } as unknown as Snapshot;
    const { findings } = g42.check({ snapshots: [refused] } as never, {} as never, {} as never);
    expect(findings.map(({ code }) => code)).toEqual(Object.keys(told).length > 0 ? ['frames-export-mismatch'] : []);
  });
});

describe('G3: an answer about a session', () => {
  const control = (editor: Editor) => snapshot(editor, 'control');
  it.each<[string, (editor: Editor) => void]>([
    ['tells how it was synced', (editor) => editor.answer(control(editor), ({ settings }) => void delete settings.sync)],
    ['tells nothing of SQLite', (editor) => editor.answer(control(editor), ({ settings }) => void (settings.sqlite = '3.53.2'))],
    ['carries out no operation of calls', (editor) => editor.answer(control(editor), (value) => void (value.operations = []))],
    ['is of the recorded Node', (editor) => editor.answer(control(editor), ({ settings }) => void (settings.node = '1.0.0'))],
  ])('%s', (_what, change) => sessions.expectFindings(change, 'record-malformed'));
});

describe('G5: a tracer', () => {
  const trace = (name: string, change: (text: string) => string) => (editor: Editor) =>
    editor.text(snapshot(editor, 'ratchet', name).file('trace.txt'), change);

  it('tells the exit code that was seen', () =>
    expectFindings(
      trace('syncs', (text) => text.replace('exited with 0', 'exited with 1')),
      'kill-unproven',
    ));

  it('has no call fail where it only kills', () =>
    expectFindings(
      trace('syncs', (text) => text.replace(/ = 0$/m, ' = -1 EIO (Input/output error) (INJECTED)')),
      'kill-unproven',
      // What failed was not done.
      'syscall-missed',
    ));
});
