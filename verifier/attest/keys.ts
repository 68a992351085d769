/**
 * Keys, from PEM files: Ed25519 or ECDSA over P-256, which everybody's tools know. A private key is read, used and forgotten; no message
 * holds any part of it, nor what the cryptographic library says about it.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { InputError } from '../errors.js';

/** Far more than a key of these kinds takes. */
const largest = 16 * 1024;

export function privateKeyIn(path: string): KeyObject {
  return keyIn(path, 'private', (pem) => createPrivateKey(pem));
}

/** A private key would do as well to the library; whoever passes one around by mistake shall learn of it. */
export function publicKeyIn(path: string): KeyObject {
  return keyIn(path, 'public', (pem) => (pem.includes('PRIVATE KEY') ? null : createPublicKey(pem)));
}

/** `openssl pkey -pubin -outform DER | sha256sum` gives the same. */
export function fingerprint(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** The digest that goes with the key; Ed25519 has its own. */
export function digestFor({ asymmetricKeyType }: KeyObject): 'sha256' | null {
  return asymmetricKeyType === 'ed25519' ? null : 'sha256';
}

function keyIn(path: string, half: 'private' | 'public', parse: (pem: string) => KeyObject | null): KeyObject {
  const refused = (why: string): InputError => new InputError('key-unreadable', `The key ${path} cannot be used: ${why}.`);
  let pem: string;
  try {
    // What is no plain file may never end.
    const { size } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (size === undefined) throw refused('it is not there');
    if (!statSync(path).isFile() || size > largest) throw refused('it is not a plain file of the size of a key');
    pem = readFileSync(path, 'latin1');
  } catch (error) {
    throw error instanceof InputError
      ? error
      : refused(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  const key = parsed(pem, parse);
  if (key === null || !isOfKnownKind(key))
    throw refused(`it is no ${half} key in PEM, Ed25519 or ECDSA P-256, without a passphrase`);
  return key;
}

function parsed(pem: string, parse: (pem: string) => KeyObject | null): KeyObject | null {
  try {
    return parse(pem);
  } catch {
    return null;
  }
}

function isOfKnownKind({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'ed25519' || (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1');
}
