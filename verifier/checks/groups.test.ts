/** The older guarantees where several processes acted, and where a role was told what to carry out. */
import { describe, it } from 'vitest';
import type { Editor } from '../mutations/editor.js';
import { expectFindings, snapshot } from '../testing/match.js';

const copied =
  (caseId: string, name: string, from: string, to: string) =>
  (editor: Editor): void => {
    const target = snapshot(editor, caseId, name);
    editor.files.set(target.file(to), editor.bytes(target.file(from)));
  };

const racer = (editor: Editor, index = 0) => {
  const role = snapshot(editor, 'raced', 'race').roles[index];
  if (role === undefined) throw new Error('The race has two racers.');
  return role;
};

describe('G3', () => {
  it.each<[string, (editor: Editor) => void]>([
    ['a process more than were planned', copied('raced', 'race', 'members/racer-1/process.json', 'members/racer-3/process.json')],
    ['a record of one process among several', copied('raced', 'race', 'members/racer-1/process.json', 'process.json')],
    ['a group where one process was planned', copied('control', 'producer', 'process.json', 'group.json')],
    [
      'a member that tells what belongs to all',
      (editor) => editor.member(racer(editor), (value) => void (value.receipts = { bytes: 0, lines: 0, sha256: '0'.repeat(64) })),
    ],
    [
      'a folder of a process from which none was moved away',
      copied('moved', 'restored', 'state/ledger.sqlite', 'members/other/state/ledger.sqlite'),
    ],
    [
      'a folder of an owner whose lock was deleted',
      copied('stopped', 'overtaken', 'state/format.json', 'members/owner/state/format.json'),
    ],
    [
      'a list of a folder that was not moved away',
      (editor) => {
        const [role] = snapshot(editor, 'stopped', 'overtaken').roles;
        if (role !== undefined)
          editor.member(role, (value) => void (value.live_inventory = [{ path: 'a', size: 0, sha256: '0'.repeat(64) }]));
      },
    ],
    [
      'other members than were planned',
      (editor) =>
        editor.json<{ members: string[] }>(
          snapshot(editor, 'raced', 'race').file('group.json'),
          (group) => void group.members.reverse(),
        ),
    ],
  ])('%s', (_what, change) => expectFindings(change, 'record-malformed'));
});

describe('G26', () => {
  it.each<[string, (editor: Editor) => void]>([
    ['another operation', (editor) => editor.member(racer(editor), (value) => void (value.operation = 'recover'))],
    [
      'an input that nobody planned',
      (editor) => editor.member(racer(editor, 1), (value) => void (value.input_sha256 = '0'.repeat(64))),
    ],
    ['another scenario', (editor) => editor.member(racer(editor, 1), (value) => void (value.scenario_sha256 = '0'.repeat(64)))],
  ])('a racer was given %s', (_what, change) => expectFindings(change, 'scenario-unplanned'));
});

it('G6: two racers were one process', () =>
  expectFindings(
    (editor) => {
      const { pid = 0, start_time_ticks: ticks = '' } = racer(editor).process.value ?? {};
      editor.member(racer(editor, 1), (value) => void Object.assign(value, { pid, pgid: pid, start_time_ticks: ticks }));
      editor.memberAnswer(racer(editor, 1), (value) => void (value.pid = pid));
      const file = racer(editor, 1).file('checkpoint.jsonl');
      editor.json<{ pid: number }>(file, (line) => void (line.pid = pid));
      // Whoever was refused is then also the one that acted.
    },
    'process-shared',
    'race-doubled',
  ));

it('G18: the log is not the one that the provider closed for all', () =>
  expectFindings(
    (editor) =>
      editor.json<{ receipts: { lines: number } }>(
        snapshot(editor, 'raced', 'race').file('group.json'),
        ({ receipts }) => void (receipts.lines += 1),
      ),
    'receipts-unsealed',
  ));
