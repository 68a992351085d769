/**
 * Signing a verdict, or checking what signed it: keys and packages are looked at before anything is judged, and what is done with them comes
 * after. The words go to standard error: standard output belongs to the verdict.
 */
import { createPublicKey } from 'node:crypto';
import { checkSignatures } from '../attest/check.js';
import { fingerprint, privateKeyIn, publicKeyIn } from '../attest/keys.js';
import { loadPackages } from '../attest/packages.js';
import { signVerdict } from '../attest/sign.js';
import { hasRootHash } from '../attest/statement.js';
import type { Verdict } from '../contract/types.js';

/** What to do about signed statements: sign with a private key, or check with a public one. */
export interface KeyUse {
  readonly use: 'sign' | 'check';
  readonly path: string;
}

/** Says what was done. Throws a SignatureError where the verdict is not vouched for, and an InputError where nothing could be written. */
type Act = (verdict: Verdict, bundle: string) => string;

export async function prepare({ use, path }: KeyUse): Promise<Act> {
  const key = use === 'sign' ? privateKeyIn(path) : publicKeyIn(path);
  const packages = await loadPackages();
  if (use === 'check')
    return (verdict, bundle) => {
      checkSignatures(verdict, bundle, key, packages);
      return `signature: of this verdict about this bundle, by the key ${fingerprint(key)}\n`;
    };
  return (verdict, bundle) => {
    if (!hasRootHash(verdict)) return 'Nothing was signed: without tagmanifest-sha256.txt there is no hash to sign for.\n';
    return signVerdict(verdict, bundle, key, packages)
      .map((written) => `signed: ${written}\n`)
      .join('');
  };
}

/** The fingerprint of a key that can sign, for whoever wants to know before a long run. */
export async function signingKey(path: string): Promise<string> {
  const key = privateKeyIn(path);
  await loadPackages();
  return fingerprint(createPublicKey(key));
}
