/** A barrier as system calls: in which order, how many, and when somebody hears of it. */
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { SessionLog } from './session-log.js';
import {
  create,
  errorOf,
  newFolder,
  queued,
  read,
  result,
  sessionId,
  stepStarted,
  steered,
  types,
  watch,
} from './testing/log.js';

const one = ['write session.wal', 'fdatasync session.wal'];

test('a first barrier: write, sync of the file, sync of the folder, and only then somebody hears of it', () => {
  const { folder, log: first } = create();
  first.close();
  const { files, calls } = watch();
  const log = SessionLog.open(folder, { files, onCommitted: () => void calls.push('told') });
  // What was read is made durable before anybody acts on it.
  expect(calls.splice(0)).toEqual(['fdatasync session.wal']);
  log.append([queued('m-1'), queued('m-2'), queued('m-3')], { sync: true });
  calls.push('returned');
  expect(calls.splice(0)).toEqual([...one, 'fsync folder', 'told', 'returned']);
  log.append([queued('m-4'), queued('m-5')], { sync: true });
  expect(calls.splice(0)).toEqual([...one, 'told']);
  log.close();
  expect(calls).toEqual([]);
});

test('the first barrier of a new session syncs the folder too', () => {
  const { files, calls } = watch();
  const { log } = create({ files });
  expect(calls.splice(0)).toEqual([
    ...['session.wal', 'format.json'].flatMap((name) => [
      `write ${name}.new`,
      `fsync ${name}.new`,
      `rename ${name}.new`,
      'fsync folder',
    ]),
    'fdatasync session.wal',
  ]);
  log.append([queued('m-1')], { sync: true });
  expect(calls).toEqual([...one, 'fsync folder']);
  log.close();
});

test('a torn tail is cut off, durably, before the first byte is added, however long it is', () => {
  const { folder, path, log: first } = create();
  first.close();
  fs.appendFileSync(path, Buffer.alloc(5000));
  const { files, calls } = watch();
  const log = SessionLog.open(folder, { files });
  expect(log.tornBytes).toBe(5000);
  calls.length = 0;
  log.append([queued('m-1')], { sync: true });
  log.append([queued('m-2')], { sync: true });
  expect(calls).toEqual(['ftruncate session.wal', 'fsync session.wal', ...one, 'fsync folder', ...one]);
  log.close();
  expect([read(folder).tornBytes, types(folder)]).toEqual([0, ['lineage', 'lineage', 'queued', 'queued']]);
});

test('what is not synced is told of with the next barrier, in order, and made durable at the end in any case', () => {
  const told: number[][] = [];
  const { files, calls } = watch();
  const { folder, log } = create({ files, onCommitted: (frames) => void told.push(frames.map(({ seq }) => seq)) });
  calls.length = 0;
  log.append([stepStarted(2)], { sync: false });
  log.append([queued('m-1')], { sync: false });
  expect([calls.splice(0), told, log.lastSeq]).toEqual([['write session.wal', 'write session.wal'], [], 3]);
  log.append([queued('m-2')], { sync: true });
  expect([calls.splice(0), told]).toEqual([[...one, 'fsync folder'], [[2, 3, 4]]]);
  log.append([stepStarted(5)], { sync: false });
  log.close();
  expect(calls).toEqual(['write session.wal', 'fdatasync session.wal']);
  expect(read(folder).frames.map(({ synced }) => synced)).toEqual([0, 1, 1, 1, 4]);
});

test('under each, every record is a barrier of its own, and the lineage frame goes with the first', () => {
  const { folder, log: first } = create();
  first.close();
  const told: string[][] = [];
  const { files, calls } = watch();
  const log = SessionLog.open(folder, {
    commit: 'each',
    files,
    onCommitted: (frames) => void told.push(frames.map(({ type }) => type)),
  });
  calls.length = 0;
  expect(log.append([stepStarted(3), queued('m-1'), queued('m-2')], { sync: false }).map(({ seq }) => seq)).toEqual([3, 4, 5]);
  expect(calls).toEqual([...one, 'fsync folder', ...one, ...one]);
  expect(told).toEqual([['lineage', 'step_started'], ['queued'], ['queued']]);
  log.close();
  expect(read(folder).frames.map(({ synced, fence }) => [synced, fence])).toEqual([
    [0, 1],
    [1, 2],
    [1, 2],
    [3, 2],
    [4, 2],
  ]);
});

