/** The argument library's part: commands, options, help. All of its errors are usage errors (64). */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { InputError } from '../errors.js';
import { corruptCommand, explainCommand, keyCommand, verifyCommand, type Breaking, type Streams } from './actions.js';
import { exitCodes } from './exit.js';
import { shownLines } from './shown.js';

interface Options {
  json?: boolean;
}

interface VerifyOptions extends Options {
  explain?: string;
  sign?: string;
  key?: string;
}

export async function parsed(args: readonly string[], streams: Streams): Promise<number> {
  let code: number = exitCodes.internal;
  // It repeats what it was given.
  const output = { writeOut: streams.out, writeErr: (text: string) => streams.err(shownLines(text)) };
  const program = new Command('killpoint-verify')
    .description('Judges the bytes of a sealed bundle. Exit codes: 0 valid, 1 invalid, 2 unknown, 64 usage, 70 internal error.')
    .exitOverride()
    .configureOutput(output);
  program
    .command('verify', { isDefault: true })
    .description('judge a bundle and print every claim')
    .argument('[bundle]', 'folder of a sealed bundle')
    .option('--json', 'print the verdict document, canonical JSON, and nothing else')
    .option('--explain <code>', 'in the place of a bundle: tell what a finding code means')
    .addOption(new Option('--sign <key>', 'sign the verdict, beside the bundle, with this private key (PEM)').conflicts('key'))
    .option('--key <key>', 'check the signed verdict beside the bundle with this public key (PEM)')
    .action(
      async (bundle: string | undefined, options: VerifyOptions) => void (code = await verifyOrExplain(bundle, options, streams)),
    );
  program
    .command('key')
    .description('tell the fingerprint of a private key (PEM) that --sign can use, or why it cannot')
    .argument('<key>', 'its file; it is only read')
    .action(async (path: string) => void (code = await keyCommand(path, streams)));
  program
    .command('corrupt')
    .description('break a valid bundle by hand and by its schemas, and check that each mutant is rejected for its reasons')
    .argument('<bundle>', 'folder of a sealed bundle; it is only read')
    .option('--json', 'print one JSON document and nothing else')
    .addOption(
      new Option('--generated <which>', 'mutants made from the schemas, beside those written by hand')
        .choices(['none', 'sample', 'all'])
        .default('sample'),
    )
    .option('--sample <n>', 'how many of the generated ones, where it is a sample', countOf, 200)
    .option('--seed <text>', 'what decides the places and their order', '1')
    .action(
      async (bundle: string, options: Options & Breaking) =>
        void (code = await corruptCommand(bundle, options.json === true, options, streams)),
    );
  for (const part of program.commands) part.exitOverride().configureOutput(output);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.valid : exitCodes.usage;
    throw error;
  }
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1.');
  return Number(text);
}

async function verifyOrExplain(bundle: string | undefined, options: VerifyOptions, streams: Streams): Promise<number> {
  const { explain, sign, key } = options;
  const json = options.json === true;
  if (explain !== undefined) {
    if (bundle === undefined && sign === undefined && key === undefined) return explainCommand(explain, json, streams);
    throw new InputError('usage', '--explain tells what a code means, of no bundle in particular; give it alone or with --json.');
  }
  if (bundle === undefined) throw new InputError('usage', 'Name the folder of a bundle, or a finding code with --explain.');
  if (sign !== undefined) return verifyCommand(bundle, json, streams, { use: 'sign', path: sign });
  return verifyCommand(bundle, json, streams, key === undefined ? undefined : { use: 'check', path: key });
}
