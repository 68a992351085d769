/**
 * What the command line refuses, and how: exit codes, one sentence, one JSON document; places that are no files, full disks, readers that have gone.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Installation } from '../io/installation.js';
import { builtInstallation, requestFor, subjectsFolder, temporaryFolder, toyPlan } from '../testing/plans.js';
import { cases } from '../testing/person.js';

const keptBundle = resolve(cases, '..', '..');
let installation: Installation;
const folder = temporaryFolder();
beforeAll(() => {
  installation = builtInstallation();
});
afterAll(() => folder.remove());

const main = (...args: string[]) =>
  spawnSync(process.execPath, [join(installation.build, 'harness', 'cli', 'main.js'), ...args], {
    encoding: 'utf8',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });

describe('the command', () => {
  const main = (...args: string[]) =>
    spawnSync(process.execPath, [join(installation.build, 'harness', 'cli', 'main.js'), ...args], { encoding: 'utf8' });

  it.each<[string, number, RegExp, string[]]>([
    ['no such command', 64, /unknown command/, ['nothing']],
    ['no plan named', 64, /missing required argument/, ['run']],
    ['no state named', 64, /required option '--case <id>' not specified/, ['reduce', keptBundle]],
    ['an unknown option', 64, /unknown option/, ['run', 'x', '--nothing']],
    ['a bad number', 64, /whole number from 1/, ['run', 'x', '--jobs', '0']],
    ['a plan that is not there', 64, /There is no plan at/, ['run', '/nowhere/plan.json']],
    ['a state folder that is not there', 64, /it does not exist/, ['state', '/nowhere']],
    ['a folder of another product', 64, /it has no format\.json/, ['state', subjectsFolder]],
    ['a bundle for a state', 64, /it is a bundle, in which states lie at data\/cases/, ['state', keptBundle]],
    ['no bundle', 64, /is no bundle: it has no bagit\.txt/, ['verify', subjectsFolder]],
    ['what lies in a bundle', 64, /is no bundle: it has no bagit\.txt/, ['corrupt', join(keptBundle, 'data')]],
    ['a subject that is not there', 64, /cannot be read as a subject/, ['run', import.meta.filename, '--subject', '/nowhere']],
    ['a plan that is no plan', 64, /is not JSON/, ['run', import.meta.filename]],
  ])('with %s: exit %i and one sentence; with --json one document', (_name, code, sentence, args) => {
    const plain = main(...args);
    expect([plain.status, plain.stdout]).toEqual([code, '']);
    expect(plain.stderr).toMatch(sentence);
    const json = main(...args, '--json');
    expect(json.status).toBe(code);
    expect((JSON.parse(json.stdout) as { error: { message: string } }).error.message).toMatch(sentence);
  });

  it('a plan by its name alone is not there, and the plans that are here are listed as they can be written', () => {
    const { status, stderr } = main('run', 'working-state');
    const [sentence, ...plans] = stderr.trimEnd().split('\n');
    expect(status).toBe(64);
    expect(sentence).toBe(`killpoint: There is no plan at ${resolve('working-state')}. The plans that come with killpoint:`);
    expect(plans).toContain('  preregistrations/working-state.json');
    expect(plans.every((line) => /^ {2}preregistrations\/[a-z-]+\.json$/.test(line))).toBe(true);
  });

  it.each(['run', 'verify', 'corrupt', 'state', 'doctor', 'provider'])('%s --help exits 0', (name) => {
    const help = main(name, '--help');
    expect([help.status, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(/^Usage: killpoint/);
  });

  it('frames that nobody would see are refused by name', () => {
    expect(main('state', '/nowhere', '--frames')).toMatchObject({
      status: 64,
      stdout: '',
      stderr: expect.stringMatching(/^killpoint: --frames .* goes with --json\.\n$/) as string,
    });
  });

  it('doctor says what is there, for people and as one document', () => {
    const { status, stdout } = main('doctor', '--json');
    const { checks, ready } = JSON.parse(stdout) as {
      checks: { name: string; available: boolean; weight: string }[];
      ready: boolean;
    };
    expect([status, ready]).toEqual([0, true]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['cgroup_v2', 'peer_pid', 'file_system', 'strace', 'ptrace', 'node', 'sqlite', 'cores'],
        ...['loop_device', 'user_namespace', 'network_namespace', 'sync_cost'],
      ]),
    );
    expect(checks.find(({ name }) => name === 'sync_cost')).toMatchObject({ median_us: expect.any(Number) as number, syncs: 33 });
    const { stdout: told } = main('doctor');
    expect(told).toMatch(/This machine can run plans\.\n$/);
    expect(told).toMatch(/^(?:yes|no ) {2}sync_cost +a sync of a small file takes \d+ \u00b5s \(median of 33\)/m);
  });

  it.each([
    ['{"product":"other","storage":"ledger/v1","subject":"toy"}', /another product/],
    ['{"product": "killpoint", "storage": "ledger/v1", "subject": "toy"}', /not in canonical form/],
    ['{"product":"killpoint","storage":"ledger/v1","subject":"nobody"}', /The subject "nobody" is not installed/],
    ['{', /cannot be read/],
  ])('state refuses the format %s', (format, sentence) => {
    const state = join(folder.path, `state-${createHash('sha256').update(format).digest('hex').slice(0, 8)}`);
    mkdirSync(state);
    writeFileSync(join(state, 'format.json'), format);
    const { status, stderr } = main('state', state);
    expect(status).toBe(64);
    expect(stderr).toMatch(sentence);
  });
});

describe('hostile places', () => {
  const place = (name: string): string => join(folder.path, name);
  const toy = (...args: string[]) => {
    const { planFile } = requestFor(toyPlan(), folder.path, installation);
    return main('run', planFile, '--exploratory', '--subject', join(subjectsFolder, 'toy'), ...args);
  };
  beforeAll(() => {
    execFileSync('mkfifo', [place('plan.fifo')]);
    mkdirSync(place('fifo-state'));
    mkdirSync(place('looped-state'));
    symlinkSync('format.json', join(place('looped-state'), 'format.json'));
    execFileSync('mkfifo', [join(place('fifo-state'), 'format.json')]);
    writeFileSync(place('file'), '');
  });

  it.each<[string, RegExp, () => string[]]>([
    ['a plan that is a FIFO', /cannot be read: it is not a plain file/, () => ['run', place('plan.fifo')]],
    ['a plan that is a device without end', /cannot be read: it is not a plain file/, () => ['run', '/dev/zero']],
    ['a plan that is a folder', /cannot be read: it is not a plain file/, () => ['run', folder.path]],
    ['a state whose format cannot be looked at', /looked at \(ELOOP\)/, () => ['state', place('looped-state')]],
    ['a state whose format is a FIFO', /cannot be read \(it is not a plain file\)/, () => ['state', place('fifo-state')]],
  ])('%s is refused in one sentence, at once', (_name, sentence, args) => {
    const { status, stderr } = main(...args());
    expect(status).toBe(64);
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('an --out that is a file is refused before anything runs', () => {
    const { status, stderr } = toy('--out', join(place('file'), 'runs'));
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(/^killpoint: Bundles cannot go to .* is not a folder\. Choose another --out\.\n$/),
    ]);
  });

  it('an --out where no folder can be made is refused in one sentence, not tried in an endless loop', () => {
    const { status, stderr } = toy('--out', '/proc/killpoint-test/runs');
    const sentence = /^killpoint: Bundles cannot go to \/proc\S+: .*\/proc.*\. Choose another --out\.\n$/;
    expect([status, stderr]).toEqual([64, expect.stringMatching(sentence)]);
  });

  it('a doctor who is asked about such a place refuses it too', () => {
    for (const out of [place('file'), '/proc/killpoint-test'])
      expect(main('doctor', '--out', out)).toMatchObject({
        status: 64,
        stdout: '',
        stderr: expect.stringMatching(/^killpoint: Bundles cannot go to \S+: .*\. Choose another --out\.\n$/) as string,
      });
  });

  it.runIf(process.getuid?.() === 0)('a result that does not fit on the disk is no result', () => {
    const disk = place('full-disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'killpoint-test', disk]);
    try {
      spawnSync('sh', ['-c', 'cat /dev/zero > ballast'], { cwd: disk });
      const command = `exec "$0" "$1" doctor > "$2"`;
      const args = ['-c', command, process.execPath, join(installation.build, 'harness', 'cli', 'main.js'), join(disk, 'out')];
      const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
      expect([status, stderr]).toEqual([70, 'killpoint: the result could not be written to standard output.\n']);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it('a working folder that is gone is told in one sentence', () => {
    const args = ['-c', 'mkdir "$2" && cd "$2" && rmdir "$2" && exec "$0" "$1" doctor', process.execPath];
    const file = join(installation.build, 'harness', 'cli', 'main.js');
    const { status, stderr } = spawnSync('sh', [...args, file, place('gone-folder')], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([64, expect.stringMatching(/^killpoint: The folder that killpoint was started in is gone/)]);
  });

  it('a reader that has gone changes neither the run nor the exit code', async () => {
    const { planFile } = requestFor(toyPlan(), folder.path, installation);
    const args = [join(installation.build, 'harness', 'cli', 'main.js'), 'run', planFile, '--exploratory'];
    const gone = spawn(process.execPath, [...args, '--subject', join(subjectsFolder, 'toy'), '--out', place('gone')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    gone.stdout.destroy();
    gone.stderr.destroy();
    const [code] = (await once(gone, 'exit')) as [number];
    expect(code).toBe(toy('--out', place('heard')).status);
    expect(readdirSync(join(place('gone'), 'toy-plan'))).toHaveLength(2);
  });
});
