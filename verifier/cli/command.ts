/**
 * `verify <bundle>` and `corrupt <bundle>`. Reads, judges, prints, and leaves with the exit code that says the same as the JSON.
 * Every error of the argument library is a usage error (64); whatever else escapes is an internal error (70), never a verdict.
 */
import { Command, CommanderError } from 'commander';
import { InputError } from '../errors.js';
import { canonical } from '../read/canonical.js';
import { readTree } from '../read/tree.js';
import { verify } from '../verdict.js';
import { exitCodeOf, exitCodes } from './exit.js';
import { renderCorruption, renderJudgement } from './render.js';

export interface Streams {
  out(text: string): void;
  err(text: string): void;
  readonly colour: boolean;
}

interface Options {
  json?: boolean;
}

/** Never throws; returns the exit code. */
export async function command(args: readonly string[], streams: Streams): Promise<number> {
  let code: number = exitCodes.internal;
  const program = new Command('killpoint-verify')
    .description('Judges the bytes of a sealed bundle. Exit codes: 0 valid, 1 invalid, 2 unknown, 64 usage, 70 internal error.')
    .exitOverride()
    .configureOutput({ writeOut: streams.out, writeErr: streams.err });
  program
    .command('verify', { isDefault: true })
    .description('judge a bundle and print every claim')
    .argument('<bundle>', 'folder of a sealed bundle')
    .option('--json', 'print the verdict document, canonical JSON, and nothing else')
    .action((bundle: string, { json }: Options) => {
      const judgement = verify(readTree(bundle));
      streams.out(json ? `${canonical(judgement.verdict)}\n` : renderJudgement(judgement, streams.colour));
      code = exitCodeOf(judgement.verdict.verdict);
    });
  program
    .command('corrupt')
    .description('break a valid bundle in every known way and check that each mutant is rejected for exactly its reasons')
    .argument('<bundle>', 'folder of a sealed bundle; it is only read')
    .option('--json', 'print one JSON document and nothing else')
    .action(async (bundle: string, { json }: Options) => {
      // Not needed to verify, so not loaded to verify.
      const { corrupt } = await import('../mutations/corrupt.js');
      const corruption = corrupt(readTree(bundle));
      if (corruption.base !== 'valid') streams.err(`The bundle itself is ${corruption.base}; only a valid one can be corrupted.\n`);
      streams.out(json ? `${canonical(corruption)}\n` : renderCorruption(corruption));
      if (corruption.base !== 'valid') code = exitCodes.unknown;
      else code = corruption.survivors.length > 0 ? exitCodes.invalid : exitCodes.valid;
    });
  for (const part of program.commands) part.exitOverride().configureOutput({ writeOut: streams.out, writeErr: streams.err });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.valid : exitCodes.usage;
    if (error instanceof InputError) return streams.err(`${error.message}\n`), exitCodes.usage;
    streams.err(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCodes.internal;
  }
}
