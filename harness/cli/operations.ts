/**
 * The commands by which a person carries out what a work state names: one for each operation, each on a state folder of theirs, in place.
 *
 * Exit 0 done; 1 done, and what it was done for failed, on record; 2 the effect is unknown afterwards; 64 refused; 70 anything else.
 */
import { Option, type Command } from 'commander';
import { ownInstallation } from '../io/installation.js';
import type { CarryOutOptions, CarryOutRequest } from './acting.js';
import { carryOut } from './carry-out.js';
import type { Exit } from './exit.js';
import {
  addAskOptions,
  addPersonOptions,
  addSendingOptions,
  addStatementOptions,
  asked,
  fixedInputs,
  judgement,
  statement,
  type Given,
} from './inputs.js';
import { addSubjectOption, positive } from './options.js';
import { addSessionCommands } from './session-commands.js';

interface OperationCommand {
  readonly name: string;
  readonly summary: string;
  /** It can send a request: to a provider that is named, as the settings of today may say. */
  readonly sends?: true;
  readonly operation: (given: Given) => string;
  /** On a session: what it stands for there. */
  readonly session?: string;
  readonly options?: (command: Command) => Command;
  /** Null where nothing was stated or given. */
  readonly input?: (given: Given) => object | null;
}

const commands: readonly OperationCommand[] = [
  {
    name: 'resume',
    summary: 'start a call that was never sent, or take up the session',
    sends: true,
    operation: () => 'start_call',
    session: '',
  },
  {
    name: 'reinterpret',
    summary: 'read the stored response again',
    operation: () => 'reinterpret',
    options: (command) => command.option('--interpreter <n>', 'by this version (default: the recorded one)', positive),
    input: ({ interpreter }) => (interpreter === undefined ? null : { interpreter_version: interpreter }),
  },
  { name: 'redecide', summary: 'apply the recorded retry policy again', operation: () => 'redecide' },
  {
    name: 'retry',
    summary: 'start the next attempt, where the record makes it lawful',
    sends: true,
    operation: () => 'start_next_attempt',
  },
  { name: 'finalize', summary: 'close a call about which everything is known', operation: () => 'finalize' },
  {
    name: 'reconcile',
    summary: 'record what became of an effect that is unknown',
    sends: true,
    operation: () => 'reconcile_effect',
    options: (command) => addStatementOptions(addAskOptions(command)),
    input: statement,
  },
  { name: 'recompile', summary: 'compile a context that was asked for and never ended', operation: () => 'recompile' },
  {
    name: 'fix-inputs',
    summary: 'take the place of what failed on its inputs',
    sends: true,
    operation: () => 'fix_inputs',
    options: (command) => command.requiredOption('--inputs <file>', 'a JSON file with what is to be used instead'),
    input: fixedInputs,
  },
  {
    name: 'accept',
    summary: 'accept or reject a result, or accept that an effect may happen twice',
    operation: ({ duplicate }) => (duplicate ? 'accept_duplicate' : 'check_and_accept'),
    options: (command) =>
      addPersonOptions(command)
        .option('--reject', 'reject the result')
        .addOption(
          new Option('--duplicate', 'accept that an effect may happen once more; one attempt can spend that').conflicts('reject'),
        ),
    input: judgement,
  },
  {
    name: 'recover',
    summary: 'carry out whatever the record names, until a person is needed',
    sends: true,
    operation: () => 'recover',
    session: 'recover',
    options: addAskOptions,
    input: asked,
  },
];

export function addOperations(root: Command, exit: Exit): void {
  addOperationCommands(root, async (request) => {
    const { stdout, stderr, code } = await carryOut(request, ownInstallation());
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    exit(code);
  });
}

/** The commands, each handing over what it was asked. */
export function addOperationCommands(root: Command, act: (request: CarryOutRequest) => Promise<void>): void {
  addSessionCommands(root, act);
  for (const { name, summary, sends, operation, session, options, input } of commands) {
    const command = root
      .command(name)
      .summary(summary)
      .description(`On a state folder, in place: ${summary}. ${refusedWhere(name)}`)
      .argument('<state-dir>', 'a state folder (it holds format.json)')
      .argument('[id]', 'a call, a compilation or a task (default: what the first open task names)');
    options?.(command);
    if (sends) addSendingOptions(command);
    command
      .option('--dry-run', 'say what would be appended and sent, and do nothing', false)
      .option('--json', 'print one JSON document on standard output', false);
    addSubjectOption(command).action((folder: string, id: string | undefined, given: Given & CarryOutOptions) =>
      act({
        command: name,
        operations: { calls: operation(given), ...(session !== undefined && { session }) },
        input: input?.(given) ?? null,
        folder,
        id,
        options: given,
      }),
    );
  }
}

function refusedWhere(name: string): string {
  return name === 'recover' ? 'Refused where a person is needed first.' : 'Refused where the record names another operation.';
}
