/**
 * Holds the signed statements beside a bag against a public key and against the verdict that was just computed. Everything in the files is
 * untrusted: the hint only helps to say what is wrong, and what was signed must be, to the byte, what this verdict gives.
 */
import type { KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Verdict } from '../contract/types.js';
import { SignatureError } from '../errors.js';
import { canonical, decodeUtf8, parseJson, type Json } from '../read/canonical.js';
import { pathBeside } from './beside.js';
import { digestFor, fingerprint } from './keys.js';
import type { Packages } from './packages.js';
import { hasRootHash, kinds, payloadOf, payloadType, statementOf, type Statement } from './statement.js';

/** Throws a SignatureError that says what is wrong with the first file that does not vouch for the verdict; otherwise returns their paths. */
export function checkSignatures(verdict: Verdict, bag: string, key: KeyObject, packages: Packages): string[] {
  if (!hasRootHash(verdict))
    throw new SignatureError('other-bundle', `${bag} has no tagmanifest-sha256.txt, so no signed statement can be about it.`);
  return kinds.map((kind) => {
    const path = pathBeside(bag, kind);
    checkSigned(path, bytesOf(path), statementOf(kind, verdict), key, packages);
    return path;
  });
}

export function checkSigned(path: string, bytes: Buffer, expected: Statement, key: KeyObject, packages: Packages): void {
  const { payload, signature, type, hint } = envelopeIn(path, bytes, packages);
  const { core } = packages;
  if (!core.crypto.verify(core.dsse.preAuthEncoding(type, payload), key, signature, digestFor(key) ?? undefined)) {
    const own = fingerprint(key);
    if (hint !== own)
      throw new SignatureError('other-key', `${path} says that it was signed with another key than the one given.`);
    throw new SignatureError('altered', `${path} was altered: its signature is not that of the key over what it says.`);
  }
  if (type !== payloadType) throw new SignatureError('wrong-form', `${path} is signed, but holds no in-toto statement.`);
  if (payload.equals(payloadOf(expected))) return;
  throw difference(path, statementIn(path, payload), expected);
}

/** Far more than a statement about the largest verdict takes. */
const largest = 1 << 26;

function bytesOf(path: string): Buffer {
  try {
    const found = statSync(path);
    if (found.isFile() && found.size > largest)
      throw new SignatureError('wrong-form', `The signed statement ${path} is larger than ${largest} bytes.`);
    if (found.isFile()) return readFileSync(path);
  } catch (error) {
    if (error instanceof SignatureError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new SignatureError(
      'absent',
      code === 'ENOENT' ? `There is no signed statement ${path}.` : `The signed statement ${path} cannot be read (${code}).`,
    );
  }
  throw new SignatureError('absent', `The signed statement ${path} is not a plain file.`);
}

interface Envelope {
  readonly payload: Buffer;
  readonly signature: Buffer;
  readonly type: string;
  readonly hint: string;
}

function envelopeIn(path: string, bytes: Buffer, { bundle }: Packages): Envelope {
  const wrong = new SignatureError(
    'wrong-form',
    `${path} is no Sigstore bundle (v0.3) with one signed statement and the hint of a key.`,
  );
  let read: ReturnType<typeof bundle.bundleFromJSON>;
  try {
    read = bundle.bundleFromJSON(parseJson(decodeUtf8(bytes)));
  } catch {
    throw wrong;
  }
  if (read.mediaType !== bundle.BUNDLE_V03_MEDIA_TYPE) throw wrong;
  if (!bundle.isBundleWithDsseEnvelope(read) || !bundle.isBundleWithPublicKey(read)) throw wrong;
  const { payload, payloadType: type, signatures } = read.content.dsseEnvelope;
  const [one] = signatures;
  if (one === undefined) throw wrong;
  return { payload, signature: one.sig, type, hint: read.verificationMaterial.content.publicKey.hint };
}

type Members = Readonly<Record<string, Json | undefined>>;

function statementIn(path: string, payload: Buffer): Members {
  try {
    return members(parseJson(decodeUtf8(payload)));
  } catch {
    throw new SignatureError('wrong-form', `${path} holds no in-toto statement: what was signed is no JSON.`);
  }
}

function members(value: Json | undefined): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The first reason, in the order in which one would ask: of what kind, about what, and saying what. */
function difference(path: string, said: Members, expected: Statement): SignatureError {
  const { _type: type, predicateType, subject } = said;
  if (type !== expected._type || predicateType !== expected.predicateType)
    return new SignatureError(
      'other-statement',
      `${path} is signed, but is no in-toto statement (v1) of ${expected.predicateType}.`,
    );
  if (!isSame(subject, expected.subject))
    return new SignatureError(
      'other-bundle',
      `${path} is signed, but about another bundle: its subject is not the root hash of this one.`,
    );
  const [before, now] = [members(said.predicate), members(parseJson(canonical(expected.predicate)))];
  const parts = [...new Set([...Object.keys(now), ...Object.keys(before)])]
    .filter((name) => !isSame(before[name], now[name]))
    .sort();
  return new SignatureError(
    'other-verdict',
    `${path} is signed, but states another verdict than the one just computed: ${words(parts, before, now)}.`,
  );
}

/** A short member is told as it is, of a long one only that it differs. */
function words(parts: readonly string[], before: Members, now: Members): string {
  for (const name of ['verdict', 'result']) {
    const [said, found] = [before[name], now[name]];
    if (said !== found && typeof said === 'string' && typeof found === 'string' && plain.test(said))
      return `${name} ${said}, not ${found}`;
  }
  if (parts.length === 0) return 'it is not in canonical form';
  return `it differs in ${parts.map((name) => (plain.test(name) ? name : 'a member of another name')).join(', ')}`;
}

/** What may be shown on a terminal, whoever wrote it. */
const plain = /^[A-Za-z_]{1,32}$/;

function isSame(left: Json | undefined, right: unknown): boolean {
  return left !== undefined && right !== undefined && canonicalOrNull(left) === canonical(right);
}

function canonicalOrNull(value: Json): string | null {
  try {
    return canonical(value);
  } catch {
    return null;
  }
}
