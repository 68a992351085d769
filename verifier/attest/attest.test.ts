/**
 * Signed statements are what others can check: with the library of Sigstore, with openssl over bytes that are put together here by hand, and
 * with our own check, which refuses each thing that is wrong in a sentence of its own.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, Verifier } from '@sigstore/verify';
import { afterAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../contract/types.js';
import { SignatureError } from '../errors.js';
import { parseCanonicalFile } from '../read/canonical.js';
import { goodBundle } from '../testing/bundle.js';
import { keyKinds, keysIn, type KeyFiles } from '../testing/keys.js';
import { edit, fileAt, preAuthEncoding, type SignedFile } from '../testing/signed-file.js';
import { verify } from '../verdict.js';
import { pathBeside } from './beside.js';
import { checkSignatures } from './check.js';
import { fingerprint } from './keys.js';
import { loadPackages } from './packages.js';
import { signed, signVerdict } from './sign.js';
import { payloadOf, statementOf, type Statement } from './statement.js';

const folder = mkdtempSync(join(tmpdir(), 'killpoint-attest-'));
afterAll(() => rmSync(folder, { recursive: true }));
const packages = await loadPackages();
const { verdict } = verify(goodBundle());
const pairs = Object.fromEntries(keyKinds.map((kind) => [kind, keysIn(folder, kind)])) as Record<
  (typeof keyKinds)[number],
  KeyFiles
>;
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** A bag's path, with the verdict signed beside it. Only the path is of interest: nothing here reads the bag. */
let bags = 0;
function signedBag({ privateKey }: KeyFiles, about: Verdict = verdict): { bag: string; result: string; matrix: string } {
  const bag = join(folder, `bag-${(bags += 1)}`);
  const [result = '', matrix = ''] = signVerdict(about, bag, privateKey, packages);
  return { bag, result, matrix };
}

/** Puts in the place of a signed statement another one, signed with the same key. */
function resign(path: string, { privateKey }: KeyFiles, statement: object): void {
  writeFileSync(path, signed(payloadOf(statement as Statement), privateKey, packages));
}

