/** `killpoint provider`: the synthetic provider by itself; it ends when its standard input ends. */
import type { Command } from 'commander';
import { ownInstallation } from '../io/installation.js';
import type { Exit } from './exit.js';
import { passThrough } from './pass-through.js';

export function addProvider(root: Command, exit: Exit): void {
  root
    .command('provider')
    .summary('start the synthetic provider by itself')
    .description(
      'Starts the synthetic provider on loopback. It prints one line when it listens and ends when its standard input ends.',
    )
    .option('--port <n>', 'listen on this port instead of a free one')
    .option('--receipts <file>', 'open a prefix at once, with its receipts in this file; its URL is in the line')
    .option('--script <file>', 'what that prefix does (evidence/schema/provider-script.schema.json); default: it answers')
    .option('--continue', 'go on with the receipts that are in that file, of a prefix that was closed')
    .action(async (options: { port?: string; receipts?: string; script?: string; continue?: true }) => {
      const args = Object.entries(options).flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, value]));
      exit(await passThrough(ownInstallation().provider, args));
    });
}
