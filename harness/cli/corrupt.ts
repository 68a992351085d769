/** `killpoint corrupt <bundle>`: shows that the verifier has teeth, by breaking copies of a good bundle. */
import type { Command } from 'commander';
import { ownInstallation } from '../io/installation.js';
import type { Exit } from './exit.js';
import { passThrough } from './pass-through.js';

export function addCorrupt(root: Command, exit: Exit): void {
  root
    .command('corrupt')
    .summary('break copies of a good bundle and count what the verifier misses')
    .description(
      'Breaks copies of a good bundle in every known way; each must be rejected with exactly its codes. Exit 0 when none survives.',
    )
    .argument('<bundle>', 'the folder of a valid bundle; it is not changed')
    .option('--json', 'print one JSON document on standard output', false)
    .action(async (bundle: string, { json }: { json: boolean }) => {
      exit(await passThrough(ownInstallation().verifier, ['corrupt', bundle, ...(json ? ['--json'] : [])]));
    });
}
