/**
 * Random histories against three accounts of them, in a number that a gate may take; the soak is `tsx scripts/differential.ts`. The runtime
 * is real processes that read real files.
 */
import { describe, expect, it } from 'vitest';
import { ensureBuild, root } from '../build.mjs';
import { runCampaign } from './campaign.js';
import { compared } from './compare/compare.js';
import { findPlanted } from './planted.js';
import { contractOf } from './write/contract.js';

const build = process.env['KILLPOINT_BUILD'] ?? ensureBuild();
const sides = { runtime: build, verifier: build, contract: contractOf(root) };
const seed = 20_261_201;

describe('the runtime, the verifier and the words of the contract', () => {
  it.each([
    ['calls', 'lawful', 200],
    ['calls', 'broken', 300],
    ['sessions', 'lawful', 300],
    ['sessions', 'broken', 400],
  ] as const)(
    'agree about random histories of %s that are %s: %i',
    async (subject, kind, histories) => {
      const campaign = { subject, kind, histories, seed, ownerEvery: 10, shrinks: true };
      const { counts, disagreement } = await runCampaign(campaign, sides);
      expect(disagreement).toBeNull();
      expect([counts.histories, counts.lawful]).toEqual([histories, kind === 'lawful' ? histories : 0]);
    },
    240_000,
  );

  it('a defect that is planted in either of them is found', async () => {
    const wanted = ['served-taken-back', 'verifier-unasked-is-dispatched'];
    const sought = await findPlanted(wanted, seed, build, () => undefined);
    expect(sought.map(({ name, program, found }) => [name, program, found])).toEqual([
      ['served-taken-back', 'runtime', true],
      ['verifier-unasked-is-dispatched', 'verifier', true],
    ]);
  }, 240_000);
});

describe('of three accounts', () => {
  const state = [{ calls: [{ stage: 'observed' }] }];
  const other = [{ calls: [{ stage: 'interpreted' }] }];
  const held = { entries: 3, digest: 'd' };
  const told = (own: unknown) => ({
    ...{ opened: held, refused: null, unread: null, words: '' },
    projected: { ...held, state: own, resume: null },
  });
  const refused = (code: string) => ({ ...told(state), opened: null, projected: null, refused: code, unread: code });
  const derived = (own: unknown) => ({ ...held, read: 'ok' as const, problems: [], disorders: [], state: own, resume: null });
  const account = (own: unknown) => ({
    ...{
      ...held,
      read: 'ok' as const,
      why: '',
      broken: [],
      ofFrames: 0,
      contradicts: false,
      state: own,
      resume: null,
      trusting: null,
    },
  });
  const found = [{ code: 'order-violated', detail: 'out of order' }];

  it('whichever differs in its state is named', () => {
    const wrong = (...sides: [unknown, unknown, unknown]) =>
      compared('calls', told(sides[0]), derived(sides[1]), account(sides[2])).wrong;
    expect(wrong(state, state, state)).toEqual([]);
    expect(wrong(other, state, state)).toEqual([
      'runtime and reference differ at /state/0/calls/0/stage: "interpreted" and "observed"',
    ]);
    expect(wrong(state, other, state)).toHaveLength(1);
    expect(wrong(state, state, other)).toHaveLength(2);
  });

  it('the judge finds what the words forbid, and nothing else', () => {
    const finding = { ...derived(state), disorders: found };
    expect(compared('calls', told(state), finding, account(state)).wrong).toEqual([
      'the verifier finds what no words forbid: order-violated, out of order',
    ]);
    const broken = { ...account(state), broken: ['a rule'] };
    expect(compared('calls', told(state), derived(state), broken).wrong).toEqual([
      'the verifier does not find what the words forbid: a rule',
    ]);
    expect(compared('calls', told(state), finding, broken)).toEqual({ wrong: [], freedoms: ['an order is the judge’s'] });
  });

  it('the runtime refuses what is broken, by its name, and nothing else', () => {
    const wrong = (told: Parameters<typeof compared>[1], account: Parameters<typeof compared>[3]) =>
      compared('sessions', told, { ...derived(state), read: account.read }, account).wrong;
    const damaged = { ...account(undefined), read: 'damaged' as const, why: 'a seq that is not the next' };
    expect(wrong(refused('log-damaged'), account(state))).toHaveLength(1);
    expect(wrong(refused('log-damaged'), damaged)).toEqual([]);
    expect(wrong(told(state), damaged)).toHaveLength(1);
    expect(wrong(refused('newer-writer'), damaged)).toHaveLength(1);
    expect(wrong(refused('input-invalid'), damaged)).toHaveLength(1);
    expect(wrong({ ...refused('log-damaged'), unread: null }, damaged)).toHaveLength(1);
  });

  it('whoever trusts a digest is held against the account of whoever trusts it', () => {
    const strict = { ...account(undefined), read: 'damaged' as const, why: 'a payload that is not canonical' };
    const trusting = (own: unknown) => ({ ...strict, trusting: account(own) });
    const judged = { ...derived(undefined), read: 'damaged' as const };
    const freedom = { wrong: [], freedoms: ['the digest of a payload is trusted'] };
    expect(compared('sessions', told(state), judged, trusting(state))).toEqual(freedom);
    expect(compared('sessions', told(other), judged, trusting(state)).wrong).toHaveLength(1);
    expect(compared('sessions', told(state), judged, strict).wrong).toHaveLength(1);
  });
});
