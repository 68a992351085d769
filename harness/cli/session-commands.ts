/** What an owner does to a session besides resuming it: `send`, `approve`, `cancel`, each on a state folder of theirs, in place. */
import { Option, type Command } from 'commander';
import type { CarryOutOptions, CarryOutRequest } from './acting.js';
import { addSendingOptions, empty, nameOf } from './inputs.js';
import { addSubjectOption } from './options.js';

type Act = (request: CarryOutRequest) => Promise<void>;
type Options = Omit<CarryOutOptions, 'dryRun'>;

export function addSessionCommands(root: Command, act: Act): void {
  const send = addSendingOptions(
    folderCommand(root, 'send', 'start a run with a message; one that is open is closed out first')
      .requiredOption('--run-id <id>', 'a new id for the run; the same id with the same text is the same run')
      .requiredOption('--text <text>', 'the message'),
  );
  finished(send).action((folder: string, options: Options & { runId: string; text: string }) => {
    if (options.runId === '') throw empty('--run-id');
    if (options.text === '') throw empty('--text');
    return act(request('send', { run_id: options.runId, text: options.text }, folder, options));
  });

  const approve = folderCommand(root, 'approve', 'answer whether a call may be dispatched')
    .argument('<tool_call_id>', 'the call that waits for an answer, by the id that the model gave it')
    .option('--deny', 'never dispatch it', false)
    .option('--by <name>', 'who says so (default: your login name)');
  finished(approve).action((folder: string, id: string, options: Options & { deny: boolean; by?: string }) => {
    if (id === '') throw empty('<tool_call_id>');
    const decision = options.deny ? 'denied' : 'approved';
    return act(request('approve', { tool_call_id: id, decision, by: nameOf(options.by) }, folder, options));
  });

  const cancel = folderCommand(root, 'cancel', 'ask the open run to end; a resume or send then seals it').addOption(
    new Option('--at <when>', 'when a run that goes on takes it up').choices(['step_boundary', 'now']).default('step_boundary'),
  );
  finished(cancel).action((folder: string, options: Options & { at: string }) =>
    act(request('cancel', { at: options.at }, folder, options)),
  );
}

function folderCommand(root: Command, name: string, summary: string): Command {
  return root
    .command(name)
    .summary(`of a session: ${summary}`)
    .description(`On the state folder of a session, in place: ${summary}.`)
    .argument('<state-dir>', 'a state folder (it holds format.json)');
}

function finished(command: Command): Command {
  return addSubjectOption(command.option('--json', 'print one JSON document on standard output', false));
}

function request(command: string, input: object, folder: string, options: Options): CarryOutRequest {
  return { command, operations: { session: command }, input, folder, id: undefined, options: { ...options, dryRun: false } };
}
