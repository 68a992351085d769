/** `killpoint verify <bundle>`: the verifier's own command, in the verifier's own process. */
import { Option, type Command } from 'commander';
import { ownInstallation } from '../io/installation.js';
import type { Exit } from './exit.js';
import { passThrough } from './pass-through.js';

interface Options {
  json: boolean;
  explain?: string;
  sign?: string;
  key?: string;
}

export function addVerify(root: Command, exit: Exit): void {
  root
    .command('verify')
    .summary('judge a bundle from its bytes')
    .description('Judges a bundle from its bytes alone: what killpoint-verify does. Exit 0 valid, 1 invalid, 2 unknown.')
    .argument('[bundle]', 'the folder of a bundle')
    .option('--json', 'print the verdict document on standard output', false)
    .option('--explain <code>', 'in the place of a bundle: tell what a finding code means')
    .addOption(new Option('--sign <key>', 'sign the verdict, beside the bundle, with this private key (PEM)').conflicts('key'))
    .option('--key <key>', 'check the signed verdict beside the bundle with this public key (PEM)')
    .action(async (bundle: string | undefined, options: Options) => {
      exit(await passThrough(ownInstallation().verifier, ['verify', ...argumentsOf(bundle, options)]));
    });
}

/** In one word each, so that no value is taken for an option. */
function argumentsOf(bundle: string | undefined, { json, explain, sign, key }: Options): string[] {
  const named = Object.entries({ explain, sign, key }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
  return [...(bundle === undefined ? [] : [bundle]), ...named, ...(json ? ['--json'] : [])];
}
