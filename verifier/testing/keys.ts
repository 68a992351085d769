/** Pairs of keys for one test, as PEM files in a folder of its own. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface KeyFiles {
  readonly sign: string;
  readonly check: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export const keyKinds = ['ed25519', 'p256'] as const;

export function keysIn(folder: string, kind: (typeof keyKinds)[number] | 'p384' | 'rsa', name: string = kind): KeyFiles {
  const { publicKey, privateKey } = pairOf(kind);
  const [sign, check] = [join(folder, `${name}.pem`), join(folder, `${name}.pub.pem`)];
  writeFileSync(sign, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(check, publicKey.export({ type: 'spki', format: 'pem' }));
  return { sign, check, publicKey, privateKey };
}

function pairOf(kind: 'ed25519' | 'p256' | 'p384' | 'rsa'): { publicKey: KeyObject; privateKey: KeyObject } {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519');
  if (kind === 'rsa') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ec', { namedCurve: kind === 'p256' ? 'P-256' : 'P-384' });
}
