import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutations } from '../mutations/all.js';
import { checks } from './all.js';
import { findingCodes } from './check.js';

const contract = readFileSync(new URL('../../evidence/schema/README.md', import.meta.url), 'utf8');
const promised = [...contract.matchAll(/^\| (G\d+) \| (.+?) \| (.+?) \|$/gm)].map(([, guarantee, sentence, codes]) => ({
  guarantee,
  sentence,
  codes: [...(codes ?? '').matchAll(/`([a-z-]+)`/g)].map(([, code]) => code),
}));

describe('the checks', () => {
  it('are the guarantees of the contract, word for word, with their codes', () => {
    expect(promised).toHaveLength(32);
    expect(checks.map(({ guarantee, sentence, codes }) => ({ guarantee, sentence, codes }))).toEqual(promised);
  });

  it('have every finding code exactly once', () => {
    expect(checks.flatMap(({ codes }) => codes).sort()).toEqual([...findingCodes].sort());
  });

  it('have mutations for every code, whose declared codes are known and contain it', () => {
    for (const code of findingCodes) {
      const list = mutations[code];
      expect(list.length, code).toBeGreaterThan(0);
      for (const mutation of list) expect(mutation.codes as readonly string[], mutation.name).toContain(code);
    }
  });

  it('say what they cover and what not', () => {
    for (const { covers, doesNotCover } of checks) expect(Math.min(covers.length, doesNotCover.length)).toBeGreaterThan(4);
  });
});
