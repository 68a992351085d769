/**
 * Signed verdicts by the command line: `run --sign` signs what the verifier says of the new bundle, `verify --key` holds it against it, and a key
 * that cannot be used is refused before anything runs.
 */
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Installation } from '../io/installation.js';
import { builtInstallation, requestFor, subjectsFolder, temporaryFolder, toyPlan } from '../testing/plans.js';

let installation: Installation;
const folder = temporaryFolder();
const [sign, check] = [join(folder.path, 'key.pem'), join(folder.path, 'key.pub.pem')];
beforeAll(() => {
  installation = builtInstallation();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(sign, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(check, publicKey.export({ type: 'spki', format: 'pem' }));
});
afterAll(() => folder.remove());

const main = (...args: string[]) =>
  spawnSync(process.execPath, [join(installation.build, 'harness', 'cli', 'main.js'), ...args], { encoding: 'utf8' });

function run(out: string, ...more: string[]) {
  const { planFile } = requestFor(toyPlan(), folder.path, installation);
  const subject = join(subjectsFolder, 'toy');
  return main('run', planFile, '--out', join(folder.path, out), '--exploratory', '--subject', subject, ...more);
}

describe('run --sign', () => {
  it('leaves the signed verdict beside the bundle, and keeps the key out of everything', () => {
    const { status, stdout } = run('signed', '--sign', sign, '--json');
    const { bundle, signed } = JSON.parse(stdout) as { bundle: string; signed: string[] };
    expect(signed).toEqual([`${bundle}.sigstore.json`, `${bundle}.matrix.sigstore.json`]);
    expect(signed.every((path) => existsSync(path))).toBe(true);
    const judged = main('verify', bundle, '--key', check, '--json');
    expect([judged.status, judged.stdout]).toEqual([status, readFileSync(`${bundle}.verdict.json`, 'utf8')]);
    expect(judged.stderr).toMatch(/^signature: of this verdict about this bundle, by the key [0-9a-f]{64}\n$/);
    const secret = readFileSync(sign, 'utf8').split('\n')[1] ?? '';
    expect(secret.length).toBeGreaterThan(40);
    expect(spawnSync('grep', ['-rFq', secret, dirname(bundle)]).status).toBe(1);
  });

  it('tells a person where it is', () => {
    expect(run('told', '--sign', sign).stdout).toMatch(/^signed .*\.sigstore\.json$/m);
  });

  it('without it nothing is signed', () => {
    const { stdout } = run('unsigned', '--json');
    const { bundle, signed } = JSON.parse(stdout) as { bundle: string; signed?: string[] };
    expect([signed, existsSync(`${bundle}.sigstore.json`)]).toEqual([undefined, false]);
    const { status, stderr } = main('verify', bundle, '--key', check);
    expect([status, stderr]).toEqual([1, `There is no signed statement ${bundle}.sigstore.json.\n`]);
  });

  it.each<[string, () => string]>([
    ['that is not there', () => join(folder.path, 'nowhere.pem')],
    ['of which it is the public half', () => check],
    ['whose name looks like an option', () => '--json'],
  ])('with a key %s: exit 64 in one sentence, and nothing ran', (_what, key) => {
    const { status, stdout, stderr } = run('refused', `--sign=${key()}`);
    expect([status, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(/^killpoint: The key .* cannot be used: .*\.\n$/);
    expect(existsSync(join(folder.path, 'refused'))).toBe(false);
  });
});

describe('verify --explain', () => {
  it('is handed over to the verifier', () => {
    const { status, stdout } = main('verify', '--explain', 'kill-unproven');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^kill-unproven\nG5 {2}/);
    expect(main('verify', '--explain', basename(sign))).toMatchObject({
      status: 64,
      stderr: expect.stringMatching(/^There is no finding code key\.pem; the nearest are /) as string,
    });
  });
});
