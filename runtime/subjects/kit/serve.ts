/**
 * The frame of a serve role: one warm process that opens one state folder after another, as an owner would, and tells what it holds.
 *
 * One request is one line of canonical JSON, its answer another, in order. Nothing is kept from one line to the next: each state is opened
 * and closed as a process of its own would. A refused state is an answer. What is no request ends the process with 64, what went wrong beyond
 * a refusal with 70: whoever started it then knows that this state has no answer.
 */
import type { ServeAnswer } from '../../contract/types.js';
import { validateServeAnswer } from '../../contract/validators.js';
import { canonical } from '../../core/canonical.js';
import { RuntimeError, type RuntimeErrorCode } from '../../core/errors.js';
import { parseObject } from '../../core/untrusted-json.js';
import { readBlocking, writeWhole } from './descriptor.js';
import { guardEgress } from './egress-guard.js';
import { UsageError } from './environment.js';

/** How many entries a record holds, and the digest of the last one. */
export type Held = NonNullable<ServeAnswer['opened']>;

export const noDigest = '0'.repeat(64);

/** What a subject does with a state folder. Both close whatever they open, and throw `RuntimeError` to refuse. */
export interface Opening {
  /** As an owner that finds it made. */
  open: (state: string) => Held;
  /** As a producer that finds it absent or not finished. */
  make: (state: string) => Held;
}

const [requests, answers] = [0, 1];
const lineMax = 1 << 16;
const lineFeed = 0x0a;
const notMade: ReadonlySet<RuntimeErrorCode> = new Set<RuntimeErrorCode>(['state-absent', 'state-unfinished']);

export function runServe(opening: Opening): void {
  try {
    guardEgress(null);
    for (const line of lines()) writeWhole(answers, `${textOf(answerTo(opening, requestIn(line)))}\n`);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(
      `${isUsage ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = isUsage ? 64 : 70;
  }
}

function* lines(): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(lineMax);
  let held = Buffer.alloc(0);
  for (let read = readBlocking(requests, piece); read > 0; read = readBlocking(requests, piece)) {
    held = Buffer.concat([held, piece.subarray(0, read)]);
    for (let end = held.indexOf(lineFeed); end >= 0; end = held.indexOf(lineFeed)) {
      yield held.subarray(0, end);
      held = held.subarray(end + 1);
    }
    if (held.length > lineMax) throw new UsageError(`A line has more than ${lineMax} bytes, and no request has so many.`);
  }
  if (held.length > 0) throw new UsageError('The input ended in the middle of a line.');
}

interface Request {
  make: boolean;
  state: string;
}

function requestIn(line: Buffer): Request {
  const { make, state, ...others } = parseObject(line) ?? {};
  const isRequest = typeof make === 'boolean' && typeof state === 'string' && state !== '' && Object.keys(others).length === 0;
  if (!isRequest || !line.equals(Buffer.from(JSON.stringify({ make, state }))))
    throw new UsageError('A line is no request, which is canonical JSON with the members "make" and "state" (a folder).');
  return { make, state };
}

function answerTo({ open, make }: Opening, request: Request): ServeAnswer {
  try {
    return { opened: open(request.state), refused: null, remade: null };
  } catch (error) {
    const refused = refusalIn(error);
    if (!request.make || !notMade.has(refused.error)) return { opened: null, refused, remade: null };
    return madeAnew(make, request.state, refused);
  }
}

/** Where it could not be made either, the answer is why not. */
function madeAnew(make: Opening['make'], state: string, refused: { error: RuntimeErrorCode }): ServeAnswer {
  try {
    return { opened: null, refused, remade: make(state) };
  } catch (error) {
    return { opened: null, refused: refusalIn(error), remade: null };
  }
}

function refusalIn(error: unknown): { error: RuntimeErrorCode } {
  if (error instanceof RuntimeError) return { error: error.code };
  throw error;
}

function textOf(answer: ServeAnswer): string {
  if (!validateServeAnswer(answer))
    throw new Error(`The answer has not the shape of its schema: ${JSON.stringify(validateServeAnswer.errors)}`);
  return canonical(answer);
}
