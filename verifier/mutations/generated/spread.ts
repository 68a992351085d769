/**
 * The generated mutants of a bundle on all cores: one thread for each, which reads the bundle itself and makes its share. Where there are no
 * compiled threads (from source, or as one file), or nothing to share, all of it is done here.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Memory } from '../../read/memory.js';
import type { Tree } from '../../read/tree.js';
import type { Choice } from './choose.js';
import { reportOf, type Generated } from './report.js';
import { goodOf, shareOf, type Done, type Share } from './run.js';

export interface Task {
  /** The folder of the bundle. */
  readonly folder: string;
  readonly choice: Choice;
  readonly share: Share;
}

const thread = new URL('./thread.js', import.meta.url);

/** `tree`: the bundle that lies in the folder, found valid with this memory. */
export async function generated(folder: string, tree: Tree, memory: Memory, choice: Choice): Promise<Generated> {
  const threads = existsSync(fileURLToPath(thread)) ? availableParallelism() : 1;
  if (threads === 1) return reportOf([shareOf(goodOf(tree, memory), choice, { number: 0, of: 1 })], choice);
  const shares = Array.from({ length: threads - 1 }, (_share, index) =>
    inThread({ folder, choice, share: { number: index + 1, of: threads } }),
  );
  // A thread starts while this one works: its own share is the first.
  const own = await inTurn(() => shareOf(goodOf(tree, memory), choice, { number: 0, of: threads }));
  return reportOf([own, ...(await Promise.all(shares))], choice);
}

/** After what was started has begun. */
function inTurn<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

function inThread(task: Task): Promise<Done> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(thread, { workerData: task });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`A thread ended with ${code} and gave no outcomes.`)));
  });
}
