/** `killpoint verify <bundle>`: the verifier's own command, in the verifier's own process. */
import type { Command } from 'commander';
import { ownInstallation } from '../io/installation.js';
import type { Exit } from './exit.js';
import { passThrough } from './pass-through.js';

export function addVerify(root: Command, exit: Exit): void {
  root
    .command('verify')
    .summary('judge a bundle from its bytes')
    .description('Judges a bundle from its bytes alone: what killpoint-verify does. Exit 0 valid, 1 invalid, 2 unknown.')
    .argument('<bundle>', 'the folder of a bundle')
    .option('--json', 'print the verdict document on standard output', false)
    .action(async (bundle: string, { json }: { json: boolean }) => {
      exit(await passThrough(ownInstallation().verifier, ['verify', bundle, ...(json ? ['--json'] : [])]));
    });
}
