/**
 * Many histories of one subject: each is written, given to the runtime, derived by the verifier and by the reference, and the three are held
 * against one another. What was reached is counted, since a generator that reaches nothing is no evidence.
 *
 * They are judged in batches: while the runtime reads one, in processes of its own, the other two have their accounts made here.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { compared, type Compared } from './compare/compare.js';
import { accountOf } from './compare/reference.js';
import { loadVerifier } from './derive/verifier.js';
import type { History, Subject } from './history/drafts.js';
import { historyOf, recipesOf, type Kind, type Recipe } from './history/generate.js';
import { inWords } from './history/words.js';
import { startRuntime } from './worker/runtime.js';
import type { Contract } from './write/contract.js';
import { sessionFiles } from './write/frames.js';
import { ledgerFiles, type Files } from './write/ledger.js';
import { Counts } from './counts.js';

/** The folders of the builds that are asked, and what a writer needs to the letter. */
export interface Sides {
  readonly runtime: string;
  readonly verifier: string;
  readonly contract: Contract;
}

export interface Campaign {
  readonly subject: Subject;
  readonly kind: Kind;
  readonly histories: number;
  readonly seed: number;
  /** Has one history again, and what it shrinks to. */
  readonly path?: string;
  /** The serve role is asked about one history in so many, or never (0): it takes a lease and writes, which takes longer than all else. */
  readonly ownerEvery: number;
  /** Looks for the smallest history that fails in the same way. */
  readonly shrinks: boolean;
}

export interface Outcome {
  readonly counts: Counts;
  /** In words, with how to have it again; null where all agreed. */
  readonly disagreement: string | null;
  /** How many histories it took, the failing one with them. */
  readonly histories: number;
}

export interface Field {
  run(campaign: Campaign): Promise<Outcome>;
  end(): Promise<void>;
}

const memory = '/dev/shm';
const batch = 25;
/** How long a smaller history is looked for. */
const shrinkingMs = 15_000;

/** Its processes stay until the end, so that many small campaigns cost no more than a large one. */
export async function openField(subject: Subject, sides: Sides): Promise<Field> {
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'killpoint-differential-'));
  const runtime = startRuntime(sides.runtime, subject, join(folder, 'runtime'));
  const verifier = await loadVerifier(sides.verifier);
  const filesOf = (history: History): Files =>
    history.subject === 'calls'
      ? ledgerFiles(history, sides.contract, join(folder, 'written'))
      : sessionFiles(history, sides.contract);

  const judged = async (
    recipes: readonly Recipe[],
    isForOwner: (index: number) => boolean,
    counts: Counts,
  ): Promise<Compared[]> => {
    const histories = recipes.map((recipe) => historyOf(subject, recipe));
    const files = histories.map(filesOf);
    const looking = runtime.look(files, isForOwner);
    // What is known already is no reason to lose the other's failure.
    const accounts = files.map((one) => ({
      derived: subject === 'calls' ? verifier.calls(one) : verifier.sessions(one),
      account: accountOf(subject, one, join(folder, 'reference')),
    }));
    const told = await looking;
    return accounts.map(({ derived, account }, index) => {
      const [history, own] = [histories[index] as History, told[index] as (typeof told)[number]];
      const found = compared(subject, own, derived, account);
      counts.add(history, account, derived, own.refused !== null, found.freedoms);
      return found;
    });
  };

  const firstWrong = async ({ kind, histories, seed, ownerEvery }: Campaign, counts: Counts): Promise<number | null> => {
    const recipes = fc.sample(recipesOf(subject, kind), { numRuns: histories, seed });
    for (let from = 0; from < recipes.length; from += batch) {
      const found = await judged(
        recipes.slice(from, from + batch),
        (index) => ownerEvery > 0 && (from + index) % ownerEvery === 0,
        counts,
      );
      const wrong = found.findIndex((one) => one.wrong.length > 0);
      if (wrong >= 0) return from + wrong;
    }
    return null;
  };

  /** The history of a path and, where it is wanted, the smallest one that fails in the same way. */
  const inFull = async ({ kind, seed, shrinks, ownerEvery }: Campaign, path: string): Promise<string | null> => {
    const wrongIn = async (recipe: Recipe): Promise<readonly string[]> => {
      const [found] = await judged([recipe], () => ownerEvery > 0, new Counts(subject));
      return found?.wrong ?? [];
    };
    const agree = fc.asyncProperty(recipesOf(subject, kind), async (recipe) => {
      const wrong = await wrongIn(recipe);
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
    });
    const details = await fc.check(agree, {
      numRuns: 1,
      seed,
      path,
      endOnFailure: !shrinks,
      interruptAfterTimeLimit: shrinkingMs,
    });
    const [recipe] = details.counterexample ?? [];
    if (recipe === undefined) return null;
    const again = `--subject ${subject} --kind ${kind} --seed ${seed} --path ${details.counterexamplePath ?? path}`;
    const wrong = (await wrongIn(recipe)).map((one) => `- ${one}`);
    return [...wrong, inWords(historyOf(subject, recipe)), `again: tsx scripts/differential.ts ${again}`].join('\n');
  };

  return {
    run: async (campaign) => {
      const counts = new Counts(subject);
      if (campaign.path !== undefined) return { counts, histories: 1, disagreement: await inFull(campaign, campaign.path) };
      const wrong = await firstWrong(campaign, counts);
      if (wrong === null) return { counts, histories: campaign.histories, disagreement: null };
      const words =
        (await inFull(campaign, String(wrong))) ??
        `history ${wrong} of seed ${campaign.seed} failed, and not when it was asked again`;
      return { counts, histories: wrong + 1, disagreement: words };
    },
    end: async () => {
      await runtime.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function runCampaign(campaign: Campaign, sides: Sides): Promise<Outcome> {
  const field = await openField(campaign.subject, sides);
  try {
    return await field.run(campaign);
  } finally {
    await field.end();
  }
}
