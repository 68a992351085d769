/**
 * What a tracer wrote, as it is kept: the calls of a family on durable files of the state folder, and how the role ended. Pure.
 *
 * A call that another thread interrupted is told in two lines; they are joined, at the place where the call was made. Paths of this
 * machine are none of the evidence: the state folder is written `<state>`.
 */
import type { Call } from '../plan/syscall-kill.js';

export interface TraceLine {
  readonly pid: number;
  /** Null for the end of a process. */
  readonly call: Call | null;
  /** `?` where the call never returned; the end in the tracer's words. */
  readonly result: string;
  /** The error with which the tracer had the call fail; null where it did nothing to it. */
  readonly injected: string | null;
  readonly text: string;
}

const mark = '<state>';
/** Where the role was started says nothing about its state. */
const workingFolder = /\bAT_FDCWD<[^>]*>/g;

/** The lines that are kept, of the process `pid`. `folders`: every name of the state folder. */
export function linesOf(raw: string, folders: readonly string[], volatile: readonly string[], pid: number): TraceLine[] {
  return joined(raw).flatMap((line): TraceLine[] => {
    const text = folders
      .reduce((so, folder) => so.replaceAll(folderIn(folder), mark), line)
      .replaceAll(workingFolder, 'AT_FDCWD');
    const [, of = '', words = ''] = /^(\d+) +(.*)$/.exec(text) ?? [];
    const end = /^\+\+\+ (.+) \+\+\+$/.exec(words);
    if (end !== null)
      return Number(of) === pid ? [{ pid, call: null, result: end[1] ?? '', injected: null, text: `${pid} ${words}` }] : [];
    const [, name = '', told = '', result = ''] = /^(\w+)\((.*)\) += (.+)$/.exec(words) ?? [];
    const paths = pathsIn(told).filter((path) => !volatile.includes(path));
    if (paths.length === 0) return [];
    const call: Call = { name, mayChange: !/^open(at)?$/.test(name) || /\bO_CREAT\b/.test(told), paths };
    const [, injected = null] = /^-1 (\w+) .*\(INJECTED\)$/.exec(result) ?? [];
    return [{ pid: Number(of), call, result, injected, text: `${of} ${name}(${told}) = ${result}` }];
  });
}

export function callsOf(lines: readonly TraceLine[]): Call[] {
  return lines.flatMap(({ call }) => call ?? []);
}

export function textOf(lines: readonly TraceLine[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}

function joined(raw: string): string[] {
  const lines: string[] = [];
  const open = new Map<string, number>();
  for (const line of raw.split('\n')) {
    const [, pid = '', words = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(words);
    const at = open.get(pid);
    if (resumed !== null && at !== undefined) {
      lines[at] = `${lines[at] ?? ''}${resumed[1] ?? ''}`;
      open.delete(pid);
    } else if (words.endsWith('<unfinished ...>')) {
      open.set(pid, lines.length);
      lines.push(line.slice(0, -'<unfinished ...>'.length).trimEnd());
    } else if (pid !== '') lines.push(line);
  }
  return lines;
}

/** The folder itself and whatever lies below it, and nothing whose name only begins like it. */
function folderIn(folder: string): RegExp {
  return new RegExp(`(?<=["<])${folder.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=[/">])`, 'g');
}

function pathsIn(told: string): string[] {
  return [...told.matchAll(/["<]<state>(?:\/([^">]*))?[">]/g)].map(([, path = '']) => path);
}
