/**
 * What the program does, apart from how it is asked for it. Words for people are loaded only where people read, and what signs only where a
 * key is given.
 */
import { InputError, SignatureError } from '../errors.js';
import { canonical } from '../read/canonical.js';
import { Memory } from '../read/memory.js';
import { engineWords } from '../read/sqlite/here.js';
import { verify } from '../verdict.js';
import { readBag } from './bag.js';
import { exitCodeOf, exitCodes } from './exit.js';
import { shown } from './shown.js';
import type { KeyUse } from './signatures.js';

export interface Streams {
  out(text: string): void;
  err(text: string): void;
  readonly colour: boolean;
}

export async function verifyCommand(bundle: string, json: boolean, streams: Streams, key?: KeyUse): Promise<number> {
  // A key that cannot be used is told before anything is judged.
  const prepared = key === undefined ? null : await (await import('./signatures.js')).prepare(key);
  const judgement = verify(readBag(bundle));
  const { verdict } = judgement.verdict;
  let said: string | undefined;
  try {
    said = prepared?.(judgement.verdict, bundle);
  } catch (error) {
    // Neither a missing signature nor a full disk takes the place of a verdict that raises the alarm by itself.
    if (verdict !== 'invalid' || !(error instanceof SignatureError || error instanceof InputError)) throw error;
    said = `${shown(error.message)}\n`;
  }
  streams.out(
    json ? `${canonical(judgement.verdict)}\n` : (await import('./render.js')).renderJudgement(judgement, streams.colour),
  );
  if (said !== undefined) streams.err(said);
  tellEngine(streams);
  return exitCodeOf(verdict);
}

export async function explainCommand(code: string, json: boolean, streams: Streams): Promise<number> {
  const { explain, renderExplanation } = await import('./explain.js');
  const explanation = explain(code);
  streams.out(json ? `${canonical(explanation)}\n` : renderExplanation(explanation));
  return exitCodes.valid;
}

export async function keyCommand(path: string, streams: Streams): Promise<number> {
  streams.out(`${await (await import('./signatures.js')).signingKey(path)}\n`);
  return exitCodes.valid;
}

/** How many places of one class of generated mutants are broken. */
const perClass = 2;

/** Which of the generated mutants, beside those that are written by hand. */
export interface Breaking {
  readonly generated: 'none' | 'sample' | 'all';
  readonly sample: number;
  readonly seed: string;
}

export async function corruptCommand(bundle: string, json: boolean, breaking: Breaking, streams: Streams): Promise<number> {
  // Not needed to verify, so not loaded to verify.
  const { corrupt } = await import('../mutations/corrupt.js');
  const tree = readBag(bundle);
  const memory = new Memory();
  const byHand = corrupt(tree, memory);
  const unfit = byHand.base !== 'valid';
  const { generated, sample, seed } = breaking;
  const isGenerated = !unfit && generated !== 'none';
  const more = isGenerated ? await import('../mutations/generated/spread.js') : null;
  const choice = { seed, bound: perClass, sample: generated === 'all' ? null : sample };
  const corruption = { ...byHand, generated: more === null ? null : await more.generated(bundle, tree, memory, choice) };
  if (unfit)
    streams.err(
      `The bundle itself is ${corruption.base}, and only a valid one can be corrupted; verify tells what is the matter with it.\n`,
    );
  // Without --json nothing is counted then: "0 survivors" would read like a pass.
  if (json || !unfit)
    streams.out(json ? `${canonical(corruption)}\n` : (await import('./render.js')).renderCorruption(corruption));
  tellEngine(streams);
  if (unfit) return exitCodes.unknown;
  const survivors = corruption.survivors.length + (corruption.generated?.survivors.length ?? 0);
  return survivors > 0 ? exitCodes.invalid : exitCodes.valid;
}

/** The verdict is the same bytes whichever engine read the rows, so it is told beside it. */
function tellEngine(streams: Streams): void {
  const words = engineWords();
  if (words !== null) streams.err(`${words}\n`);
}
