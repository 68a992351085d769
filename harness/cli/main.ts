/**
 * The command line: arguments → a call or a spawned program → an exit code.
 *
 *   0 valid   1 invalid   2 unknown, or a run that did not finish   64 usage or refused   70 internal error
 *
 * With `--json` standard output carries exactly one JSON document, a refusal included; progress and sentences go to standard error.
 */
import { Command, CommanderError } from 'commander';
import { HarnessError } from '../errors.js';
import { refusalOfGiven } from '../io/given.js';
import { ownInstallation } from '../io/installation.js';
import { packageVersions } from '../probe/versions.js';
import { addCorrupt } from './corrupt.js';
import { addDoctor } from './doctor.js';
import type { Exit } from './exit.js';
import { tellWhatIsNeeded } from './needed.js';
import { addOperations } from './operations.js';
import { addProvider } from './provider.js';
import { addReduce, addReplay } from './replay.js';
import { addRun } from './run.js';
import { addState } from './state.js';
import { addVerify } from './verify.js';

function program(exit: Exit): Command {
  const root = new Command('killpoint')
    .description('Kills programs that call models and tools, and shows whether they resume or merely restart.')
    .version(packageVersions(ownInstallation()).killpoint ?? '0.0.0')
    .exitOverride();
  for (const add of [addRun, addVerify, addCorrupt, addReplay, addReduce, addState, addOperations, addDoctor, addProvider])
    add(root, exit);
  tellWhatIsNeeded(root);
  return root;
}

async function main(argv: readonly string[]): Promise<number> {
  let code = 0;
  try {
    await program((given) => void (code = given)).parseAsync([...argv]);
    return code;
  } catch (error) {
    return failed(refusalOfGiven(error, argv.slice(2)) ?? error, argv.includes('--json'));
  }
}

function failed(error: unknown, json: boolean): number {
  // Help and version are no errors; every other complaint of the argument library is a usage error, whatever code it gives.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    if (json) printError('usage', error.message, []);
    return 64;
  }
  if (error instanceof HarnessError) {
    process.stderr.write(`killpoint: ${error.message}\n${error.items.map((item) => `  ${item}\n`).join('')}`);
    if (json) printError(error.code, error.message, error.items);
    return error.exitCode;
  }
  if ((error as NodeJS.ErrnoException | null)?.syscall === 'uv_cwd') {
    return failed(new HarnessError('usage', 'The folder that killpoint was started in is gone; start it in another one.'), json);
  }
  process.stderr.write(`killpoint: internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  if (json) printError('internal', error instanceof Error ? error.message : String(error), []);
  return 70;
}

function printError(code: string, message: string, items: readonly string[]): void {
  process.stdout.write(`${JSON.stringify({ error: { code, items, message } })}\n`);
}

// Whatever escapes leaves by 70: an error must never look like a verdict.
process.on('uncaughtException', (error) => {
  process.stderr.write(`killpoint: internal error: ${error.stack ?? error.message}\n`);
  process.exit(70);
});
// A reader that closes the pipe early (`| head`) ends neither the run nor its exit code; what cannot be said is not said. Where the
// result itself is lost for another reason (a full disk), no exit code may tell of a result.
let resultLost = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') resultLost = true;
});
process.stderr.on('error', () => undefined);

const code = await main(process.argv);
// Output to a pipe may still be under way, and an error of it is told a turn later; the exit waits for both.
process.stdout.write('', () => setImmediate(leave));

function leave(): void {
  if (resultLost) process.stderr.write('killpoint: the result could not be written to standard output.\n');
  process.exit(resultLost ? 70 : code);
}
