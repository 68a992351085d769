import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keysIn, type KeyFiles } from '../testing/keys.js';
import { fingerprint, privateKeyIn, publicKeyIn } from './keys.js';
import { loadPackages } from './packages.js';
import { signed } from './sign.js';

const folder = mkdtempSync(join(tmpdir(), 'killpoint-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));
const packages = await loadPackages();
const [ed25519, p256] = [keysIn(folder, 'ed25519'), keysIn(folder, 'p256')];
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe('a key', () => {
  const place = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const pem = (keys: KeyFiles): string => readFileSync(keys.sign, 'utf8');

  it.runIf(hasOpenssl)('made by openssl is taken, in the usual forms', () => {
    for (const args of [
      ['genpkey', '-algorithm', 'ed25519'],
      ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
      ['ecparam', '-name', 'prime256v1', '-genkey'],
    ]) {
      const path = place('openssl.pem', execFileSync('openssl', args, { encoding: 'utf8' }));
      const half = place('openssl.pub.pem', execFileSync('openssl', ['pkey', '-in', path, '-pubout'], { encoding: 'utf8' }));
      const payload = Buffer.from('words');
      expect(signed(payload, privateKeyIn(path), packages)).toContain(fingerprint(publicKeyIn(half)));
    }
  });

  it.runIf(hasOpenssl)('has the fingerprint that openssl and sha256sum give', () => {
    const sum = execFileSync('sh', ['-c', 'openssl pkey -pubin -in "$0" -outform DER | sha256sum', p256.check], {
      encoding: 'utf8',
    });
    expect(sum.slice(0, 64)).toBe(fingerprint(publicKeyIn(p256.check)));
  });

  it.each<[string, () => unknown, RegExp]>([
    ['that is not there', () => privateKeyIn(join(folder, 'nowhere.pem')), /it is not there\.$/],
    ['that is a folder', () => publicKeyIn(folder), /not a plain file of the size of a key\.$/],
    ['that never ends', () => publicKeyIn('/dev/zero'), /not a plain file/],
    ['that is too large', () => privateKeyIn(place('large.pem', 'x'.repeat(20_000))), /of the size of a key\.$/],
    ['that is no key', () => privateKeyIn(place('words.pem', 'words')), /no private key in PEM, Ed25519 or ECDSA P-256/],
    ['that was cut', () => privateKeyIn(place('cut.pem', pem(p256).slice(0, 90))), /no private key/],
    ['of another curve', () => privateKeyIn(keysIn(folder, 'p384').sign), /no private key/],
    ['of another kind', () => publicKeyIn(keysIn(folder, 'rsa').check), /no public key/],
    ['that is the private half where the public one is wanted', () => publicKeyIn(p256.sign), /no public key/],
    ['that is the public half where the private one is wanted', () => privateKeyIn(ed25519.check), /no private key/],
    [
      'with a passphrase',
      () =>
        privateKeyIn(
          place(
            'closed.pem',
            ed25519.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' }) as string,
          ),
        ),
      /without a passphrase\.$/,
    ],
  ])('%s is refused in one sentence, which holds nothing of it', (_what, read, sentence) => {
    let message = '';
    try {
      read();
    } catch (error) {
      message = (error as Error).message;
      expect(error).toMatchObject({ name: 'InputError', code: 'key-unreadable' });
      expect(error).not.toHaveProperty('cause');
    }
    expect(message).toMatch(sentence);
    for (const keys of [ed25519, p256]) expect(message).not.toContain(pem(keys).split('\n')[1]!.slice(0, 20));
  });
});
