/** The argument library's part: commands, options, help. All of its errors are usage errors (64). */
import { Command, CommanderError } from 'commander';
import { corruptCommand, verifyCommand, type Streams } from './actions.js';
import { exitCodes } from './exit.js';

interface Options {
  json?: boolean;
}

export async function parsed(args: readonly string[], streams: Streams): Promise<number> {
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
    .action(async (bundle: string, { json }: Options) => void (code = await verifyCommand(bundle, json === true, streams)));
  program
    .command('corrupt')
    .description('break a valid bundle in every known way and check that each mutant is rejected for exactly its reasons')
    .argument('<bundle>', 'folder of a sealed bundle; it is only read')
    .option('--json', 'print one JSON document and nothing else')
    .action(async (bundle: string, { json }: Options) => void (code = await corruptCommand(bundle, json === true, streams)));
  for (const part of program.commands) part.exitOverride().configureOutput({ writeOut: streams.out, writeErr: streams.err });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.valid : exitCodes.usage;
    throw error;
  }
}
