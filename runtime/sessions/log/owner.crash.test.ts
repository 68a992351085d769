/** Who owns a session: real second processes, living, stopped and killed, and others that write without asking. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { available } from '../../testing/mechanism.js';
import { SessionLog } from './session-log.js';
import { codeOf, create, errorOf, logPath, newFolder, queued, read, stepStarted, types, watch } from './testing/log.js';
import { run, start, type Program } from './testing/processes.js';

const owner = `
const log = SessionLog.open(await hear());
log.append([{ type: 'queued', payload: { input: { text: 'mine' }, submission_id: 'm-1' } }], { sync: true });
say('owned');
await hear();
`;
const opener = (folder: string): string =>
  `say(tried(() => SessionLog.open(${JSON.stringify(folder)}).close())); process.exit(0);`;

const programs: Program[] = [];
afterEach(async () => {
  for (const program of programs.splice(0)) await program.kill();
});

async function owned(): Promise<{ folder: string; program: Program }> {
  const { folder, log } = create();
  log.close();
  const program = start(owner);
  programs.push(program);
  program.say(folder);
  expect(await program.hear()).toBe('owned');
  return { folder, program };
}

test('a second writer is refused while the first one lives, stopped or not, and not a byte changes', async () => {
  const { folder, program } = await owned();
  const before = fs.readFileSync(logPath(folder));
  expect(codeOf(() => SessionLog.open(folder))).toBe('owner-alive');
  expect(codeOf(() => create({}, folder))).toBe('owner-alive');
  program.child.kill('SIGSTOP');
  expect(codeOf(() => SessionLog.open(folder))).toBe('owner-alive');
  // Who only looks is no writer.
  expect(types(folder)).toEqual(['lineage', 'lineage', 'queued']);
  await program.kill();
  expect(fs.readFileSync(logPath(folder)).equals(before)).toBe(true);
  const next = SessionLog.open(folder);
  expect(next.append([queued('m-2')], { sync: true })[0]?.fence).toBe(3);
  next.close();
});

test('the lease is given back when the log is drained, synced and closed, and not before', () => {
  const { folder, log: first } = create();
  first.close();
  const tried: string[] = [];
  let closing = false;
  const meanwhile = (name: string, real: () => unknown): unknown => {
    if (!closing) return real();
    tried.push(`${name}: ${String(run(opener(folder)))}`);
    return real();
  };
  const { files } = watch({
    fdatasyncSync: (real) => meanwhile('before the sync', real),
    closeSync: (real) => meanwhile('before the close', real),
  });
  const log = SessionLog.open(folder, { files });
  log.append([stepStarted(2)], { sync: false });
  closing = true;
  log.close();
  expect(tried).toEqual(['before the sync: owner-alive', 'before the close: owner-alive']);
  expect(run(opener(folder))).toBe(null);
  expect(types(folder)).toEqual(['lineage', 'lineage', 'step_started']);
});

test('another process appends without the lease: the next barrier is refused, and its bytes are left', () => {
  const { folder, path, log } = create();
  log.append([queued('m-1')], { sync: true });
  expect(spawnSync('sh', ['-c', 'printf splice >> "$0"', path]).status).toBe(0);
  const there = fs.readFileSync(path);
  expect(errorOf(() => log.append([queued('m-2')], { sync: true }))).toMatchObject({ code: 'foreign-write' });
  log.close();
  expect(fs.readFileSync(path).equals(there)).toBe(true);
  expect(read(folder).tornBytes).toBe(6);
});

test('eight processes create one session at once: one of them makes it, and the others find an owner', async () => {
  const creator = `
for (let folder = await hear(); folder !== null; folder = await hear()) {
  let log;
  const error = tried(() => { log = SessionLog.create(folder, { sessionId: 's-' + process.pid }); });
  say(error);
  await hear();
  log?.close();
  say('given back');
}`;
  const racers = Array.from({ length: 8 }, () => start(creator));
  programs.push(...racers);
  for (let round = 0; round < 5; round += 1) {
    const folder = newFolder();
    for (const { say } of racers) say(folder);
    const told = await Promise.all(racers.map(({ hear }) => hear()));
    expect(told.filter((error) => error === null)).toHaveLength(1);
    expect(new Set(told)).toEqual(new Set([null, 'owner-alive']));
    for (const { say } of racers) say('go on');
    await Promise.all(racers.map(({ hear }) => hear()));
    expect(types(folder)).toEqual(['lineage']);
  }
});

/** Root may write everything, unless it gives that up. */
const plain = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
const modesCount = available('setpriv', spawnSync(plain[0] ?? 'true', [...plain.slice(1), 'true']).status === 0);

test.skipIf(!modesCount)('a log that this process may not write is refused at the open, and left as it is', () => {
  const { folder, path, log } = create();
  log.close();
  fs.chmodSync(path, 0o444);
  const before = fs.readFileSync(path);
  expect(run(opener(folder), plain)).toBe('state-unwritable');
  expect(types(folder)).toEqual(['lineage']);
  fs.chmodSync(path, 0o644);
  expect(fs.readFileSync(path).equals(before)).toBe(true);
});

const strace = available('strace', spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0);

test.skipIf(!strace)(
  'as the kernel saw it: each name is durable before the next thing depends on it, and a barrier is one write',
  () => {
    const folder = newFolder();
    const trace = join(folder, '../trace');
    const through = ['strace', '-f', '-y', '-e', 'trace=mkdir,openat,pwrite64,write,rename,fsync,fdatasync', '-o', trace];
    run(
      `const log = SessionLog.create(${JSON.stringify(folder)}, { sessionId: 's-1' });
const queued = (id) => ({ type: 'queued', payload: { input: { text: 'x'.repeat(100000) }, submission_id: id } });
log.append([queued('m-1'), queued('m-2'), queued('m-3')], { sync: true });
say('told');
log.close();
process.exit(0);`,
      through,
    );
    const lines = fs.readFileSync(trace, 'utf8').split('\n');
    const parent = join(folder, '..');
    const wanted: [call: RegExp, on: string][] = [
      [/ mkdir\(/, folder],
      [/ fsync\(/, `<${parent}>`],
      [/write(64)?\(/, `<${folder}/session.wal.new>`],
      [/ fsync\(/, `<${folder}/session.wal.new>`],
      [/ rename\(/, `"${folder}/session.wal"`],
      [/ fsync\(/, `<${folder}>`],
      [/ rename\(/, `"${folder}/format.json"`],
      [/ fsync\(/, `<${folder}>`],
      [/write(64)?\(/, `<${folder}/session.wal>`],
      [/ fdatasync\(/, `<${folder}/session.wal>`],
      [/ fsync\(/, `<${folder}>`],
      [/ write\(/, 'told'],
    ];
    let from = 0;
    for (const [call, on] of wanted) {
      const found = lines.findIndex((line, index) => index >= from && call.test(line) && line.includes(on));
      expect([String(call), on, found]).not.toEqual([String(call), on, -1]);
      from = found + 1;
    }
    expect(lines.filter((line) => /write(64)?\(/.test(line) && line.includes(`<${folder}/session.wal>`))).toHaveLength(1);
  },
);
