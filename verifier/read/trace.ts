/**
 * `trace.txt` → the system calls of one role on its durable files, and how it ended, as the tracer told. Pure.
 *
 * Every line must be of the form that the contract gives; anything else, and an unknown name, makes the whole trace unreadable.
 */
import { syscalls } from '../contract/data.js';
import { EvidenceError } from '../errors.js';
import { decodeUtf8 } from './canonical.js';
import type { SyscallKill } from './plan.js';
import { endIn, type ToldEnd } from './power-loss/line.js';

export interface TracedCall {
  readonly name: string;
  /** An open that creates nothing changes nothing. */
  readonly mayChange: boolean;
  /** Below the state folder; empty for the folder itself. */
  readonly paths: readonly string[];
  readonly pid: number;
  /** It never came back. */
  readonly isOpen: boolean;
  /** It came back with what was asked for. */
  readonly isDone: boolean;
  /** The error with which the tracer had it fail; null where it did nothing to it. */
  readonly injected: string | null;
  /** Failed as a disk fails, by nobody's doing. */
  readonly isSick: boolean;
}

export interface Trace {
  readonly calls: readonly TracedCall[];
  readonly end: ToldEnd;
}

const callLine = /^([1-9]\d*) (\w+)\((.*)\) = (.+)$/;

export function readTrace(bytes: Uint8Array, family: SyscallKill['family']): Trace {
  const text = decodeUtf8(bytes);
  if (!text.endsWith('\n')) throw new EvidenceError('wrong-shape', 'The trace does not end with a whole line.');
  const lines = text.slice(0, -1).split('\n');
  const end = endIn(lines.pop() ?? '');
  const names: readonly string[] = syscalls[family];
  const calls = lines.map((line): TracedCall => {
    const [, pid = '', name = '', told = '', result = ''] = callLine.exec(line) ?? [];
    const paths = [...told.matchAll(/["<]<state>(?:\/([^">]*))?[">]/g)].map(([, path = '']) => path);
    if (!names.includes(name) || paths.length === 0)
      throw new EvidenceError('wrong-shape', 'The trace has a line that is no call of its family on the state.');
    const mayChange = (name !== 'open' && name !== 'openat') || /\bO_CREAT\b/.test(told);
    const [, injected = null] = /^-1 (E[A-Z0-9]+) .*\(INJECTED\)$/.exec(result) ?? [];
    const isDone = result !== '?' && !result.startsWith('-1 ');
    const isSick = injected === null && /^-1 E(?:IO|NOSPC)\b/.test(result);
    return { name, mayChange, paths, pid: Number(pid), isOpen: result === '?', isDone, injected, isSick };
  });
  return { calls, end };
}
