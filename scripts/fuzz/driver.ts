/**
 * The process that fuzzes one target. Of jsfuzz it takes what changes inputs and what counts coverage, and runs the target
 * itself: jsfuzz's own loop sends each input to another process, which on a busy machine costs a hundred times what reading it
 * costs, and cuts every input at 4 KiB.
 *
 * Two runs with one seed try the same inputs, as far as their time reaches. Each input is written down before it is tried, so
 * that one at which the process dies is known. The time begins when the target is instrumented.
 */
import { openSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface Task {
  /** A module of jsfuzz. */
  readonly fuzzer: string;
  readonly seconds: number;
  readonly seed: number;
  readonly mostBytes: number;
  readonly rssMebibytes: number;
}

export interface Ran {
  readonly executions: number;
  /** Statements, functions and branches that were reached. */
  readonly coverage: number;
  readonly inputs: number;
  readonly seconds: number;
}

interface Corpus {
  maxInputSize: number;
  getLength(): number;
  generateInput(): Buffer;
  putBuffer(bytes: Buffer): void;
}
type Counts = Record<string, number | number[]>;
type Coverage = Record<string, { readonly s: Counts; readonly f: Counts; readonly b: Counts }>;

/** What is tried, with its length before it; in the folder of the target, as all that is named here. */
const triedName = 'tried';
const task = JSON.parse(process.argv[2] ?? '') as Task;
const ofFuzzer = createRequire(task.fuzzer);
const here = createRequire(join(process.cwd(), 'target.cjs'));
const covered = instrument();
const { fuzz } = here('./target.cjs') as { fuzz(bytes: Buffer): void };
const { Corpus: Made } = ofFuzzer('./corpus.js') as { Corpus: new (folders: string[], isOnlyAscii: boolean) => Corpus };
Math.random = drawnFrom(task.seed);
const corpus = new Made(['corpus'], false);
corpus.maxInputSize = task.mostBytes;
loop();

function loop(): void {
  const tried = openSync(triedName, 'w');
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 100) / 10;
  let [executions, coverage] = [0, 0];
  const save = (): void => {
    const ran: Ran = { executions, coverage, inputs: corpus.getLength(), seconds: seconds() };
    writeFileSync('summary.json', JSON.stringify(ran));
  };
  while (performance.now() - began < task.seconds * 1000) {
    const bytes = Buffer.from(corpus.generateInput());
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    writeSync(tried, Buffer.concat([length, bytes]), 0, 4 + bytes.length, 0);
    executions += 1;
    // A target may change what it is given.
    const wrong = found(Buffer.from(bytes));
    if (wrong !== null) {
      process.stdout.write(`${wrong}\n`);
      writeFileSync('crash', bytes);
      break;
    }
    const now = covered();
    if (now > coverage) corpus.putBuffer(bytes);
    coverage = Math.max(now, coverage);
    if (executions % 100 === 0) save();
  }
  save();
}

function found(bytes: Buffer): string | null {
  try {
    fuzz(bytes);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const rss = process.memoryUsage.rss();
  return rss > task.rssMebibytes * 2 ** 20 ? `It held ${rss} bytes of memory.` : null;
}

/** Of everything that is loaded from here on; returns how much of it was reached so far. */
function instrument(): () => number {
  const { createInstrumenter } = ofFuzzer('istanbul-lib-instrument') as {
    createInstrumenter(options: object): { instrumentSync(code: string, path: string): string };
  };
  const { hookRequire } = ofFuzzer('istanbul-lib-hook') as {
    hookRequire(matches: () => boolean, transform: (code: string, from: { filename: string }) => string): void;
  };
  const instrumenter = createInstrumenter({ compact: true });
  hookRequire(
    () => true,
    (code, { filename }) => instrumenter.instrumentSync(code, filename),
  );
  const files = new Set<string>();
  let [open, reached]: [[Counts | number[], string][], number] = [[], 0];
  return () => {
    const all = (globalThis as { __coverage__?: Coverage }).__coverage__ ?? {};
    for (const [path, { s, f, b }] of Object.entries(all)) {
      if (files.has(path)) continue;
      files.add(path);
      for (const counts of [s, f, ...Object.values(b)])
        for (const name of Object.keys(counts)) open.push([counts as Counts, name]);
    }
    const left = open.filter(([counts, name]) => (counts as Counts)[name] === 0);
    reached += open.length - left.length;
    open = left;
    return reached;
  };
}

/** mulberry32. */
function drawnFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
