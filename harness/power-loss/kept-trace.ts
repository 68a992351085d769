/**
 * What a tracer wrote of a role, line by line, as it is kept for the derivation: the items of a trace under power loss. Pure.
 *
 * Items stand in the order in which their calls were entered. Paths of this machine are none of the evidence: the state folder is written
 * `<state>`, and of what lies elsewhere only that it does. The bytes of files are never touched. What the model does not know is kept, so
 * that it cannot be missed.
 */
import { posix } from 'node:path';
import { bytesIn, descriptorIn, quoted, readCall, type ToldCall } from './strace-text.js';

export interface Watched {
  readonly pid: number;
  /** Every name of the state folder, and of the file that the role's answer becomes. */
  readonly folders: readonly string[];
  readonly answers: readonly string[];
  readonly volatile: readonly string[];
  /** The path of the provider's URL, without a slash at its end. */
  readonly prefix: string;
}

export const stateMark = '<state>';
const elsewhere = '<outside>';

/** Where a call has paths: the place of each, and of the descriptor that it is relative to. */
const paths: Readonly<Record<string, readonly (readonly [at: number, folder?: number])[]>> = {
  open: [[0]],
  creat: [[0]],
  truncate: [[0]],
  unlink: [[0]],
  rmdir: [[0]],
  mkdir: [[0]],
  rename: [[0], [1]],
  link: [[0], [1]],
  symlink: [[1]],
  openat: [[1, 0]],
  unlinkat: [[1, 0]],
  mkdirat: [[1, 0]],
  symlinkat: [[2, 1]],
  renameat: [
    [1, 0],
    [3, 2],
  ],
  renameat2: [
    [1, 0],
    [3, 2],
  ],
  linkat: [
    [1, 0],
    [3, 2],
  ],
};

const namesPaths = new RegExp(`^\\d+ +(?:${Object.keys(paths).join('|')})\\(`);

/** The calls that may be the first of a request. */
const sends: ReadonlySet<string> = new Set(['write', 'writev', 'sendto', 'sendmsg']);
/** They concern no single file. */
const ofEverything: ReadonlySet<string> = new Set(['sync', 'io_uring_setup']);

