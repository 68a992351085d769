/**
 * Signs a verdict: each statement in a DSSE envelope, as a Sigstore bundle (v0.3) that names its key by a hint. No certificate, no
 * transparency log and no time is claimed: a local key vouches for the bytes and for nothing else.
 */
import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import type { Verdict } from '../contract/types.js';
import { canonical } from '../read/canonical.js';
import { pathBeside, writeBeside } from './beside.js';
import { digestFor, fingerprint } from './keys.js';
import type { Packages } from './packages.js';
import { kinds, payloadOf, payloadType, statementOf } from './statement.js';

/** Writes the signed statements beside the bag and returns their paths. */
export function signVerdict(verdict: Verdict, bag: string, key: KeyObject, packages: Packages): string[] {
  return kinds.map((kind) => {
    const path = pathBeside(bag, kind);
    writeBeside(path, `${signed(payloadOf(statementOf(kind, verdict)), key, packages)}\n`);
    return path;
  });
}

export function signed(payload: Buffer, key: KeyObject, { bundle, core }: Packages): string {
  const signature = sign(digestFor(key), core.dsse.preAuthEncoding(payloadType, payload), key);
  return canonical(
    bundle.bundleToJSON(
      bundle.toDSSEBundle({
        artifact: payload,
        artifactType: payloadType,
        signature,
        keyHint: fingerprint(createPublicKey(key)),
      }),
    ),
  );
}
