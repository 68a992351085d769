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
      'Breaks copies of a good bundle, by hand and by the schemas; each must be rejected for its reasons. Exit 0 when none survives.',
    )
    .argument('<bundle>', 'the folder of a valid bundle; it is not changed')
    .option('--json', 'print one JSON document on standard output', false)
    .option('--generated <which>', 'mutants made from the schemas too: none, sample (default) or all')
    .option('--sample <n>', 'how many of the generated ones, where it is a sample (200)')
    .option('--seed <text>', 'what decides the places and their order (1)')
    .action(
      async (bundle: string, { json, ...choice }: { json: boolean; generated?: string; sample?: string; seed?: string }) => {
        const chosen = Object.entries(choice).map(([name, value]) => `--${name}=${value}`);
        exit(await passThrough(ownInstallation().verifier, ['corrupt', bundle, ...(json ? ['--json'] : []), ...chosen]));
      },
    );
}
