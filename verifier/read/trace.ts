/**
 * `trace.txt` → the system calls of one role on its durable files, and how it ended, as the tracer told. Pure.
 *
 * Every line must be of the form that the contract gives; anything else, and an unknown name, makes the whole trace unreadable.
 */
import { syscalls } from '../contract/data.js';
import { EvidenceError } from '../errors.js';
import { decodeUtf8, linesOf } from './canonical.js';
import type { SyscallKill } from './plan.js';
import { endIn, type ToldEnd } from './power-loss/line.js';

export interface TracedCall {
  readonly name: string;
  /** An open that creates nothing changes nothing. */
  readonly mayChange: boolean;
  /** Below the state folder; empty for the folder itself. */
  readonly paths: readonly string[];
  /** The file that its descriptor leads to; null where it has none, or the file has no name any more. */
  readonly on: string | null;
  readonly pid: number;
  /** It never came back. */
  readonly isOpen: boolean;
  /** It came back, and not with an error. A short write is done: it put the bytes that it tells, and is no failure. */
  readonly isDone: boolean;
  /** The error with which the tracer had it fail; null where it did nothing to it. */
  readonly injected: string | null;
  /** Failed as a disk fails, by nobody's doing. */
  readonly isSick: boolean;
  /** What a write that came back put; null of any other call, and of one that put nothing. */
  readonly put: Put | null;
  /** The size that a truncation gave; null of any other call. */
  readonly size: number | null;
}

export interface Put {
  /** Null where the call does not say: where its descriptor had come to. */
  readonly at: number | null;
  /** Of a short write fewer than were asked for. Without a bound where the call does not tell which bytes it put. */
  readonly bytes: number;
}

export interface Trace {
  readonly calls: readonly TracedCall[];
  readonly end: ToldEnd;
}

/** Bytes of files are not told. */
const longestLine = 65_536;
const callLine = /^([1-9]\d*) (\w+)\((.*)\) = (.+)$/;

export function readTrace(bytes: Uint8Array, family: SyscallKill['family']): Trace {
  const text = decodeUtf8(bytes);
  if (!text.endsWith('\n')) throw new EvidenceError('wrong-shape', 'The trace does not end with a whole line.');
  const lines = linesOf(text.slice(0, -1));
  const end = endIn(lines.pop() ?? '');
  const names: readonly string[] = syscalls[family];
  if (lines.some(({ length }) => length > longestLine))
    throw new EvidenceError('wrong-shape', `The trace has a line of more than ${longestLine} characters.`);
  const calls = lines.map((line): TracedCall => {
    const [, pid = '', name = '', told = '', result = ''] = callLine.exec(line) ?? [];
    const absolute = told.replaceAll(/(?<!\d)\d{1,10}<<state>>, "([^"</][^"]*)"/g, '"<state>/$1"');
    const paths = [...absolute.matchAll(/["<]<state>(?:\/([^">]*))?[">]/g)].map(([, path = '']) => path);
    if (!names.includes(name) || paths.length === 0)
      throw new EvidenceError('wrong-shape', 'The trace has a line that is no call of its family on the state.');
    const [, leadsTo = paths[0]] = /^\d+<<state>(?:\/([^>]*))?>$/.exec(result) ?? [];
    if (leadsTo !== paths[0] && /^(?:open|creat)/.test(name))
      throw new EvidenceError('wrong-shape', 'The trace has a descriptor that leads elsewhere than to what was opened.');
    const [, on = null] = /^\d+<<state>\/([^>]*)>(?!\(deleted\))/.exec(told) ?? [];
    const mayChange = (name !== 'open' && name !== 'openat') || /\bO_CREAT\b/.test(told);
    const [, injected = null] = /^-1 (E[A-Z0-9]+) .*\(INJECTED\)$/.exec(result) ?? [];
    const isDone = result !== '?' && !result.startsWith('-1 ');
    const isSick = injected === null && /^-1 E(?:IO|NOSPC)\b/.test(result);
    const done = isDone ? effectOf(name, told.split(', '), result) : { put: null, size: null };
    return { name, mayChange, paths, on, pid: Number(pid), isOpen: result === '?', isDone, injected, isSick, ...done };
  });
  return { calls, end };
}

/** What stands behind the descriptor: a text or several, how many, and where. */
function effectOf(name: string, [, ...rest]: readonly string[], result: string): Pick<TracedCall, 'put' | 'size'> {
  switch (name) {
    case 'write':
    case 'writev':
      return { put: putOf(null, number(result)), size: null };
    case 'pwrite64':
      return { put: putOf(number(rest[2]), number(result)), size: null };
    case 'ftruncate':
    case 'truncate':
      return { put: null, size: number(rest[0]) };
    case 'copy_file_range':
    case 'fallocate':
    case 'pwritev':
    case 'pwritev2':
    case 'sendfile':
      return { put: { at: 0, bytes: Number.MAX_SAFE_INTEGER }, size: null };
    default:
      return { put: null, size: null };
  }
}

function putOf(at: number | null, bytes: number): Put | null {
  return bytes === 0 ? null : { at, bytes };
}

function number(word = ''): number {
  const value = /^\d+$/.test(word) ? Number(word) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new EvidenceError('wrong-shape', 'The trace has a call with a number that is none.');
  return value;
}
