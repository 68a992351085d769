/**
 * The prefixes of one provider process, found by their unguessable tokens.
 *
 * Tokens are looked up by their digest and compared in constant time, so that timing tells nothing about a token.
 */
import * as fs from 'node:fs';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { ProviderScript } from '../contract/types.js';
import { readContinued } from '../log/continue.js';
import { isWellFormed, wellFormed } from '../core/canonical.js';
import { Effects } from '../script/effects.js';
import { ProviderError, reason } from '../core/errors.js';
import { Prefix } from './prefix.js';
import { rebuiltEffects } from '../log/rebuild.js';
import { ReceiptLog } from '../log/receipts.js';
import { scriptMistakes } from '../script/mistakes.js';

export class Token {
  readonly #digest: Buffer;
  constructor(token: string) {
    this.#digest = createHash('sha256').update(token).digest();
  }
  static fresh(): string {
    return randomBytes(24).toString('base64url');
  }
  get name(): string {
    return this.#digest.toString('hex');
  }
  is(other: Token): boolean {
    return timingSafeEqual(this.#digest, other.#digest);
  }
}

export interface Opening {
  readonly receipts: string;
  readonly script: ProviderScript;
  readonly continue: boolean;
}

/** Every mistake of a body that wants to open a prefix. */
export function openingMistakes(value: unknown): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return ['The body must be a JSON object.'];
  const { receipts, script, continue: goesOn, ...others } = value as Record<string, unknown>;
  const mistakes: string[] = [];
  if (typeof receipts !== 'string' || !isAbsolute(receipts) || receipts.includes('\0') || !isWellFormed(receipts))
    mistakes.push('/receipts: must be an absolute path.');
  if (goesOn !== undefined && typeof goesOn !== 'boolean') mistakes.push('/continue: must be true or false.');
  for (const name of Object.keys(others)) mistakes.push(`/${name}: is not known here.`);
  // Names are quoted as they came, and an answer must be sendable.
  return [
    ...mistakes,
    ...scriptMistakes(script).map((mistake) => `/script${mistake === '' ? '' : mistake.replace(/^\/:/, ':')}`),
  ].map(wellFormed);
}

export class Registry {
  readonly #prefixes = new Map<string, { token: Token; prefix: Prefix }>();

  /** Returns the token once the log is durable. */
  open(opening: Opening): string {
    const prefix = opening.continue ? this.#continued(opening) : created(opening);
    const secret = Token.fresh();
    const token = new Token(secret);
    this.#prefixes.set(token.name, { token, prefix });
    return secret;
  }

  find(secret: string): Prefix | null {
    const token = new Token(secret);
    const entry = this.#prefixes.get(token.name);
    return entry !== undefined && entry.token.is(token) ? entry.prefix : null;
  }

  closeAll(): void {
    for (const { prefix } of this.#prefixes.values()) {
      try {
        prefix.close();
      } catch (error) {
        // A log that cannot be sealed says so to whoever closes its prefix; here nobody asks.
        if (!(error instanceof ProviderError)) throw error;
      }
    }
  }

  #continued({ receipts, script }: Opening): Prefix {
    const { bytes, identity } = readRegular(receipts);
    for (const { prefix } of this.#prefixes.values()) {
      if (prefix.open && prefix.log.identity === identity) {
        throw new ProviderError('receipts-busy', `${receipts} belongs to a prefix that is still open.`);
      }
    }
    const continued = readContinued(bytes);
    const effects = rebuiltEffects(script, continued);
    return new Prefix(ReceiptLog.resume(receipts, continued), script, effects, continued.onTheirWay);
  }
}

function created({ receipts, script }: Opening): Prefix {
  return new Prefix(ReceiptLog.create(receipts), script, new Effects(script.key === 'honour'));
}

function readRegular(path: string): { bytes: Buffer; identity: string } {
  try {
    const { dev, ino, ...stat } = fs.lstatSync(path, { bigint: true });
    if ((Number(stat.mode) & fs.constants.S_IFMT) !== fs.constants.S_IFREG) throw new Error('it is no regular file');
    return { bytes: fs.readFileSync(path), identity: `${dev}:${ino}` };
  } catch (error) {
    throw new ProviderError('receipts-missing', `${path} cannot be continued: ${reason(error)}.`, { cause: error });
  }
}
