/** Scripts, and the close of a prefix whose log must be what its seal says and fit to be continued. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { readContinued } from '../log/continue.js';
import { type Opened, type ProviderProcess, lines, settledOf } from './provider.js';

export const answer = { do: 'answer' };
export const honour = (...requests: unknown[]) => ({ key: 'honour', requests, otherwise: answer });
export const ignore = (...requests: unknown[]) => ({ key: 'ignore', requests, otherwise: answer });

/** Says what the receipts say, after checking that the seal is that of the file and that the log could be continued. */
export async function sealed(provider: ProviderProcess, opened: Opened): Promise<string[]> {
  const { status, value } = await provider.close(opened);
  const bytes = readFileSync(opened.receipts);
  expect({ status, value }).toEqual({
    status: 200,
    value: {
      bytes: bytes.length,
      lines: lines(opened.receipts).length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    },
  });
  readContinued(bytes);
  return settledOf(opened.receipts);
}
