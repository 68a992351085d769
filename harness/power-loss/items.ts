/**
 * The items of a kept trace: what each one changes, makes durable or asks for. Pure.
 */
import { createFiles, type FilesRequest } from './files.js';
import type { Effect } from './pieces.js';
import { bytesIn, readCall, type ToldCall } from './strace-text.js';
import { Unmodelled } from './unmodelled.js';

export interface Item extends Effect {
  readonly number: number;
}

/** A text of 1 MiB, each byte of it told in four characters, and what stands around it. */
export const longestItem = 4 * 1_048_576 + 65_536;

const ended = /^(\d+) \+\+\+ .+ \+\+\+$/;

/** Behind the end of the role there is nothing. */
export function* itemsOf(lines: Iterable<string>, request: FilesRequest): Generator<Item> {
  const files = createFiles(request);
  const pids = new Set<string>();
  let number = 0;
  let isOver = false;
  for (const line of lines) {
    if (line === '') continue;
    if (line.length > longestItem) throw new Unmodelled(`Item ${number + 1} is a line of more than ${longestItem} characters.`);
    if (isOver) throw new Unmodelled('The trace goes on behind the end of the role.');
    // One pid in all lines: the end names the role's own thread, and every other line must be of it.
    pids.add(/^\d+/.exec(line)?.[0] ?? '');
    if (pids.size > 1) throw new Unmodelled('Another thread than the first one acted on the state.');
    isOver = ended.test(line);
    if (isOver) continue;
    const call = readCall(line);
    if (call === null) throw new Unmodelled(`Item ${number + 1} is no call.`);
    number += 1;
    files.tell(line.length);
    yield { number, ...effectOf(call, number, files.take) };
  }
}

function effectOf(call: ToldCall, item: number, take: (call: ToldCall, item: number) => Effect): Effect {
  if (call.name === 'answer') return { pieces: [], sync: null, request: null };
  if (call.name !== 'request') return take(call, item);
  const [method, path, key] = call.args.map((told) => bytesIn(told)?.toString('utf8'));
  if (method === undefined || path === undefined || key === undefined)
    throw new Unmodelled(`Item ${item} is a request without its words.`);
  return { pieces: [], sync: null, request: { item, method, path, key } };
}
