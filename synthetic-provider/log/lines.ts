/**
 * One line of a receipt log, read as strictly as it was written. Pure: canonical, of the shape of a receipt, with its own digest and
 * its place in the file. Anything else is damage, said in one sentence that names the line.
 */
import type { Receipt } from '../contract/types.js';
import { validateReceipt } from '../contract/validators.js';
import { decoded } from '../core/body.js';
import { type Json, canonical, sha256 } from '../core/canonical.js';
import { ProviderError } from '../core/errors.js';

export function parseLine(line: string, seq: number): Receipt {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw damaged(`line ${seq} is not JSON`);
  }
  if (!validateReceipt(value)) throw damaged(`line ${seq} is not of the shape of a receipt`);
  const { digest, ...rest } = value;
  let same: boolean;
  try {
    same = canonical(value as Json) === line;
  } catch {
    same = false;
  }
  if (!same) throw damaged(`line ${seq} is not canonical`);
  if (sha256(canonical(rest as Json)) !== digest) throw damaged(`line ${seq} does not have its digest`);
  if (value.seq !== seq) throw damaged(`line ${seq} has seq ${value.seq}`);
  if (value.kind !== 'settled' && sha256(decoded(value.body)) !== value.body_sha256)
    throw damaged(`the body of line ${seq} does not have its hash`);
  return value;
}

export function damaged(what: string): ProviderError {
  return new ProviderError('receipts-damaged', `The receipts cannot be continued: ${what}.`);
}
