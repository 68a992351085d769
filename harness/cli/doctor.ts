/** `killpoint doctor`: what this machine can do, as far as runs need it. Exit 0, or 2 where something needed is missing. */
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { demandWritableOut } from '../io/out.js';
import type { Check } from '../probe/check.js';
import { diagnose } from '../probe/doctor.js';
import { isReady, readiness } from '../probe/readiness.js';
import { probeSyncCost } from '../probe/sync-cost.js';
import type { Exit } from './exit.js';

export function addDoctor(root: Command, exit: Exit): void {
  root
    .command('doctor')
    .summary('say what this machine can do')
    .description('Tries the mechanisms that runs use and says which are there. Exit 0, or 2 where one that is needed is missing.')
    .option('--out <dir>', 'where bundles would go (default: here)')
    .option('--json', 'print one JSON document on standard output', false)
    .action(async ({ out, json }: { out?: string; json: boolean }) => {
      const folder = resolve(out ?? '.');
      demandWritableOut(folder);
      const { checks: ofRuns } = await diagnose(folder);
      const checks = [...ofRuns, probeSyncCost(folder)];
      const ready = isReady(checks);
      process.stdout.write(json ? `${JSON.stringify({ checks, ready })}\n` : text(checks));
      exit(ready ? 0 : 2);
    });
}

function text(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(
    ({ name, available, weight, detail }) =>
      `${available ? 'yes' : 'no '}  ${name.padEnd(width)}  ${detail}${available || weight !== 'needed' ? '' : ' (needed)'}`,
  );
  return `${[...lines, readiness(checks)].join('\n')}\n`;
}
