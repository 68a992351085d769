/**
 * `killpoint state <dir>`: the work state of every task, as the inspector of the installed subject projects it, and the command that carries
 * out what it names. Changes no byte; refuses while an owner lives.
 */
import type { Command } from 'commander';
import { ownInstallation } from '../io/installation.js';
import { wayOnLines, waysOn } from '../report/way-on.js';
import { workStateText } from '../report/work-state.js';
import type { Exit } from './exit.js';
import { addSubjectOption } from './options.js';
import { placeOf, projectionsOf, stateFolderAt } from './state-folder.js';

export function addState(root: Command, exit: Exit): void {
  const command = root
    .command('state')
    .summary('show the work state that a state folder records')
    .description(
      'Shows, for every task of a state folder, what was attempted, what is unresolved and what is safe next, and the command that carries it out. Changes nothing.',
    )
    .argument('<state-dir>', 'a state folder (it holds format.json)')
    .option('--json', 'print the projections as one JSON document', false);
  addSubjectOption(command).action(async (folder: string, options: { subject: string[]; json: boolean }) => {
    const state = stateFolderAt(folder, options.subject, ownInstallation());
    const projections = await projectionsOf(state);
    const place = placeOf(state, options.subject);
    const next = waysOn(projections, place);
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ next, projections, subject: state.subject.description.name })}\n`
        : `${[...projections.map(workStateText), wayOnLines(next, place).join('\n')].join('\n').trim() || 'No task is recorded.'}\n`,
    );
    exit(0);
  });
}