export function* keptTrace(raw: Iterable<string>, watched: Watched): Generator<string> {
  let answered = false;
  // Where each process is, by the last of its calls that told it.
  const working = new Map<string, string>();
  for (const line of joined(raw)) {
    const [, pid, folder] = /^(\d+) +\w+\(AT_FDCWD<([^>]*)>/.exec(line) ?? [];
    if (pid !== undefined && folder !== undefined) working.set(pid, folder);
    const end = /^(\d+) +(\+\+\+ .+ \+\+\+)$/.exec(line);
    if (end !== null && Number(end[1]) === watched.pid) yield `${watched.pid} ${end[2] ?? ''}`;
    if (end !== null || !mayConcern(line, watched)) continue;
    const call = readCall(line);
    if (call === null) continue;
    const kept = keptCall(call, watched, working.get(String(call.pid)) ?? '/');
    const request = kept === null ? requestIn(call, watched) : null;
    if (kept !== null) yield `${call.pid} ${kept}`;
    // A tool of the role may send one: it leaves the same machine, at this place among the items.
    else if (request !== null) yield `${watched.pid} ${request}`;
    else if (!answered && isAnswer(call, watched)) {
      answered = true;
      yield `${call.pid} answer() = ?`;
    }
  }
}

/** A quick look, which spares most lines the slow one. */
function mayConcern(line: string, { folders, answers }: Watched): boolean {
  return (
    folders.some((folder) => line.includes(folder)) ||
    answers.some((answer) => line.includes(answer)) ||
    line.includes(' HTTP/1.') ||
    // A path may be relative.
    namesPaths.test(line) ||
    /^\d+ +(?:sync|io_uring_setup)\(/.test(line) ||
    // A request with a byte that is no ASCII text.
    (/^\d+ +(?:write|writev|sendto|sendmsg)\(\d+<(?:socket|TCP)/.test(line) && line.includes('\\x48\\x54\\x54\\x50'))
  );
}

/** A call that another one interrupted is told in two lines; it is one, at the place where it was entered. */
function* joined(raw: Iterable<string>): Generator<string> {
  const waiting: { text: string; pid: string; open: boolean }[] = [];
  for (const line of raw) {
    const pid = /^\d+/.exec(line)?.[0];
    if (pid === undefined) continue;
    const resumed = /^\d+ +<\.\.\. \w+ resumed>/.exec(line);
    const begun = resumed === null ? undefined : waiting.find((one) => one.open && one.pid === pid);
    if (begun !== undefined) {
      begun.text += line.slice(resumed?.[0].length);
      begun.open = false;
    } else {
      const open = line.endsWith('<unfinished ...>');
      waiting.push({ text: open ? line.slice(0, -'<unfinished ...>'.length).trimEnd() : line, pid, open });
    }
    while (waiting[0]?.open === false) yield waiting.shift()?.text ?? '';
  }
  for (const { text } of waiting) yield text;
}

/** Null where the call is on no durable file of the state, or is left out. `working`: the folder that it works in. */
function keptCall(call: ToldCall, watched: Watched, working: string): string | null {
  const { name, args, result } = call;
  if (result.startsWith('-1 ') || isLeftOut(call)) return null;
  if (ofEverything.has(name)) return `${name}(${args.join(', ')}) = ${result}`;
  const touched: string[] = [];
  const within = (path: string): string | null => {
    const below = belowState(path, watched.folders);
    if (below !== null) touched.push(below);
    return below;
  };
  const ofDescriptor = (told: string): string => {
    const found = descriptorIn(told);
    if (found === null || found.number === 'AT_FDCWD') return found === null ? told : 'AT_FDCWD';
    const below = within(found.path);
    const deleted = told.endsWith('(deleted)') ? '(deleted)' : '';
    return `${found.number}<${below === null ? elsewhere : stateMark + below}>${deleted}`;
  };
  const own = paths[name] ?? [];
  const rewritten = args.map((told, at): string => {
    const place = own.find(([path]) => path === at);
    if (place === undefined)
      return own.some(([, folder]) => folder === at) ? withoutPath(told, ofFolder(told, watched)) : ofDescriptor(told);
    const below = within(
      resolved(told, place[1] === undefined ? working : (descriptorIn(args[place[1]] ?? '')?.path ?? working)),
    );
    return below === null ? quoted(Buffer.from(elsewhere)) : `"${stateMark}${below}"`;
  });
  const told = `${name}(${rewritten.join(', ')}) = ${ofDescriptor(result)}`;
  // A change of name between durable and volatile is kept: no model knows it.
  return touched.some((path) => !watched.volatile.includes(path.slice(1))) ? told : null;
}

/** The folder that a path is relative to: its path is in the one that it makes. */
function ofFolder(told: string, { folders }: Watched): string {
  const path = descriptorIn(told)?.path;
  return path === undefined || belowState(path, folders) === null ? elsewhere : stateMark;
}

function withoutPath(told: string, mark: string): string {
  const found = descriptorIn(told);
  if (found === null || found.number === 'AT_FDCWD') return found === null ? told : 'AT_FDCWD';
  return `${found.number}<${mark}>`;
}

function isLeftOut({ name, args }: ToldCall): boolean {
  if (name === 'close') return true;
  if (name === 'fcntl') return !/^F_(?:DUPFD|SETFL\b)/.test(args[1] ?? '');
  return name === 'mmap' && !(/\bPROT_WRITE\b/.test(args[2] ?? '') && /\bMAP_SHARED/.test(args[3] ?? ''));
}

/** What follows the folder's own name: empty, or a slash and more; null elsewhere. */
function belowState(path: string, folders: readonly string[]): string | null {
  for (const folder of folders) {
    if (path === folder) return '';
    if (path.startsWith(`${folder}/`)) return path.slice(folder.length);
  }
  return null;
}

function resolved(told: string, folder: string): string {
  return posix.resolve(folder, bytesIn(told)?.toString('latin1') ?? '');
}

function isAnswer({ name, args, result }: ToldCall, { answers }: Watched): boolean {
  if (!/^p?write/.test(name) || result.startsWith('-1 ')) return false;
  const path = descriptorIn(args[0] ?? '')?.path;
  return path !== undefined && answers.some((answer) => path.startsWith(answer));
}

/** The beginning of a request to the provider. It is on its way when the call is entered, whatever else becomes of the call. */
function requestIn({ name, args, result }: ToldCall, { prefix }: Watched): string | null {
  // Nothing has left yet: it is tried again.
  if (/^-1 E(?:AGAIN|INTR)\b/.test(result)) return null;
  if (!sends.has(name) || !/^(?:socket|TCP)/.test(descriptorIn(args[0] ?? '')?.path ?? '')) return null;
  const text = textSent(args[1] ?? '').toString('latin1');
  const [, method = '', target = '', headers = ''] = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n(.*?)(?:\r\n\r\n|$)/s.exec(text) ?? [];
  if (method === '' || !target.startsWith(`${prefix}/`)) return null;
  const key = /(?:^|\r\n)idempotency-key:[ \t]*([^\r]*?)[ \t]*(?:\r\n|$)/i.exec(headers)?.[1] ?? '';
  const told = [method, target.slice(prefix.length), key].map((word) => quoted(Buffer.from(word, 'latin1')));
  return `request(${told.join(', ')}) = ?`;
}

/** One text, or several in a row. */
function textSent(told: string): Buffer {
  const whole = bytesIn(told);
  if (whole !== null) return whole;
  const pieces = told.match(/(?<=iov_base=)"(?:[^"\\]|\\.)*"/gs) ?? [];
  return Buffer.concat(pieces.map((piece) => bytesIn(piece) ?? Buffer.alloc(0)));
}
