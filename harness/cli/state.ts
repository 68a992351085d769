/**
 * `killpoint state <dir>`: the work state of every task, as the inspector of the installed subject projects it.
 *
 * The directory is untrusted: its `format.json` only picks one of the installed subjects, no command comes from it. Not a byte of it is
 * changed; the inspector works on a private copy and refuses while an owner lives.
 */
import type { Command } from 'commander';
import { execa } from 'execa';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Answer, Format } from '../contract/types.js';
import { validateAnswer, validateFormat } from '../contract/validators.js';
import { HarnessError } from '../errors.js';
import { parseCanonical } from '../io/canonical.js';
import { ownInstallation } from '../io/installation.js';
import { limits, readPlainFile } from '../io/read.js';
import { processFacts } from '../process/proc.js';
import { startWatchdog } from '../process/watchdog-client.js';
import { workStateText } from '../report/work-state.js';
import { commandOf, findSubjects, type InstalledSubject, subjectNamed } from '../subject/find.js';
import type { Exit } from './exit.js';

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
  const facts = statSync(state, { throwIfNoEntry: false });
  if (facts === undefined) return refuse('it does not exist');
  if (!facts.isDirectory()) return refuse('it is not a folder');
  if (!existsSync(join(state, 'format.json'))) return refuse('it has no format.json');
  let format: unknown;
  try {
    format = parseCanonical(readPlainFile(join(state, 'format.json'), limits.description).toString('utf8'));
  } catch (error) {
    return refuse(`its format.json cannot be read (${(error as Error).message})`, error);
  }
  if (!validateFormat(format)) return refuse('its format.json names another product or another format');
  return format;
}

/** An inspector that does not answer in this time will not. */
const inspectorMs = 300_000;

async function inspected(state: string, subject: InstalledSubject): Promise<Answer> {
  const private_ = mkdtempSync(join(tmpdir(), 'killpoint-state-'));
  const nonce = randomBytes(16).toString('hex');
  const watchdog = startWatchdog(ownInstallation().watchdog);
  watchdog.expect(nonce, null);
  const interruption = new AbortController();
  const stop = (): void => {
    interruption.abort();
    void watchdog.end();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, stop);
  try {
    const out = join(private_, 'answer.json');
    const scenario = join(private_, 'scenario.json');
    writeFileSync(scenario, '{}\n');
    const command = commandOf(subject, 'inspect', ownInstallation());
    const running = execa(command.file, command.args, {
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
        KILLPOINT_NONCE: nonce,
        KILLPOINT_SCRATCH: mkdtempSync(join(private_, 'scratch-')),
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'ignore'],
      reject: false,
      detached: true,
      timeout: inspectorMs,
      killSignal: 'SIGKILL',
    });
    if (running.pid !== undefined) watchdog.started(nonce, running.pid, processFacts(running.pid)?.startTicks ?? '');
    const run = await running;
    if (interruption.signal.aborted) throw new HarnessError('interrupted', `The look at ${state} was interrupted.`);
    if (run.timedOut) throw new HarnessError('inspection-failed', `${state} could not be inspected within ${inspectorMs} ms.`);
    return answerIn(out, state, run.exitCode, run.stderr);
  } finally {
    // Whatever the inspector left behind still has its name there, and dies with the watchdog.
    await watchdog.end();
    rmSync(private_, { recursive: true, force: true });
  }
}

function answerIn(out: string, state: string, exitCode: number | undefined, stderr: string): Answer {
  const words = stderr.trim().split('\n').at(-1) ?? '';
  const given = validAnswer(out);
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

/** Null where there is no answer, or nothing that is one. */
function validAnswer(path: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(readPlainFile(path, limits.answer, { follow: false }).toString('utf8'));
    return validateAnswer(answer) ? answer : null;
  } catch {
    return null;
  }
}
