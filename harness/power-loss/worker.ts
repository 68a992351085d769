/**
 * A warm process of a subject that looks at one state after another: a line asks, a line answers.
 *
 * Fault model: process crash of the worker, at any state. One that dies has said what it makes of that state: it is refused by `crashed`, and
 * another one goes on. One that says nothing in time proves nothing, nor does one that says what no answer is.
 *
 * More states are written, and asked about, while the process still looks at the first: so it need not wait for us. It answers in order,
 * and what it did not come to before it died is asked of the next one.
 */
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ServeAnswer } from '../contract/types.js';
import { validateServeAnswer } from '../contract/validators.js';
import { CaseVoid } from '../errors.js';
import { canonicalLine, parseCanonical } from '../io/canonical.js';
import { killAll, stillThere, survivorsOf } from '../process/end.js';
import type { RoleProcess } from '../process/spawn.js';
import { within } from '../process/wait.js';
import type { Content } from './content.js';
import { writeState } from './write-state.js';

/**
 * How many states a worker takes before it has answered the first of them. Two keep it busy on a machine that does nothing else; where others are
 * before us in the queue of a processor, or we derive for long, four do.
 */
export const statesAtOnce = 4;

export interface Worker {
  /** After it threw, it throws the same for every other state. */
  lookAt(files: ReadonlyMap<string, Content>): Promise<ServeAnswer>;
  /** Throws where it started somebody who lives: it is kept for other states, and nobody else may be. */
  demandAlone(): void;
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

/** A line; or that it died at this state, or before it came to it. */
type Heard = { readonly line: string } | 'died' | 'died-before';

interface Place {
  readonly folder: string;
  readonly asks: string;
  readonly asksToMake: string;
}

interface Conversation {
  readonly role: RoleProcess;
  ask(line: string): Promise<Heard>;
}

const crashed: ServeAnswer = { opened: null, refused: { error: 'crashed' }, remade: null };

const endMs = 5000;
const longestAnswer = 4096;

export function createWorker({ start, folder, deadlineMs }: WorkerRequest): Worker {
  let current: Conversation | null = null;
  let answers = 0;
  // Of the states of one cut most have the same one.
  let last: { readonly line: string; readonly answer: ServeAnswer } | null = null;
  let before: Promise<unknown> = Promise.resolve();
  const free = Array.from({ length: statesAtOnce }, (_none, index) => placeAt(join(folder, `${index}`)));

  const ask = (line: string): { role: RoleProcess; heard: Promise<Heard> } => {
    current ??= converse(start());
    return { role: current.role, heard: current.ask(line) };
  };

  const answerTo = async (line: string, { role, heard }: ReturnType<typeof ask>): Promise<ServeAnswer> => {
    if (!(await within(heard, deadlineMs)))
      throw new CaseVoid('role-deadline', `The serve role did not answer within ${deadlineMs} ms.`);
    const told = await heard;
    if (told === 'died-before') return answerTo(line, ask(line));
    if (told !== 'died') {
      answers += 1;
      if (told.line !== last?.line) last = { line: told.line, answer: answerIn(told.line) };
      return last.answer;
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
  };

  return {
    lookAt: async (files) => {
      const place = free.pop();
      if (place === undefined) throw new Error(`A worker takes ${statesAtOnce} states at once.`);
      writeState(files, place.folder);
      const line = files.has('format.json') ? place.asks : place.asksToMake;
      const asked = ask(line);
      // The time for a state begins when the one before it has its answer.
      const answered = before.then(() => answerTo(line, asked));
      before = answered;
      try {
        return await answered;
      } finally {
        free.push(place);
      }
    },
    demandAlone: () => {
      if (current === null) return;
      const { role } = current;
      demandNobody(stillThere(role).filter((pid) => pid !== role.pid));
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

function placeAt(folder: string): Place {
  const [asksToMake, asks] = [true, false].map((make) => canonicalLine({ make, state: folder })) as [string, string];
  return { folder, asks, asksToMake };
}

async function finish(role: RoleProcess): Promise<Awaited<RoleProcess['exited']>> {
  killAll(role);
  const exit = await role.exited;
  const survivors = await survivorsOf(role, endMs);
  await within(role.silent, 1000);
  role.release();
  demandNobody(survivors);
  return exit;
}

function demandNobody(left: readonly number[]): void {
  if (left.length > 0) throw new CaseVoid('survivors', `Processes outlived the serve role: ${left.join(', ')}.`);
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
  const waiting: ((heard: Heard) => void)[] = [];
  const look = (): void => {
    for (let end = heard.indexOf('\n'); end >= 0 && waiting.length > 0; end = heard.indexOf('\n')) {
      waiting.shift()?.({ line: heard.slice(0, end) });
      heard = heard.slice(end + 1);
    }
    // What is so long without an end is no answer, which is told by who reads it.
    if (heard.length > longestAnswer) waiting.shift()?.({ line: heard });
    if (!over) return;
    waiting.shift()?.('died');
    for (const tell of waiting.splice(0)) tell('died-before');
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
        waiting.push(resolve);
        if (over) look();
        else input.write(line);
      }),
  };
}
