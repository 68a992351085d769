/** `killpoint replay` and `killpoint reduce`: a state that a power loss may have left, rebuilt from a bundle and told in words. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ServeAnswer } from '../contract/types.js';
import { CaseVoid, HarnessError } from '../errors.js';
import { ownInstallation, within } from '../io/installation.js';
import { demandWritableOut, makeFolder, nearestExisting } from '../io/out.js';
import { type ReducedStory, replayText, storyText } from '../report/derived-state.js';
import { itemsOf } from '../power-loss/items.js';
import { type Source, type State, stateAtEnd } from '../power-loss/derive.js';
import { reduce, type Story } from '../power-loss/reduce.js';
import { writeState } from '../power-loss/write-state.js';
import { type Found, findState, occurrenceAt, occurrencesOf } from './derived-state.js';
import type { Exit } from './exit.js';
import { addSubjectOption, fromZero, positive } from './options.js';
import { withServe } from './with-serve.js';

interface Options {
  case: string;
  arm?: string;
  state: number;
  cut?: number;
  subject: string[];
  json: boolean;
}

export function addReplay(root: Command, exit: Exit): void {
  named(root.command('replay'), 'rebuild a state that a power loss may have left')
    .description(
      'Derives a state again from the trace in a bundle, says which operations it kept and lost, and what the subject makes of it. Exit 0 where the bundle says the same of it, or nothing; 1 where it says otherwise.',
    )
    .option('--to <folder>', 'a new or empty folder that the state is written to')
    .action(async (bundle: string, options: Options & { to?: string }) => {
      const found = foundFor(bundle, options);
      const to = options.to === undefined ? null : demandEmpty(resolve(options.to), bundle);
      const shown = options.cut === undefined ? found.state : occurrenceAt(found, options.cut);
      const answer = await looking(() => withServe(found, (lookAt) => lookAt(found.state.files)));
      if (to !== null) {
        makeFolder(to);
        writeState(found.state.files, to);
      }
      process.stdout.write(replayText({ ...found, shown, answer, to }, options.json));
      exit(isAsRecorded(found, answer) ? 0 : 1);
    });
}

export function addReduce(root: Command, exit: Exit): void {
  named(root.command('reduce'), 'find the shortest story of a state that fails')
    .description(
      'Leaves out operations of a trace, and losses, as long as the state that a power loss left still fails in the same way: it is refused, or holds fewer entries than --promised says. Exit 0 where it fails, 1 where it does not. Not looked for: entries that are not those of the record (the finding record-forked) and a subject that misreads what the state holds (recovery-misread); killpoint verify judges these, and replay shows the state.',
    )
    .option(
      '--promised <seq>',
      'how many entries had been promised when the power went, as the finding promise-lost says',
      positive,
    )
    .action(async (bundle: string, options: Options & { promised?: number }) => {
      const found = foundFor(bundle, options);
      const told = await looking(() => storyOf(found, options.promised ?? 0, options.cut));
      process.stdout.write(storyText({ ...found, ...told, promised: options.promised ?? null }, options.json));
      exit(told.story === null ? 1 : 0);
    });
}

function foundFor(bundle: string, { case: caseId, arm, state, subject: subjects }: Options): Found {
  return findState({ bundle, case: caseId, arm, state, subjects }, ownInstallation());
}

function named(command: Command, summary: string): Command {
  command
    .summary(summary)
    .argument('<bundle>', 'the folder of a bundle; it is not changed')
    .requiredOption('--case <id>', 'the case')
    .option('--arm <id>', 'the arm, which is under power loss; need not be named where the case has one such')
    .requiredOption('--state <number>', 'the number of the state, as states.jsonl has it', positive)
    .option('--cut <number>', 'the cut at which it is looked at, where it occurs at several; else the first', fromZero)
    .option('--json', 'print one JSON document on standard output', false);
  return addSubjectOption(command);
}

async function storyOf(
  found: Found,
  promised: number,
  cut: number | undefined,
): Promise<{ answer: ServeAnswer; story: ReducedStory | null }> {
  const { source, powerLoss, state } = found;
  const all = [...source.lines()].filter((line) => line !== '' && !/^\d+ \+\+\+ /.test(line));
  return withServe(found, async (lookAt) => {
    const failing = async ({ files }: Pick<State, 'files'>): Promise<string | null> => failureOf(await lookAt(files), promised);
    const answer = await lookAt(state.files);
    if (failureOf(answer, promised) === null) return { answer, story: null };
    const occurrences =
      cut === undefined && promised > 0 ? occurrencesOf(found) : [cut === undefined ? state : occurrenceAt(found, cut)];
    for (const { cut: at, pending, choice } of occurrences) {
      const lines = all.slice(0, at);
      const whole = stateAtEnd({ ...source, lines: () => lines }, powerLoss, () => true);
      if (promised > 0 && (await failing(whole)) !== null) continue;
      const story = await reduce({ source, lines, parameters: powerLoss, pending, kept: choice.kept, failing });
      return { answer, story: story && { ...story, ...toldBy(story, lines, source), cut: at } };
    }
    throw new HarnessError(
      'usage',
      `Where this state occurs there are fewer than ${promised} entries with nothing lost, too: they cannot have been promised there.`,
    );
  });
}

function toldBy(story: Story, lines: readonly string[], source: Source): Pick<ReducedStory, 'lines' | 'effects'> {
  const told = story.items.map((item) => lines[item - 1] ?? '');
  const begun = [...source.begun].map(([name, bytes]) => [name, bytes.length] as const);
  return { lines: told, effects: [...itemsOf(told, { begun, volatile: source.volatile, withBytes: true })] };
}

/** In the same way: refused by the same word, or too short. What is made anew holds what it then holds. */
function failureOf({ opened, refused, remade }: ServeAnswer, promised: number): string | null {
  const entries = opened?.entries ?? remade?.entries;
  if (entries === undefined) return `refused: ${refused?.error ?? ''}`;
  return entries < promised ? 'fewer entries than were promised' : null;
}

function isAsRecorded({ recorded, state }: Found, answer: ServeAnswer): boolean {
  if (recorded === null) return true;
  const { state: _number, cut, rule, at, sha256, ...said } = recorded;
  const { choice } = state;
  const sameState = cut === state.cut && rule === choice.rule && at === choice.at && sha256 === state.sha256;
  return sameState && JSON.stringify(sorted(said)) === JSON.stringify(sorted(answer));
}

function sorted({ opened, refused, remade }: ServeAnswer): unknown[] {
  return [opened?.entries, opened?.digest, refused?.error, remade?.entries, remade?.digest];
}

/** A worker that proves nothing leaves the answer unknown. */
async function looking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CaseVoid) throw new HarnessError('inspection-failed', error.message, { cause: error });
    throw error;
  }
}

/** Looked at before the subject is asked: a state is written to a folder of its own, and never into the bundle. */
function demandEmpty(folder: string, bundle: string): string {
  const refuse = (why: string): never => {
    throw new HarnessError('usage', `${folder} ${why}. Give a new or empty folder with --to.`);
  };
  if (within(realpathSync(bundle), realpathSync(nearestExisting(folder))))
    return refuse('lies in the bundle, which is not changed');
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === false) return refuse('is no folder');
  if (found !== undefined && readdirSync(folder).length > 0) return refuse('is not empty');
  demandWritableOut(folder, 'A state', '--to');
  return folder;
}
