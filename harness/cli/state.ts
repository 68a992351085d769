/**
 * `killpoint state <dir>`: the work state of every task, as the inspector of the installed subject projects it.
 *
 * The directory is untrusted: its `format.json` only picks one of the installed subjects, no command comes from it. Not a byte of it is
 * changed; the inspector works on a private copy and refuses while an owner lives.
 */
import type { Command } from 'commander';
import { execa } from 'execa';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Answer, Format } from '../contract/types.js';
import { validateAnswer, validateFormat } from '../contract/validators.js';
import { HarnessError } from '../errors.js';
import { parseCanonical } from '../io/canonical.js';
import { ownInstallation } from '../io/installation.js';
import { workStateText } from '../report/work-state.js';
import { commandOf, findSubjects, type InstalledSubject, subjectNamed } from '../subject/find.js';
import type { Exit } from './main.js';

export function addState(root: Command, exit: Exit): void {
  root
    .command('state')
    .summary('show the work state that a state folder records')
    .description(
      'Shows, for every task of a state folder, what was attempted, what is unresolved and what is safe next. Changes nothing.',
    )
    .argument('<state-dir>', 'a state folder (it holds format.json)')
    .option(
      '--subject <dir>',
      'a folder with a subject.json; may be repeated',
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option('--json', 'print the projections as one JSON document', false)
    .action(async (folder: string, options: { subject: string[]; json: boolean }) => {
      const state = resolve(folder);
      const subject = subjectNamed(findSubjects(ownInstallation(), options.subject), formatOf(state).subject);
      const projections = (await inspected(state, subject)).projections ?? [];
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ projections, subject: subject.description.name })}\n`
          : projections.map(workStateText).join('\n') || 'No task is recorded.\n',
      );
      exit(0);
    });
}

function formatOf(state: string): Format {
  const refuse = (why: string, cause?: unknown): never => {
    throw new HarnessError('state-unreadable', `${state} is not a state folder of killpoint: ${why}.`, { cause });
  };
  if (!existsSync(state)) return refuse('it does not exist');
  if (!statSync(state).isDirectory()) return refuse('it is not a folder');
  if (!existsSync(join(state, 'format.json'))) return refuse('it has no format.json');
  let format: unknown;
  try {
    format = parseCanonical(readFileSync(join(state, 'format.json'), 'utf8'));
  } catch (error) {
    return refuse(`its format.json cannot be read (${(error as Error).message})`, error);
  }
  if (!validateFormat(format)) return refuse('its format.json names another product or another format');
  return format;
}

async function inspected(state: string, subject: InstalledSubject): Promise<Answer> {
  const private_ = mkdtempSync(join(tmpdir(), 'killpoint-state-'));
  try {
    const out = join(private_, 'answer.json');
    const scenario = join(private_, 'scenario.json');
    writeFileSync(scenario, '{}\n');
    const command = commandOf(subject, 'inspect', ownInstallation());
    const run = await execa(command.file, command.args, {
      cwd: subject.folder,
      extendEnv: false,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        TZ: 'UTC',
        LANG: 'C.UTF-8',
        KILLPOINT_STATE: state,
        KILLPOINT_PROVIDER_URL: '',
        KILLPOINT_SCENARIO: scenario,
        KILLPOINT_OUT: out,
        KILLPOINT_NONCE: randomBytes(16).toString('hex'),
        KILLPOINT_SCRATCH: mkdtempSync(join(private_, 'scratch-')),
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'ignore'],
      reject: false,
    });
    return answerIn(out, state, run.exitCode, run.stderr);
  } finally {
    rmSync(private_, { recursive: true, force: true });
  }
}

function answerIn(out: string, state: string, exitCode: number | undefined, stderr: string): Answer {
  const words = stderr.trim().split('\n').at(-1) ?? '';
  const answer = existsSync(out) ? (JSON.parse(readFileSync(out, 'utf8')) as unknown) : null;
  const given = answer !== null && validateAnswer(answer) ? answer : null;
  if (given?.refusal?.error === 'OwnerAlive' || /OwnerAlive/.test(words)) {
    throw new HarnessError('owner-alive', `${state} is owned by a living process; its state can be read when that has ended.`);
  }
  // Exit 64 is the inspector's own refusal, in its own sentence.
  if (exitCode === 64 && words !== '') throw new HarnessError('inspection-failed', `${state} cannot be inspected. ${words}`);
  if (exitCode !== 0 || given === null) {
    throw new HarnessError(
      'inspection-failed',
      `${state} could not be inspected (${exitCode === undefined ? 'ended by a signal' : `exit ${exitCode}`})${words === '' ? '.' : `: ${words}`}`,
    );
  }
  return given;
}
