/**
 * The two things that the program does, apart from how it is asked for them. Words for people are loaded only where people read.
 */
import { canonical } from '../read/canonical.js';
import { verify } from '../verdict.js';
import { readBag } from './bag.js';
import { exitCodeOf, exitCodes } from './exit.js';

export interface Streams {
  out(text: string): void;
  err(text: string): void;
  readonly colour: boolean;
}

export async function verifyCommand(bundle: string, json: boolean, streams: Streams): Promise<number> {
  const judgement = verify(readBag(bundle));
  streams.out(
    json ? `${canonical(judgement.verdict)}\n` : (await import('./render.js')).renderJudgement(judgement, streams.colour),
  );
  return exitCodeOf(judgement.verdict.verdict);
}

export async function corruptCommand(bundle: string, json: boolean, streams: Streams): Promise<number> {
  // Not needed to verify, so not loaded to verify.
  const { corrupt } = await import('../mutations/corrupt.js');
  const corruption = corrupt(readBag(bundle));
  const unfit = corruption.base !== 'valid';
  if (unfit)
    streams.err(
      `The bundle itself is ${corruption.base}, and only a valid one can be corrupted; verify tells what is the matter with it.\n`,
    );
  // Without --json nothing is counted then: "0 survivors" would read like a pass.
  if (json || !unfit)
    streams.out(json ? `${canonical(corruption)}\n` : (await import('./render.js')).renderCorruption(corruption));
  if (unfit) return exitCodes.unknown;
  return corruption.survivors.length > 0 ? exitCodes.invalid : exitCodes.valid;
}