test.each(['each', 'grouped'] as const)('%s: a listener appends in the middle of an append, and all is in order', (commit) => {
  const seen: number[] = [];
  const folder = newFolder();
  const log: SessionLog = SessionLog.create(folder, {
    sessionId,
    commit,
    onFrame: ({ seq }) => void seen.push(seq),
    onCommitted: (frames) => {
      // Each message is answered by a steer; a steer by nothing.
      for (const { type } of frames) if (type === 'queued') log.append([steered(`for ${log.lastSeq}`)], { sync: true });
    },
  });
  const frames = log.append([queued('m-1'), queued('m-2')], { sync: true });
  log.append([queued('m-3')], { sync: true });
  log.close();
  const all = read(folder).frames;
  expect(frames.map(({ payload }) => payload['submission_id'])).toEqual(['m-1', 'm-2']);
  expect(frames.map(({ seq }) => seq)).toEqual(commit === 'each' ? [2, 4] : [2, 3]);
  expect(all.map(({ type }) => type).slice(1)).toEqual(
    commit === 'each'
      ? ['queued', 'steered', 'queued', 'steered', 'queued', 'steered']
      : ['queued', 'queued', 'steered', 'steered', 'queued', 'steered'],
  );
  expect(seen).toEqual(all.map(({ seq }) => seq));
});

test('a listener that closes: nothing more is written, and the descriptor is not used again', () => {
  const { folder, log } = create({ commit: 'each', onCommitted: () => log.close() });
  expect(errorOf(() => log.append([queued('m-1'), queued('m-2')], { sync: true }))?.code).toBe('closed');
  expect(errorOf(() => log.append([queued('m-3')], { sync: true }))?.code).toBe('closed');
  log.close();
  expect(types(folder)).toEqual(['lineage', 'queued']);
});

test('the lineage frame of a tenure is counted, and is none of the frames that its caller gets', () => {
  const { folder, log: first } = create();
  expect(first.append([queued('m-1')], { sync: true }).map(({ seq }) => seq)).toEqual([2]);
  first.close();
  const log = SessionLog.open(folder);
  expect([log.lastSeq, log.append([queued('m-2')], { sync: true }).map(({ seq }) => seq), log.lastSeq]).toEqual([2, [4], 4]);
  log.close();
});

test('a tenure that appends nothing leaves no byte and counts for nothing', () => {
  const { folder, path, log } = create();
  log.close();
  const before = fs.readFileSync(path);
  for (let time = 0; time < 3; time += 1) SessionLog.open(folder).close();
  expect(fs.readFileSync(path).equals(before)).toBe(true);
  const last = SessionLog.open(folder);
  expect(last.append([], { sync: true })).toEqual([]);
  expect(last.append([queued('m-1')], { sync: true })[0]?.fence).toBe(2);
  last.close();
});

test('one file for a whole life: what was written is never written again', () => {
  const { folder, path, log } = create();
  let before = fs.readFileSync(path);
  const { ino } = fs.statSync(path);
  const unchanged = (): void => {
    const now = fs.readFileSync(path);
    expect([fs.statSync(path).ino, now.subarray(0, before.length).equals(before)]).toEqual([ino, true]);
    before = now.subarray(0, read(folder).end);
  };
  log.append([queued('m-1'), steered()], { sync: true });
  log.close();
  for (let tenure = 0; tenure < 5; tenure += 1) {
    unchanged();
    const next = SessionLog.open(folder, { commit: tenure % 2 === 0 ? 'each' : 'grouped' });
    unchanged();
    for (let index = 0; index < 4; index += 1) {
      next.append([stepStarted(index + 2), queued(`m-${tenure}-${index}`)], { sync: index % 2 === 0 });
      unchanged();
    }
    next.close();
    unchanged();
    // A torn tail is the one thing that is taken away: it was never written whole.
    fs.appendFileSync(path, before.subarray(0, 77));
  }
  expect(read(folder).frames).toHaveLength(3 + 5 * 9);
});

test.each([
  ['a lone surrogate', queued('m-2', '\ud800')],
  ['half of an emoji', queued('m-2', '😀'.slice(0, 1))],
  ['another shape', { ...queued('m-2'), payload: { input: { text: 'x' } } } as never],
  ['an id that is none', queued('no id')],
  ['more than its cap', result('call-1', 'x'.repeat(1 << 20))],
])('%s is refused with nothing written, and the log goes on', (_name, draft) => {
  const { files, calls } = watch();
  const { path, log } = create({ files });
  const before = fs.readFileSync(path);
  calls.length = 0;
  expect(errorOf(() => log.append([queued('m-1'), draft], { sync: true }))?.code).toBe('input-invalid');
  expect([calls, fs.readFileSync(path).equals(before), log.lastSeq]).toEqual([[], true, 1]);
  expect(log.append([queued('m-1')], { sync: true })[0]?.seq).toBe(2);
  log.close();
});

test.each([sessionId, 's-2'])('a session that is there is opened as itself, also where %s was to be made', (wanted) => {
  const { folder, path, log } = create();
  log.close();
  const before = fs.readFileSync(path);
  const again = SessionLog.create(folder, { sessionId: wanted });
  expect([again.sessionId, again.fence]).toEqual([sessionId, 2]);
  again.close();
  expect(fs.readFileSync(path).equals(before)).toBe(true);
});
