/**
 * A warm process of a subject that looks at one state after another: a line asks, a line answers.
 *
 * Fault model: process crash of the worker, at any state. One that dies has said what it makes of that state: it is refused by `crashed`, and
 * another one goes on. One that says nothing in time proves nothing, nor does one that says what no answer is.
 */
import type { Readable, Writable } from 'node:stream';
import type { ServeAnswer } from '../contract/types.js';
import { validateServeAnswer } from '../contract/validators.js';
import { CaseVoid } from '../errors.js';
import { canonicalLine, parseCanonical } from '../io/canonical.js';
import { killAll, survivorsOf } from '../process/end.js';
import type { RoleProcess } from '../process/spawn.js';
import { within } from '../process/wait.js';
import type { Content } from './content.js';
import { writeState } from './write-state.js';

export interface Worker {
  lookAt(files: ReadonlyMap<string, Content>): Promise<ServeAnswer>;
  /** Nobody of it lives when this resolves. */
  end(): Promise<void>;
}

export interface WorkerRequest {
  /** Starts a process that is spoken to. */
  readonly start: () => RoleProcess;
  /** Private to this worker. */
  readonly folder: string;
  readonly deadlineMs: number;
}

interface Conversation {
  readonly role: RoleProcess;
  /** Null where it died instead. */
  ask(line: string): Promise<string | null>;
}

const crashed: ServeAnswer = { opened: null, refused: { error: 'crashed' }, remade: null };

const endMs = 5000;
const longestAnswer = 4096;

export function createWorker({ start, folder, deadlineMs }: WorkerRequest): Worker {
  let current: Conversation | null = null;
  let answers = 0;
  const [asksToMake, asks] = [true, false].map((make) => canonicalLine({ make, state: folder })) as [string, string];
  return {
    lookAt: async (files) => {
      writeState(files, folder);
      current ??= converse(start());
      const { role, ask } = current;
      const asked = ask(files.has('format.json') ? asks : asksToMake);
      if (!(await within(asked, deadlineMs)))
        throw new CaseVoid('role-deadline', `The serve role did not answer within ${deadlineMs} ms.`);
      const line = await asked;
      if (line !== null) {
        answers += 1;
        return answerIn(line);
      }
      current = null;
      const { code, signal } = await finish(role);
      if (answers > 0 || signal !== null) return crashed;
      // What never answered is no worker at all.
      const words = role.stderr().trim().split('\n').at(-1) ?? '';
      throw new CaseVoid(
        'harness-error',
        `The serve role ended with exit ${code} at its first state${words === '' ? '.' : `: ${words}`}`,
      );
    },
    end: async () => {
      if (current === null) return;
      const { role } = current;
      current = null;
      role.talk?.input.end();
      await within(role.exited, endMs);
      await finish(role);
    },
  };
}

async function finish(role: RoleProcess): Promise<Awaited<RoleProcess['exited']>> {
  killAll(role);
  const exit = await role.exited;
  const survivors = await survivorsOf(role, endMs);
  await within(role.silent, 1000);
  role.release();
  if (survivors.length > 0) throw new CaseVoid('survivors', `Processes outlived the serve role: ${survivors.join(', ')}.`);
  return exit;
}

function answerIn(line: string): ServeAnswer {
  let answer: unknown;
  try {
    answer = parseCanonical(line);
  } catch (error) {
    throw new CaseVoid('harness-error', `The serve role answered what is no canonical JSON.`, { cause: error });
  }
  if (!validateServeAnswer(answer) || (answer.opened === null) === (answer.refused === null))
    throw new CaseVoid('harness-error', 'The serve role answered what is no answer.');
  return answer;
}

function converse(role: RoleProcess): Conversation {
  if (role.talk === null) throw new Error('A worker is spoken to.');
  const { input, output }: { input: Writable; output: Readable } = role.talk;
  let heard = '';
  let over = false;
  let waiting: ((line: string | null) => void) | null = null;
  const look = (): void => {
    const end = heard.indexOf('\n');
    if (waiting === null || (end < 0 && !over && heard.length <= longestAnswer)) return;
    const line = end < 0 ? null : heard.slice(0, end);
    heard = heard.slice(end + 1);
    const tell = waiting;
    waiting = null;
    tell(over && line === null ? null : (line ?? heard));
  };
  output.setEncoding('utf8');
  output.on('data', (text: string) => {
    heard += text;
    look();
  });
  const died = (): void => {
    over = true;
    look();
  };
  output.on('close', died);
  // Somebody that it left behind may hold its output open.
  void role.exited.then(() => setTimeout(died, 100));
  return {
    role,
    ask: (line) =>
      new Promise((resolve) => {
        waiting = resolve;
        if (over) look();
        else input.write(line);
      }),
  };
}