function refusal(bag: string, { publicKey }: KeyFiles, about: Verdict = verdict): { code: string; message: string } {
  try {
    checkSignatures(about, bag, publicKey, packages);
  } catch (error) {
    if (error instanceof SignatureError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('The signed statements were taken.');
}

describe.each(keyKinds)('a verdict signed with %s', (kind) => {
  const keys = pairs[kind];

  it('lies beside the bag as two Sigstore bundles v0.3, canonical, of in-toto statements, with the hint of the key', () => {
    const { bag, result, matrix } = signedBag(keys);
    expect([result, matrix]).toEqual([`${bag}.sigstore.json`, `${bag}.matrix.sigstore.json`]);
    for (const [path, of] of [
      [result, 'result'],
      [matrix, 'matrix'],
    ] as const) {
      const file = parseCanonicalFile(readFileSync(path)) as unknown as SignedFile;
      expect(file.mediaType).toBe('application/vnd.dev.sigstore.bundle.v0.3+json');
      expect(file.dsseEnvelope.payloadType).toBe('application/vnd.in-toto+json');
      expect(file.verificationMaterial.publicKey).toEqual({ hint: fingerprint(keys.publicKey) });
      expect(Buffer.from(file.dsseEnvelope.payload, 'base64').equals(payloadOf(statementOf(of, verdict)))).toBe(true);
    }
  });

  it('is taken by our own check', () => {
    const { bag, result, matrix } = signedBag(keys);
    expect(checkSignatures(verdict, bag, keys.publicKey, packages)).toEqual([result, matrix]);
  });

  it('is taken by the verifier of Sigstore, without a network, and not once it was altered', () => {
    const trusted = { publicKey: keys.publicKey, validFor: () => true };
    const verifier = new Verifier(
      { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [], publicKey: () => trusted },
      { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 },
    );
    const { result, matrix } = signedBag(keys);
    const judged = (path: string) => verifier.verify(toSignedEntity(bundleFromJSON(fileAt(path))));
    for (const path of [result, matrix]) {
      expect(judged(path).key).toBe(keys.publicKey);
      edit(path, ({ dsseEnvelope }) => void (dsseEnvelope.payload = Buffer.from('{}').toString('base64')));
      expect(() => judged(path)).toThrow('signature verification failed');
    }
  });

  it.runIf(hasOpenssl)('is taken by openssl over bytes put together by hand, and not once they were altered', () => {
    const { result, matrix } = signedBag(keys);
    const [bytes, signature] = [join(folder, 'bytes'), join(folder, 'signature')];
    const args =
      kind === 'p256'
        ? ['dgst', '-sha256', '-verify', keys.check, '-signature', signature, bytes]
        : ['pkeyutl', '-verify', '-pubin', '-inkey', keys.check, '-rawin', '-in', bytes, '-sigfile', signature];
    for (const path of [result, matrix]) {
      const { payload, payloadType, signatures } = fileAt(path).dsseEnvelope;
      const encoded = preAuthEncoding(payloadType, Buffer.from(payload, 'base64'));
      writeFileSync(bytes, encoded);
      writeFileSync(signature, Buffer.from(signatures[0]!.sig, 'base64'));
      expect(execFileSync('openssl', args, { encoding: 'utf8' })).toMatch(/Verified OK|Verified Successfully/);
      writeFileSync(bytes, Buffer.concat([encoded, Buffer.from(' ')]));
      expect(spawnSync('openssl', args).status).not.toBe(0);
    }
  });

  it('with another key of the same kind is refused', () => {
    const { bag } = signedBag(keys);
    const { code, message } = refusal(bag, keysIn(folder, kind, `${kind}-other`));
    expect({ code, message }).toEqual({
      code: 'signature-other-key',
      message: `${bag}.sigstore.json says that it was signed with another key than the one given.`,
    });
  });
});

describe('a signed statement', () => {
  const keys = pairs.ed25519;
  const digits = 'a'.repeat(64);

  it.each<[string, string, RegExp, (paths: { result: string; matrix: string }) => void]>([
    [
      'that is not there',
      'absent',
      /^There is no signed statement .*\.matrix\.sigstore\.json\.$/,
      ({ matrix }) => rmSync(matrix),
    ],
    [
      'with another payload',
      'altered',
      /was altered: its signature is not that of the key/,
      ({ result }) =>
        edit(result, ({ dsseEnvelope }) => {
          const text = Buffer.from(dsseEnvelope.payload, 'base64').toString('utf8');
          dsseEnvelope.payload = Buffer.from(text.replace('"FAILED"', '"PASSED"').replace('"WARNED"', '"PASSED"')).toString(
            'base64',
          );
        }),
    ],
    [
      'with another type of payload',
      'altered',
      /was altered/,
      ({ result }) => edit(result, ({ dsseEnvelope }) => void (dsseEnvelope.payloadType = 'text/plain')),
    ],
    [
      'with another signature',
      'altered',
      /was altered/,
      ({ matrix }) =>
        edit(matrix, ({ dsseEnvelope }) => void (dsseEnvelope.signatures[0]!.sig = Buffer.alloc(64).toString('base64'))),
    ],
    [
      'with two signatures',
      'wrong-form',
      /is no Sigstore bundle/,
      ({ result }) => edit(result, ({ dsseEnvelope }) => void dsseEnvelope.signatures.push({ ...dsseEnvelope.signatures[0]! })),
    ],
    [
      'of an older version',
      'wrong-form',
      /is no Sigstore bundle \(v0\.3\)/,
      ({ result }) => edit(result, (file) => void (file.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.2')),
    ],
    [
      'with a certificate in the place of a key',
      'wrong-form',
      /and the hint of a key/,
      ({ result }) => edit(result, (file) => void (file.verificationMaterial = { certificate: { rawBytes: 'AAAA' } })),
    ],
    ['that is no JSON', 'wrong-form', /is no Sigstore bundle/, ({ result }) => writeFileSync(result, '{')],
    ['that is empty', 'wrong-form', /is no Sigstore bundle/, ({ matrix }) => writeFileSync(matrix, '')],
    [
      'that the other one was copied over',
      'other-statement',
      /is signed, but is no in-toto statement \(v1\) of urn:killpoint:verdict:v1\.$/,
      ({ result, matrix }) => writeFileSync(matrix, readFileSync(result)),
    ],
    [
      'about another bundle',
      'other-bundle',
      /is signed, but about another bundle: its subject is not the root hash of this one\.$/,
      ({ result }) =>
        resign(result, keys, {
          ...statementOf('result', verdict),
          subject: [{ digest: { sha256: digits }, name: 'tagmanifest-sha256.txt' }],
        }),
    ],
    [
      'about two bundles',
      'other-bundle',
      /about another bundle/,
      ({ result }) => {
        const { subject, ...rest } = statementOf('result', verdict);
        resign(result, keys, { ...rest, subject: [...subject, { digest: { sha256: digits }, name: 'tagmanifest-sha256.txt' }] });
      },
    ],
    [
      'of another verdict',
      'other-verdict',
      /is signed, but states another verdict than the one just computed: verdict invalid, not valid\.$/,
      ({ matrix }) => resign(matrix, keys, statementOf('matrix', { ...verdict, verdict: 'invalid' })),
    ],
    [
      'of another result',
      'other-verdict',
      /states another verdict .*: result FAILED, not (PASSED|WARNED)\.$/,
      ({ result }) => resign(result, keys, statementOf('result', { ...verdict, verdict: 'unknown' })),
    ],
    [
      'of the same verdict by another count',
      'other-verdict',
      /: it differs in cases, results\.$/,
      ({ matrix }) => resign(matrix, keys, statementOf('matrix', { ...verdict, cases: 7, results: [] })),
    ],
    [
      'that says more in words that no terminal should be shown',
      'other-verdict',
      /: it differs in a member of another name\.$/,
      ({ matrix }) => resign(matrix, keys, statementOf('matrix', { ...verdict, ['\u001B[2J']: 1 } as Verdict)),
    ],
    [
      'of the same verdict in other white space',
      'other-verdict',
      /: it is not in canonical form\.$/,
      ({ result }) =>
        writeFileSync(
          result,
          signed(Buffer.from(JSON.stringify(statementOf('result', verdict), null, 1)), keys.privateKey, packages),
        ),
    ],
    [
      'of bytes that are no statement',
      'wrong-form',
      /what was signed is no JSON\.$/,
      ({ result }) => writeFileSync(result, signed(Buffer.from('hello'), keys.privateKey, packages)),
    ],
  ])('%s is refused as signature-%s, in one sentence', (_what, code, sentence, change) => {
    const paths = signedBag(keys);
    change(paths);
    const refused = refusal(paths.bag, keys);
    expect(refused.code).toBe(`signature-${code}`);
    expect(refused.message).toMatch(sentence);
    for (const forbidden of ['\n', '\u001B']) expect(refused.message).not.toContain(forbidden);
  });

  it('of something else than an in-toto statement is refused although it was signed so', () => {
    const { bag, result } = signedBag(keys);
    edit(result, ({ dsseEnvelope }) => {
      dsseEnvelope.payloadType = 'text/plain';
      const bytes = preAuthEncoding('text/plain', Buffer.from(dsseEnvelope.payload, 'base64'));
      dsseEnvelope.signatures[0]!.sig = sign(null, bytes, keys.privateKey).toString('base64');
    });
    expect(refusal(bag, keys)).toEqual({
      code: 'signature-wrong-form',
      message: `${result} is signed, but holds no in-toto statement.`,
    });
  });

  it('about no bundle at all is refused, whatever it says', () => {
    const rootless = { ...verdict, run: { ...verdict.run, root_sha256: '' } };
    const { bag } = signedBag(keys, rootless);
    expect(refusal(bag, keys, rootless)).toEqual({
      code: 'signature-other-bundle',
      message: `${bag} has no tagmanifest-sha256.txt, so no signed statement can be about it.`,
    });
  });

  it('takes nothing from a hint that lies', () => {
    const { bag, result } = signedBag(keys);
    edit(result, (file) => void (file.verificationMaterial.publicKey!.hint = 'somebody'));
    expect(checkSignatures(verdict, bag, keys.publicKey, packages)[0]).toBe(pathBeside(bag, 'result'));
  });
});
