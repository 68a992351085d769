import { describe, expect, it } from 'vitest';
import { bytesOf } from './content.js';
import { distinctStatesOf, type NumberedState, type Source, survey } from './derive.js';
import { itemsOf } from './items.js';
import { reduce, type Failing } from './reduce.js';
import { keepingWords, wordsOf } from './words.js';

const parameters = { persistence: 'strictest', subsets: 0, seed: 's' } as const;
/** Two lines are written, one is synced; a file takes the place of another one, and the folder is never synced. */
const lines = [
  'openat(AT_FDCWD, "<state>/other", O_WRONLY|O_CREAT, 0666) = 5<<state>/other>',
  'openat(AT_FDCWD, "<state>/log", O_WRONLY|O_CREAT, 0666) = 3<<state>/log>',
  'openat(AT_FDCWD, "<state>", O_RDONLY) = 9<<state>>',
  'fsync(9<<state>>) = 0',
  'write(3<<state>/log>, "one\\n", 4) = 4',
  'fsync(3<<state>/log>) = 0',
  'write(5<<state>/other>, "xyz", 3) = 3',
  'write(3<<state>/log>, "two\\n", 4) = 4',
  'request("POST", "/v1", "key-2") = ?',
  'write(5<<state>/other>, "xyz", 3) = 3',
  'fsync(5<<state>/other>) = 0',
  'answer() = ?',
].map((line) => `7 ${line}`);
const source: Source = { begun: new Map(), lines: () => lines, volatile: [] };

const entriesIn = (files: NumberedState['files']): number => {
  const log = files.get('log');
  const text = log === undefined ? '' : Buffer.concat(bytesOf(log)).toString('latin1');
  return text.split('\n').filter((line) => /^[a-z]+$/.test(line)).length;
};
const promised =
  (entries: number): Failing =>
  ({ files }) =>
    Promise.resolve(entriesIn(files) < entries ? 'too few' : null);

function stateWith(wanted: (state: NumberedState) => boolean): NumberedState {
  for (const state of distinctStatesOf(source, parameters, survey(source, parameters))) if (wanted(state)) return state;
  throw new Error('There is no such state.');
}

async function storyOf(state: NumberedState, failing: Failing) {
  const request = { source, lines: lines.slice(0, state.cut), parameters, pending: state.pending, kept: state.choice.kept };
  return reduce({ ...request, failing });
}

describe('the shortest story of a failing state', () => {
  const lost = stateWith(({ cut, files }) => cut > 8 && entriesIn(files) < 2);

  it('has no operation and no loss that it does not need', async () => {
    const story = await storyOf(lost, promised(2));
    expect(story).toMatchObject({ failure: 'too few', withoutLoss: false });
    const told = story?.items.map((item) => lines[item - 1] ?? '') ?? [];
    const effects = [...itemsOf(told, { begun: [], volatile: [], withBytes: true })];
    expect(effects.map((effect, index) => wordsOf(told[index] ?? '', effect))).toEqual([
      'create log',
      'write 4 bytes at 0 of log, which makes it longer',
      'write 4 bytes at 4 of log, which makes it longer',
    ]);
    // One loss is enough: all the others are spared.
    expect(story?.state.kept.filter((keep) => keep !== true).map(keepingWords)).toEqual(['lost']);
  });

  it('is none of a state that does not fail', async () => {
    expect(
      await storyOf(
        stateWith(({ choice }) => choice.rule === 'all-kept'),
        promised(0),
      ),
    ).toBeNull();
  });

  it('says where there is no loss to tell of', async () => {
    expect(await storyOf(lost, promised(9))).toMatchObject({ withoutLoss: true, items: [] });
  });
});

describe('operations', () => {
  it('have words', () => {
    const told = [
      ...lines,
      '7 rename("<state>/other", "<state>/log") = 0',
      '7 unlink("<state>/log") = 0',
      '7 ftruncate(3<<state>/log>(deleted), 0) = 0',
      '7 lseek(3<<state>/log>(deleted), 0, SEEK_SET) = 0',
      '7 sync() = 0',
    ];
    const effects = [...itemsOf(told, { begun: [], volatile: [], withBytes: false })];
    expect(effects.map((effect, index) => wordsOf(told[index] ?? '', effect))).toEqual([
      'create other',
      'create log',
      'open the folder',
      'sync the folder',
      'write 4 bytes at 0 of log, which makes it longer',
      'sync log',
      'write 3 bytes at 0 of other, which makes it longer',
      'write 4 bytes at 4 of log, which makes it longer',
      'request POST /v1 (key key-2)',
      'write 3 bytes at 3 of other, which makes it longer',
      'sync other',
      'answer',
      'rename other to log',
      'remove log',
      'set the size of log to 0',
      'lseek of log',
      'sync everything',
    ]);
  });

  it('have a fate', () => {
    expect([true, false, [[0, 512]] as const].map(keepingWords)).toEqual(['kept', 'lost', 'kept only bytes 0 to 511']);
  });
});
