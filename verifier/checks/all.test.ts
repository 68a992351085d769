import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutationsOf } from '../mutations/all.js';
import { checksOf, modelNames, modelOf } from './all.js';
import { findingCodes } from './check.js';

const contract = readFileSync(new URL('../../evidence/schema/README.md', import.meta.url), 'utf8');
/** Those of any subject and of calls, below them those of sessions, and then again some of any subject. */
const [above = '', below = '', last = ''] = contract.split(/\n### (?:Sessions|The system calls)\n/);
const promisedIn = (part: string) =>
  [...part.matchAll(/^\| (G\d+) \| (.+?) \| (.+?) \|$/gm)].map(([, guarantee = '', sentence, codes]) => ({
    guarantee,
    sentence,
    codes: [...(codes ?? '').matchAll(/`([a-z-]+)`/g)].map(([, code]) => code),
  }));
const [ofCalls, ofSessions] = [promisedIn(above + last), promisedIn(below)];

/** The numbers in whose place those of sessions stand, as the contract says it. */
const replaced = [
  ...(/in the place of (.+?), which are about calls/.exec(below)?.[1] ?? '').matchAll(/G(\d+)(?: to G(\d+))?/g),
].flatMap(([, from, to = from]) =>
  Array.from({ length: Number(to) - Number(from) + 1 }, (_none, index) => `G${Number(from) + index}`),
);

const told = (name: (typeof modelNames)[number]) =>
  checksOf(name).map(({ guarantee, sentence, codes }) => ({ guarantee, sentence, codes }));

describe('the checks', () => {
  it('are the guarantees of the contract, word for word, with their codes', () => {
    expect(ofCalls).toHaveLength(36);
    expect(ofSessions).toHaveLength(12);
    expect(told('calls/v1')).toEqual(ofCalls);
    const shared = ofCalls.filter(({ guarantee }) => !replaced.includes(guarantee));
    const numberOf = ({ guarantee }: { guarantee: string }): number => Number(guarantee.slice(1));
    expect(told('sessions/v1')).toEqual([...shared, ...ofSessions].sort((left, right) => numberOf(left) - numberOf(right)));
  });

  it('of calls that sessions do not have are those that the contract replaces', () => {
    const sessions = checksOf('sessions/v1').map(({ guarantee }) => guarantee);
    const own = checksOf('calls/v1').filter(({ guarantee }) => !sessions.includes(guarantee));
    expect(own.map(({ guarantee }) => guarantee)).toEqual(replaced);
  });

  it('have every finding code exactly once', () => {
    const all = new Set(modelNames.flatMap(checksOf));
    expect([...all].flatMap(({ codes }) => codes).sort()).toEqual([...findingCodes].sort());
  });

  it('say what they cover and what not', () => {
    for (const { covers, doesNotCover } of modelNames.flatMap(checksOf))
      expect(Math.min(covers.length, doesNotCover.length)).toBeGreaterThan(4);
  });
});

describe('a model', () => {
  it('is the one that the plan names, and calls where it names none or cannot be read', () => {
    const problem = { code: 'wrong-shape', file: 'data/plan.json', detail: 'This is not a plan.' } as const;
    const named = (members: object) => modelOf({ plan: { value: members as never } }).name;
    expect([named({ model: 'sessions/v1' }), named({ model: 'calls/v1' }), named({})]).toEqual([
      ...['sessions/v1', 'calls/v1', 'calls/v1'],
    ]);
    expect(modelOf({ plan: { problem } }).name).toBe('calls/v1');
  });

  it.each(modelNames)('%s is judged by the shared guarantees, in their order, and by its own', (name) => {
    const numbers = checksOf(name).map(({ guarantee }) => Number(guarantee.slice(1)));
    expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right));
    expect(numbers).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 6, 7, 9, 17, 18, 23, 25, 26]));
  });

  it.each(modelNames)('%s has mutations for every code that its checks may give, and for no other', (name) => {
    const codes = checksOf(name).flatMap((check) => check.codes);
    expect(Object.keys(mutationsOf(name)).sort()).toEqual([...codes].sort());
    for (const code of codes) {
      const list = mutationsOf(name)[code] ?? [];
      expect(list.length, code).toBeGreaterThan(0);
      for (const mutation of list) {
        expect(mutation.codes as readonly string[], mutation.name).toContain(code);
        for (const caused of mutation.codes) expect(codes, mutation.name).toContain(caused);
      }
    }
  });
});
