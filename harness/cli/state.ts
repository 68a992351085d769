/**
 * `killpoint state <dir>`: what a state folder records, as the inspector of the installed subject projects it, and the command that carries
 * out what it names. Changes no byte; refuses while an owner lives.
 */
import type { Command } from 'commander';
import { HarnessError } from '../errors.js';
import { ownInstallation } from '../io/installation.js';
import { sessionText } from '../report/session-state.js';
import { argumentsIn } from '../report/session-words.js';
import { type Place, sessionWayOnLines, wayOnLines, wayOnOfSession, waysOn } from '../report/way-on.js';
import { workStateText } from '../report/work-state.js';
import type { Exit } from './exit.js';
import { addSubjectOption } from './options.js';
import { isSession, placeOf, projectionsOf, sessionOf, type StateFolder, stateFolderAt } from './state-folder.js';

interface Options {
  subject: string[];
  json: boolean;
  frames: boolean;
}

export function addState(root: Command, exit: Exit): void {
  const command = root
    .command('state')
    .summary('show what a state folder records')
    .description(
      'Shows, for every task or for the session of a state folder, what was attempted, what is unresolved and what is safe next, and the command that carries it out. Changes nothing.',
    )
    .argument('<state-dir>', 'a state folder (it holds format.json)')
    .option('--json', 'print the projections as one JSON document', false)
    .option('--frames', 'of a session, with --json: every frame of its log too', false);
  addSubjectOption(command).action(async (folder: string, options: Options) => {
    if (options.frames && !options.json)
      throw new HarnessError('usage', '--frames prints the frames as a part of the JSON document: it goes with --json.');
    const state = stateFolderAt(folder, options.subject, ownInstallation());
    const place = placeOf(state, options.subject);
    const text = isSession(state) ? await textOfSession(state, place, options) : await textOfTasks(state, place, options);
    process.stdout.write(text);
    exit(0);
  });
}

async function textOfTasks(state: StateFolder, place: Place, { json }: Options): Promise<string> {
  const projections = await projectionsOf(state);
  const next = waysOn(projections, place);
  if (json) return `${JSON.stringify({ next, projections, subject: state.subject.description.name })}\n`;
  const text = [...projections.map(workStateText), wayOnLines(next, place).join('\n')].join('\n').trim();
  return `${text || 'No task is recorded.'}\n`;
}

async function textOfSession(state: StateFolder, place: Place, { json, frames }: Options): Promise<string> {
  const { session, log } = await sessionOf(state);
  const given = argumentsIn(session, log);
  const next = wayOnOfSession(session, given, place);
  if (json) {
    const subject = state.subject.description.name;
    return `${JSON.stringify({ arguments: given, ...(frames && { log }), next, session, subject })}\n`;
  }
  return `${sessionText(session, log)}\n${sessionWayOnLines(next, place).join('\n')}\n`;
}
