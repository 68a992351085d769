import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { powerLossFigures } from './power-loss.js';

const bundle = mkdtempSync(join(tmpdir(), 'killpoint-readme-'));
afterAll(() => rmSync(bundle, { recursive: true }));

it('the table of power losses says how many cuts a seed left out', () => {
  const arm = { id: 'arm', role: 'produce', crash: { model: 'power-loss', persistence: 'ext4' } };
  mkdirSync(join(bundle, 'data/cases/long/arm'), { recursive: true });
  mkdirSync(join(bundle, 'data/cases/long/arm-n1-r0'));
  writeFileSync(join(bundle, 'data/plan.json'), JSON.stringify({ cases: [{ id: 'long', arms: [arm] }] }));
  const counts = { operations: 1, requests: 2, cuts: 3, left_out: 4, derived: 5, distinct: 6, examined: 7, opened: 8, remade: 9 };
  writeFileSync(join(bundle, 'data/cases/long/arm/derivation.json'), JSON.stringify(counts));
  const [head, line, row] = powerLossFigures(bundle).split('\n');
  expect(head).toContain('| cuts | left out | states |');
  expect(row).toBe('| long | ext4 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 1 |');
  expect(line?.split('|').length).toBe(head?.split('|').length);
});
