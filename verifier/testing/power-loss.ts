/**
 * What a tracer would have told of a role that made a ledger and wrote three commits to it, and what a subject would have made of each state that a power
 * loss may leave: `trace.txt`, `derivation.json` and `states.jsonl` of an arm.
 */
import type { DerivedState, Derivation as Counted } from '../contract/types.js';
import { canonical } from '../read/canonical.js';
import { noDigest } from '../read/events.js';
import { readLedger } from '../read/ledger.js';
import { Memory } from '../read/memory.js';
import { Derivation, type LostState } from '../read/power-loss/derive.js';
import type { Ran } from './ran.js';

type Files = Map<string, Buffer>;
type Held = NonNullable<DerivedState['opened']>;

const headerBytes = 32;
const frameBytes = 24 + 4096;
const creates = 'O_WRONLY|O_CREAT|O_EXCL|O_TRUNC|O_CLOEXEC, 0666';

export function writeLoss(files: Files, folder: string, { book, loss, crash }: Ran): void {
  if (crash?.model !== 'power-loss' || loss === undefined) throw new Error('A power loss has its commits.');
  const calls = callsOf((name) => files.get(`${folder}state/${name}`) ?? Buffer.alloc(0), loss.before);
  const lines = [...calls.map((call) => `${book.pid} ${call}\n`), `${book.pid} +++ exited with 0 +++\n`];
  const trace = Buffer.from(lines.join(''));
  files.set(`${folder}trace.txt`, trace);
  const { persistence, subsets, seed } = crash;
  const derivation = new Derivation(trace, new Map(), { persistence, subsets, seed });
  const memory = new Memory();
  const told = [...derivation.filesOf(derivation.states)].map(([state, held]) => lineOf(state, held, memory));
  files.set(`${folder}states.jsonl`, Buffer.from(told.map((line) => `${canonical(line)}\n`).join('')));
  const count = (what: 'opened' | 'refused' | 'remade'): number => told.filter((line) => line[what] !== null).length;
  const beginnings = beginningsIn(derivation, told, folder.split('/').at(-2) ?? '', book.provider.lines.length);
  const counts: Counted = {
    ...{ ...derivation.counts, examined: told.length, workers: 2 },
    ...{ opened: count('opened'), refused: count('refused'), remade: count('remade'), beginnings },
  };
  files.set(`${folder}derivation.json`, Buffer.from(`${canonical(counts)}\n`));
}

/** Its one request had all the receipts. */
function beginningsIn(
  { states, requests }: Derivation,
  told: readonly DerivedState[],
  arm: string,
  receiptLines: number,
): NonNullable<Counted['beginnings']> {
  const [{ item } = { item: Number.MAX_SAFE_INTEGER }] = requests;
  const all = states.flatMap(({ number, occurrences }) => occurrences.map(({ cut, place }) => ({ state: number, cut, place })));
  all.sort((left, right) => left.place - right.place);
  const found = new Map<string, NonNullable<Counted['beginnings']>[number]>();
  for (const { state, cut } of all) {
    const opened = told[state - 1]?.opened;
    const receipts = cut < item ? 0 : receiptLines;
    const snapshot = `${arm}-${opened == null ? 'unmade' : `n${opened.entries}`}-r${receipts}`;
    if (!found.has(snapshot)) found.set(snapshot, { snapshot, state, cut, receipts });
  }
  return [...found.values()];
}

function lineOf(
  { number, sha256, occurrences: [first] }: LostState,
  held: ReadonlyMap<string, Buffer>,
  memory: Memory,
): DerivedState {
  const { cut, rule, at } = first;
  const line = { state: number, cut, rule, at, sha256, opened: null, refused: null, remade: null };
  const database = held.get('ledger.sqlite');
  if (!held.has('format.json') || database === undefined)
    return { ...line, refused: { error: 'state-unfinished' }, remade: { entries: 0, digest: noDigest } };
  const { events } = readLedger(database, held.get('ledger.sqlite-wal'), memory, true);
  return { ...line, opened: { entries: events.length, digest: events.at(-1)?.digest ?? noDigest } satisfies Held };
}

function callsOf(bytesOf: (name: string) => Buffer, before: number): string[] {
  const log = bytesOf('ledger.sqlite-wal');
  const path = (name: string): string => `"<state>/${name}"`;
  const put = (call: 'write' | 'pwrite64', number: number, name: string, bytes: Buffer, at?: number): string =>
    `${call}(${number}<<state>/${name}>, ${quoted(bytes)}, ${bytes.length}${at === undefined ? '' : `, ${at}`}) = ${bytes.length}`;
  const commits = commitsIn(log).map(({ from, to }, index): string[] => [
    ...(from === headerBytes ? [put('pwrite64', 23, 'ledger.sqlite-wal', log.subarray(0, headerBytes), 0)] : []),
    ...framesIn(from, to).map((at) => put('pwrite64', 23, 'ledger.sqlite-wal', log.subarray(at, at + frameBytes), at)),
    'fsync(23<<state>/ledger.sqlite-wal>) = 0',
    ...(index === 0 ? ['fsync(21<<state>>) = 0'] : []),
  ]);
  return [
    'openat(AT_FDCWD</>, "<state>", O_RDONLY|O_CLOEXEC) = 21<<state>>',
    `openat(AT_FDCWD</>, ${path('ledger.sqlite.new')}, O_RDWR|O_CREAT|O_NOFOLLOW|O_CLOEXEC, 0644) = 20<<state>/ledger.sqlite.new>`,
    put('pwrite64', 20, 'ledger.sqlite.new', bytesOf('ledger.sqlite'), 0),
    'fsync(20<<state>/ledger.sqlite.new>) = 0',
    `rename(${path('ledger.sqlite.new')}, ${path('ledger.sqlite')}) = 0`,
    'fsync(21<<state>>) = 0',
    `openat(AT_FDCWD</>, ${path('format.json.new')}, ${creates}) = 22<<state>/format.json.new>`,
    put('write', 22, 'format.json.new', bytesOf('format.json')),
    'fsync(22<<state>/format.json.new>) = 0',
    `rename(${path('format.json.new')}, ${path('format.json')}) = 0`,
    'fsync(21<<state>>) = 0',
    `openat(AT_FDCWD</>, ${path('ledger.sqlite-wal')}, O_RDWR|O_CREAT|O_NOFOLLOW|O_CLOEXEC, 0644) = 23<<state>/ledger.sqlite-wal>`,
    ...commits.slice(0, before).flat(),
    'request("POST", "/v1/chat/completions", "key-1") = ?',
    ...commits.slice(before).flat(),
    'answer() = ?',
  ];
}

/** A commit ends with the frame that tells how many pages there are. */
function commitsIn(log: Buffer): { from: number; to: number }[] {
  const ends = framesIn(headerBytes, log.length).filter((at) => log.readUInt32BE(at + 4) > 0);
  return ends.map((at, index) => ({ from: (ends[index - 1] ?? headerBytes - frameBytes) + frameBytes, to: at + frameBytes }));
}

function framesIn(from: number, to: number): number[] {
  const count = Math.floor((to - from) / frameBytes);
  return Array.from({ length: count }, (_frame, index) => from + index * frameBytes);
}

function quoted(bytes: Buffer): string {
  return `"${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
}
