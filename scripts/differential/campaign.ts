/**
 * Many histories of one subject: each is written, given to the runtime, derived by the verifier and by the reference, and the three are held
 * against one another. What was reached is counted, since a generator that reaches nothing is no evidence.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { disagreements } from './compare/compare.js';
import { accountOf } from './compare/reference.js';
import { loadVerifier } from './derive/verifier.js';
import type { History, Subject } from './history/drafts.js';
import { historyOf, recipes, type Recipe } from './history/generate.js';
import { inWords } from './history/words.js';
import { startRuntime } from './worker/runtime.js';
import type { Contract } from './write/contract.js';
import { sessionFiles } from './write/frames.js';
import { ledgerFiles, type Files } from './write/ledger.js';
import { Counts } from './counts.js';

export interface Campaign {
  readonly subject: Subject;
  readonly histories: number;
  /** None of them is broken. */
  readonly lawful?: boolean;
  readonly seed: number;
  /** Goes on where another one failed. */
  readonly path?: string;
  /** The folders of the builds that are asked. */
  readonly runtime: string;
  readonly verifier: string;
  readonly contract: Contract;
  /** The serve role is asked about one history in so many: it takes a lease and writes, which takes longer than everything else. */
  readonly ownerEvery: number;
  /** Looks for the smallest history that fails in the same way. */
  readonly shrinks: boolean;
  /** It ends after this time, with as many histories as it then has. */
  readonly mostMs?: number;
}

export interface Outcome {
  readonly counts: Counts;
  /** In words, with how to have it again; null where all agreed. */
  readonly disagreement: string | null;
  /** How many histories it took, the failing one with them. */
  readonly histories: number;
}

const memory = '/dev/shm';

function limitOf({ mostMs }: Campaign): { interruptAfterTimeLimit?: number } {
  return mostMs === undefined ? {} : { interruptAfterTimeLimit: mostMs };
}

export async function runCampaign(campaign: Campaign): Promise<Outcome> {
  const { subject, histories, seed, path, contract, ownerEvery } = campaign;
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'killpoint-differential-'));
  const runtime = startRuntime(campaign.runtime, subject, join(folder, 'runtime'));
  const verifier = await loadVerifier(campaign.verifier);
  const counts = new Counts(subject);
  let asked = 0;
  const filesOf = (history: History): Files =>
    history.subject === 'calls' ? ledgerFiles(history, contract, join(folder, 'written')) : sessionFiles(history, contract);

  const wrongIn = async (recipe: Recipe): Promise<{ history: History; wrong: string[] }> => {
    const history = historyOf(subject, campaign.lawful === true ? { ...recipe, breaches: [] } : recipe);
    const files = filesOf(history);
    asked += 1;
    const told = await runtime.look(files, asked % ownerEvery === 0);
    const derived = subject === 'calls' ? verifier.calls(files) : verifier.sessions(files);
    const account = accountOf(subject, files, join(folder, 'reference'));
    counts.add(history, account, derived, told);
    return { history, wrong: disagreements(subject, told, derived, account) };
  };

  try {
    const agree = fc.asyncProperty(recipes, async (recipe) => {
      const { wrong } = await wrongIn(recipe);
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
    });
    const options = {
      numRuns: histories,
      seed,
      ...(path === undefined ? {} : { path }),
      endOnFailure: !campaign.shrinks,
      ...limitOf(campaign),
    };
    const details = await fc.check(agree, options);
    if (!details.failed) return { counts, disagreement: null, histories: details.numRuns };
    const [recipe] = details.counterexample ?? [];
    if (recipe === undefined) throw new Error('The histories were interrupted.');
    const { history, wrong } = await wrongIn(recipe);
    const again = `--subject ${subject} --seed ${details.seed} --path ${details.counterexamplePath ?? ''}`;
    const words = [...wrong.map((one) => `- ${one}`), inWords(history), `again: tsx scripts/differential.ts ${again}`];
    return { counts, disagreement: words.join('\n'), histories: details.numRuns };
  } finally {
    await runtime.end();
    rmSync(folder, { recursive: true, force: true });
  }
}
