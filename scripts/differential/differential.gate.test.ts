/**
 * Random histories against three accounts of them, in a number that a test may take; the soak is `tsx scripts/differential.ts`. The runtime
 * is a real process; what a campaign must reach, it must reach here too.
 */
import { describe, expect, it } from 'vitest';
import { ensureBuild, root } from '../build.mjs';
import { runCampaign, type Campaign } from './campaign.js';
import { disagreements } from './compare/compare.js';
import type { Subject } from './history/drafts.js';
import { contractOf } from './write/contract.js';

const build = process.env['KILLPOINT_BUILD'] ?? ensureBuild();
const histories: Readonly<Record<Subject, number>> = { calls: 300, sessions: 500 };

function campaign(subject: Subject): Campaign {
  const sides = { runtime: build, verifier: build, contract: contractOf(root) };
  // Broken ones are for the soak: of some the three still have different accounts.
  return { subject, lawful: true, histories: histories[subject], seed: 20_261_201, ...sides, ownerEvery: 10, shrinks: true };
}

describe('the runtime, the verifier and the words of the contract', () => {
  it.each(['calls', 'sessions'] as const)(
    'agree about random lawful histories of %s',
    async (subject) => {
      const { counts, disagreement } = await runCampaign(campaign(subject));
      expect(disagreement).toBeNull();
      expect(counts.histories).toBe(histories[subject]);
      expect(counts.lawful).toBe(histories[subject]);
    },
    180_000,
  );

  it('are three: whichever of them differs is named', () => {
    const state = [{ calls: [{ stage: 'observed' }] }];
    const other = [{ calls: [{ stage: 'interpreted' }] }];
    const held = { entries: 3, digest: 'd' };
    const told = (own: unknown) => ({
      ...{ opened: held, refused: null, unread: null, words: '' },
      projected: { ...held, state: own, resume: null },
    });
    const derived = (own: unknown) => ({ ...held, read: 'ok' as const, problems: [], disorders: [], state: own, resume: null });
    const account = (own: unknown) => ({ ...held, read: 'ok' as const, broken: [], state: own, resume: null });
    expect(disagreements('calls', told(state), derived(state), account(state))).toEqual([]);
    expect(disagreements('calls', told(other), derived(state), account(state))).toEqual([
      'runtime and reference differ at /state/0/calls/0/stage: "interpreted" and "observed"',
    ]);
    expect(disagreements('calls', told(state), derived(other), account(state))).toHaveLength(1);
    expect(disagreements('calls', told(state), derived(state), account(other))).toHaveLength(2);
    expect(disagreements('calls', told(state), { ...derived(state), disorders: ['out of order'] }, account(state))).toEqual([
      'the verifier finds what no words forbid: out of order',
    ]);
    expect(disagreements('calls', told(state), derived(state), { ...account(state), broken: ['a rule'] })).toEqual([
      'the verifier does not find what the words forbid: a rule',
    ]);
    const refused = { ...told(state), opened: null, projected: null, refused: 'ledger-damaged', unread: 'ledger-damaged' };
    expect(disagreements('calls', refused, derived(state), account(state))).toHaveLength(1);
  });
});
