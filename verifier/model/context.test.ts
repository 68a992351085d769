/** Estimated sizes, by the rule of the contract. */
import { expect, it } from 'vitest';
import { isSize } from './context.js';

const item = (
  kind: 'record' | 'claim' | 'artifact',
  bytes: number,
  tokens: number,
  basis: 'estimated' | 'measured' = 'estimated',
) => ({
  ...{ content_sha256: '0'.repeat(64), id: 'A', kind, lineage: [], required: true },
  size: { basis, bytes, tokens },
});

it('a record counts its bytes divided by four, rounded up', () => {
  expect(isSize(item('record', 47, 12), 47)).toBe(true);
  expect(isSize(item('record', 47, 11), 47)).toBe(false);
  expect(isSize(item('record', 48, 12), 47)).toBe(false);
});

it('other kinds count nothing, and what was measured is taken as it is', () => {
  expect(isSize(item('claim', 47, 0), 47)).toBe(true);
  expect(isSize(item('artifact', 47, 1), 47)).toBe(false);
  expect(isSize(item('record', 47, 40, 'measured'), 47)).toBe(true);
});
