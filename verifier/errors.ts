/**
 * The verifier's kinds of trouble. `EvidenceError`: the bytes are not what they should be; a check turns it into a finding
 * or into an unknown claim. `InternalError`: the verifier itself is wrong; it ends with exit code 70 and never with a verdict.
 */
export type EvidenceCode =
  | 'absent'
  | 'git-object'
  | 'ill-formed-text'
  | 'ledger-schema'
  | 'ledger-unreadable'
  | 'no-engine'
  | 'not-canonical'
  | 'not-json'
  | 'not-utf8'
  | 'too-large'
  | 'unmodelled'
  | 'wrong-shape';

export class EvidenceError extends Error {
  override readonly name = 'EvidenceError';
  readonly code: EvidenceCode;
  constructor(code: EvidenceCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

type InternalCode = 'hash-disagreement' | 'invariant';

export class InternalError extends Error {
  override readonly name = 'InternalError';
  readonly code: InternalCode;
  constructor(code: InternalCode, message: string) {
    super(message);
    this.code = code;
  }
}

type InputCode =
  | 'key-unreadable'
  | 'not-a-bundle'
  | 'not-a-folder'
  | 'not-found'
  | 'packages-missing'
  | 'unknown-code'
  | 'unreadable'
  | 'unsound-base'
  | 'unwritable'
  | 'usage';

/** The command cannot start on this input: a usage error, said in one sentence. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly code: InputCode;
  constructor(code: InputCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

type SignatureCode = 'absent' | 'altered' | 'other-bundle' | 'other-key' | 'other-statement' | 'other-verdict' | 'wrong-form';

/** What was asked to vouch for the verdict does not: exit 1, since it may have been tampered with. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly code: `signature-${SignatureCode}`;
  constructor(code: SignatureCode, message: string) {
    super(message);
    this.code = `signature-${code}`;
  }
}
