/** The feature floor: durable before the first frame that needs it, proved once, and never below what is there. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { raiseFloor, readFloor } from './floor.js';
import { SessionLog } from './session-log.js';
import {
  cancelled,
  codeOf,
  create,
  errorOf,
  newFolder,
  queued,
  read,
  steered,
  systemError,
  types,
  watch,
} from './testing/log.js';

const steer = 'steer-queue/v1';
const cancel = 'run-cancel-at/v1';
const line = (...features: string[]): string => `${JSON.stringify({ features, version: 'feature-floor/v1' })}\n`;
const append = ['write session.wal', 'fdatasync session.wal'];
const raise = ['write wal-feature-floor.new', 'fsync wal-feature-floor.new', 'rename wal-feature-floor.new', 'fsync folder'];
const prove = ['fsync wal-feature-floor', 'fsync folder'];

let floorFolder: string;
beforeEach(() => {
  floorFolder = newFolder();
  fs.mkdirSync(floorFolder);
});
const floorPath = (folder = floorFolder): string => join(folder, 'wal-feature-floor');

test('records that require nothing raise nothing', () => {
  const { folder, log } = create();
  log.append([queued('m-1')], { sync: true });
  log.close();
  expect(fs.readdirSync(folder).sort()).toEqual(['format.json', 'lease.sqlite', 'session.wal']);
  expect(read(folder).frames.flatMap(({ features }) => features)).toEqual([]);
});

test('name, file and folder are durable before the first frame that requires it, once in a process', () => {
  const { files, calls } = watch();
  const { folder, log } = create({ files, floorFolder });
  log.append([queued('m-1')], { sync: true });
  calls.length = 0;
  log.append([steered()], { sync: true });
  expect(calls.splice(0)).toEqual([...raise, ...append]);
  expect(fs.readFileSync(floorPath(), 'utf8')).toBe(line(steer));
  log.append([steered()], { sync: true });
  expect(calls.splice(0)).toEqual(append);
  // A name that is new takes the whole way again.
  log.append([cancelled, steered()], { sync: true });
  expect(calls.splice(0)).toEqual([...raise, ...append]);
  expect(fs.readFileSync(floorPath(), 'utf8')).toBe(line(cancel, steer));
  log.append([cancelled], { sync: false });
  expect(calls).toEqual(['write session.wal']);
  log.close();
  expect(read(folder).frames.map(({ features }) => features)).toEqual([[], [], [steer], [steer], [cancel], [steer], [cancel]]);
});

test('a name that somebody else put there is synced once before it is relied on', () => {
  fs.writeFileSync(floorPath(), line(cancel, steer));
  const { files, calls } = watch();
  const { log } = create({ files, floorFolder });
  log.append([queued('m-1')], { sync: true });
  calls.length = 0;
  log.append([steered()], { sync: true });
  expect(calls.splice(0)).toEqual([...prove, ...append]);
  // The other name was proved with it.
  log.append([cancelled], { sync: true });
  expect(calls).toEqual(append);
  log.close();
});

test.each(['openSync', 'writeSync', 'fsyncSync', 'renameSync'] as const)(
  '%s fails at the floor: nothing is appended, and once it works the log goes on',
  (name) => {
    for (const nth of name === 'fsyncSync' ? [1, 2] : [1]) {
      const folder = newFolder();
      fs.mkdirSync(folder);
      let failing = false;
      let count = 0;
      const { files } = watch({
        [name]: (real: () => unknown) => {
          if (!failing) return real();
          count += 1;
          if (count === nth) throw systemError('EIO');
          return real();
        },
      });
      const { path, log } = create({ files, floorFolder: folder });
      log.append([queued('m-1')], { sync: true });
      const before = fs.readFileSync(path);
      failing = true;
      expect(errorOf(() => log.append([queued('m-2'), steered()], { sync: true }))).toMatchObject({
        code: 'log-failed',
        message: expect.stringContaining(`could not be raised to ${steer} (EIO)`) as string,
      });
      failing = false;
      expect([fs.readFileSync(path).equals(before), log.lastSeq]).toEqual([true, 2]);
      expect(log.append([steered()], { sync: true })[0]?.seq).toBe(3);
      log.close();
      expect(fs.readFileSync(floorPath(folder), 'utf8')).toBe(line(steer));
    }
  },
);

test('a sync of the floor that failed is not made good by a name that can be read', () => {
  let failing = true;
  const { files, calls } = watch({
    fsyncSync: (real) => {
      // The sync of the folder, after the rename: the name is there, and nobody knows whether it stays.
      if (failing && calls.at(-1) === 'fsync folder' && fs.existsSync(floorPath())) throw systemError('EIO');
      return real();
    },
  });
  const { path, log } = create({ floorFolder, files });
  const before = fs.statSync(path).size;
  expect(codeOf(() => log.append([steered()], { sync: true }))).toBe('log-failed');
  expect(readFloor(floorFolder)).toEqual([steer]);
  expect(codeOf(() => log.append([steered()], { sync: true }))).toBe('log-failed');
  expect(fs.statSync(path).size).toBe(before);
  failing = false;
  calls.length = 0;
  log.append([steered()], { sync: true });
  expect(calls.slice(0, 2)).toEqual(prove);
  log.close();
});

test('a floor that names what is not read refuses readers, owners and raisers, and is left as it is', () => {
  const { folder, log } = create();
  log.append([steered()], { sync: true });
  log.close();
  const newer = line('scope/v1', steer);
  fs.writeFileSync(floorPath(folder), newer);
  fs.writeFileSync(floorPath(), newer);
  for (const work of [
    () => read(folder),
    () => SessionLog.open(folder),
    () => SessionLog.open(folder, { floorFolder }),
    () => raiseFloor(floorFolder, [cancel]),
  ])
    expect(errorOf(work)).toMatchObject({ code: 'newer-writer', names: ['scope/v1'] });
  expect(fs.readFileSync(floorPath(), 'utf8')).toBe(newer);
});

test('a newer program that comes to the floor while we live: the next new name is refused, and nothing is appended', () => {
  const { folder, log } = create({ floorFolder });
  log.append([steered()], { sync: true });
  fs.writeFileSync(floorPath(), line('scope/v1', steer));
  expect(codeOf(() => log.append([cancelled], { sync: true }))).toBe('newer-writer');
  log.append([steered()], { sync: true });
  log.close();
  expect(types(folder)).toEqual(['lineage', 'steered', 'steered']);
});

test.each([
  ['empty', ''],
  ['no JSON', '{'],
  ['another version', '{"features":[],"version":"feature-floor/v2"}\n'],
  ['not sorted', line(steer, cancel)],
  ['a name twice', line(steer, steer)],
  ['a member more', `{"features":[],"more":1,"version":"feature-floor/v1"}\n`],
  ['CRLF', line(steer).replace('\n', '\r\n')],
  ['no end of line', line(steer).trimEnd()],
  ['a byte order mark', `\ufeff${line(steer)}`],
  ['something that is no name', line('Steer')],
  ['more than a floor can have', `${line(steer)}${' '.repeat(70_000)}`],
])('a floor that is none is damage: %s', (_name, text) => {
  fs.writeFileSync(floorPath(), text);
  expect(codeOf(() => readFloor(floorFolder))).toBe('log-damaged');
  expect(codeOf(() => raiseFloor(floorFolder, [steer]))).toBe('log-damaged');
  expect(fs.readFileSync(floorPath(), 'utf8')).toBe(text);
});

test('what stands in the place of the floor is refused', () => {
  fs.mkdirSync(floorPath());
  expect(codeOf(() => readFloor(floorFolder))).toBe('state-wrong-kind');
  expect(codeOf(() => raiseFloor(floorFolder, [steer]))).toBe('state-wrong-kind');
  fs.rmdirSync(floorPath());
  fs.mkdirSync(`${floorPath()}.new`);
  expect(codeOf(() => raiseFloor(floorFolder, [steer]))).toBe('log-failed');
  fs.rmdirSync(`${floorPath()}.new`);
  raiseFloor(floorFolder, [steer]);
  expect(readFloor(floorFolder)).toEqual([steer]);
});

test('the lock stays the file that it is', () => {
  const lock = join(floorFolder, 'wal-feature-floor.lock');
  raiseFloor(floorFolder, [steer]);
  const { ino, size } = fs.statSync(lock);
  raiseFloor(floorFolder, [cancel]);
  raiseFloor(floorFolder, ['tool-times/v1']);
  expect([fs.statSync(lock).ino, fs.statSync(lock).size, size]).toEqual([ino, 0, 0]);
  expect(fs.readdirSync(floorFolder).sort()).toEqual(['wal-feature-floor', 'wal-feature-floor.lock']);
});

test('a session that is made again at the same place raises its own floor', () => {
  const folder = newFolder();
  for (const round of [1, 2]) {
    const { log } = create({}, folder);
    log.append([steered()], { sync: true });
    log.close();
    expect(readFloor(folder), `round ${round}`).toEqual([steer]);
    fs.rmSync(folder, { recursive: true });
  }
});

test('what a kill left under the first name is taken away, and a link there leads nowhere', () => {
  const { folder, log } = create({ floorFolder });
  const victim = join(newFolder(), '..', 'victim');
  fs.writeFileSync(victim, 'of somebody else');
  fs.symlinkSync(victim, `${floorPath()}.new`);
  log.append([steered()], { sync: true });
  log.close();
  expect(fs.readFileSync(victim, 'utf8')).toBe('of somebody else');
  expect(fs.lstatSync(floorPath()).isFile()).toBe(true);
  expect([readFloor(floorFolder), types(folder)]).toEqual([[steer], ['lineage', 'steered']]);
});
