/** The folder of a session: what is one, what is one that was never finished, and what is left alone. */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { SessionLog } from './session-log.js';
import { codeOf, create, errorOf, logPath, newFolder, queued, read, sessionId, smallLog, types } from './testing/log.js';

const format = '{"product":"killpoint","storage":"wal/v1","subject":"sessions"}\n';

function contents(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder).filter((name) => !name.startsWith('lease'));
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(join(folder, name), 'latin1')]));
}

test('what a creation makes', () => {
  const { folder, log } = create();
  expect(fs.readdirSync(folder).sort()).toEqual(['format.json', 'lease.sqlite', 'session.wal']);
  expect(fs.readFileSync(join(folder, 'format.json'), 'utf8')).toBe(format);
  expect([log.lastSeq, log.fence, log.tornBytes]).toEqual([1, 1, 0]);
  log.close();
  const [frame] = read(folder).frames;
  expect(frame).toMatchObject({ seq: 1, kind: 'lineage', fence: 1, synced: 0, features: [] });
  expect(frame?.payload).toEqual({ identity: log.identity, session_id: 's-1' });
  expect(log.identity).toMatch(/^[0-9a-f]{32}$/);
});

test('two sessions have two identities', () => {
  const identities = Array.from({ length: 5 }, () => {
    const { log } = create();
    log.close();
    return log.identity;
  });
  expect(new Set(identities).size).toBe(5);
});

test('a folder that is not there, or empty, is no session; nothing is made by looking', () => {
  const folder = newFolder();
  expect(codeOf(() => read(folder))).toBe('state-absent');
  expect(codeOf(() => SessionLog.open(folder))).toBe('state-absent');
  expect(fs.existsSync(folder)).toBe(false);
  fs.mkdirSync(folder);
  expect(codeOf(() => SessionLog.open(folder))).toBe('state-absent');
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('an id that is none makes nothing', () => {
  const folder = newFolder();
  expect(codeOf(() => SessionLog.create(folder, { sessionId: 'no id' }))).toBe('input-invalid');
  expect(fs.existsSync(folder)).toBe(false);
});

test('a folder of something else is left alone', () => {
  const folder = newFolder();
  fs.mkdirSync(folder);
  fs.writeFileSync(join(folder, 'notes.txt'), 'mine');
  expect(codeOf(() => create({}, folder))).toBe('directory-foreign');
  expect(codeOf(() => SessionLog.open(folder))).toBe('directory-foreign');
  expect(contents(folder)).toEqual({ 'notes.txt': 'mine' });
});

test('a session on a file system that others share is refused, whether it is there, is to be made, or is no session', () => {
  const { folder, log } = create();
  log.close();
  const before = fs.readdirSync(folder).toSorted();
  const mountTable = `none / ext4 rw 0 0\nnone ${fs.realpathSync(dirname(folder))} nfs4 rw 0 0\n`;
  const unsafe = { mountTable, sessionId };
  const absent = join(dirname(folder), 'never-made');
  for (const work of [
    () => SessionLog.create(folder, unsafe),
    () => SessionLog.open(folder, unsafe),
    () => SessionLog.create(absent, unsafe),
    () => SessionLog.open(absent, unsafe),
  ])
    expect(errorOf(work)).toMatchObject({ code: 'file-system-unsafe', message: expect.stringContaining('session') });
  expect([fs.readdirSync(folder).toSorted(), fs.existsSync(absent)]).toEqual([before, false]);
});

test.each([
  ['of another product', '{"product":"other","storage":"wal/v1","subject":"sessions"}\n', 'directory-foreign'],
  ['of a ledger', '{"product":"killpoint","storage":"ledger/v1","subject":"calls"}\n', 'directory-foreign'],
  ['of a newer storage', '{"product":"killpoint","storage":"wal/v2","subject":"sessions"}\n', 'version-newer'],
  ['that is no JSON', 'x', 'log-damaged'],
  ['with another order', '{"storage":"wal/v1","product":"killpoint","subject":"sessions"}\n', 'log-damaged'],
  ['with a member more', '{"more":1,"product":"killpoint","storage":"wal/v1","subject":"sessions"}\n', 'log-damaged'],
  ['with CRLF', format.replace('\n', '\r\n'), 'log-damaged'],
])('a format record %s', (_name, text, code) => {
  const { folder, log } = create();
  log.close();
  fs.writeFileSync(join(folder, 'format.json'), text);
  const before = contents(folder);
  for (const work of [() => read(folder), () => SessionLog.open(folder), () => create({}, folder)])
    expect(codeOf(work)).toBe(code);
  expect(contents(folder)).toEqual(before);
});

test('a creation that died anywhere is finished by the next one', () => {
  const { folder: done, bytes } = smallLog();
  const first = bytes.subarray(0, read(done).frames[1]?.offset);
  const left: Record<string, string | Buffer>[] = [
    {},
    { 'lease.sqlite': '' },
    { 'lease.sqlite': '', 'session.wal.new': '' },
    { 'session.wal.new': first.subarray(0, 50) },
    { 'session.wal': first },
    { 'session.wal': first, 'format.json.new': format.slice(0, 10) },
  ];
  for (const names of left) {
    const folder = newFolder();
    fs.mkdirSync(folder);
    for (const [name, content] of Object.entries(names)) fs.writeFileSync(join(folder, name), content);
    expect(codeOf(() => SessionLog.open(folder))).toBe(Object.keys(names).length === 0 ? 'state-absent' : 'state-unfinished');
    const { log } = create({}, folder);
    log.append([queued('m-1')], { sync: true });
    log.close();
    expect(types(folder)).toEqual(['lineage', 'queued']);
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  }
});

test('a log that holds more than its name is never started anew, though its format record is gone', () => {
  const { folder, bytes } = smallLog();
  fs.rmSync(join(folder, 'format.json'));
  expect(codeOf(() => SessionLog.open(folder))).toBe('state-unfinished');
  expect(codeOf(() => create({}, folder))).toBe('directory-foreign');
  expect(fs.readFileSync(logPath(folder)).equals(bytes)).toBe(true);
  // Nor one that cannot be read.
  const damaged = Buffer.from(bytes);
  damaged[200] = 0;
  fs.writeFileSync(logPath(folder), damaged);
  expect(codeOf(() => create({}, folder))).toBe('log-damaged');
  expect(fs.readFileSync(logPath(folder)).equals(damaged)).toBe(true);
});

test('a lease that is a link or a folder is refused, and the log is left', () => {
  const { folder, bytes } = smallLog();
  fs.rmSync(join(folder, 'lease.sqlite'));
  fs.mkdirSync(join(folder, 'lease.sqlite'));
  expect(codeOf(() => SessionLog.open(folder))).toBe('state-wrong-kind');
  expect(fs.readFileSync(logPath(folder)).equals(bytes)).toBe(true);
});
