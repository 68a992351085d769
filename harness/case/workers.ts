/**
 * The warm workers of one run, kept from one arm to the next: a process that has looked at a thousand states takes half the time for the next one
 * that it takes at its start.
 *
 * Fault model: as that of a worker. Those of an arm that failed are ended with it and never used again; those of an arm that went well have left nobody
 * behind, so that nothing of one case lives on in another.
 */
import { join } from 'node:path';
import { makeMemoryFolder } from '../io/memory-folder.js';
import type { WorkFolder } from '../io/work-folder.js';
import type { Worker } from '../power-loss/worker.js';

export interface Workers {
  /** So many that nobody else uses meanwhile. */
  use<T>(count: number, work: (workers: readonly Worker[]) => Promise<T>): Promise<T>;
  /** Nobody of them lives when this resolves. */
  end(): Promise<void>;
}

/** `make` gets a folder of its own for each of them. */
export function createWorkers(make: (folder: string) => Worker): Workers {
  let memory: WorkFolder | null = null;
  let made = 0;
  const free: Worker[] = [];
  const another = (): Worker => {
    memory ??= makeMemoryFolder('killpoint-states');
    made += 1;
    return make(join(memory.path, `worker-${made}`));
  };
  const end = async (workers: readonly Worker[]): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.end()));
  };
  return {
    use: async (count, work) => {
      const workers = Array.from({ length: count }, () => free.pop() ?? another());
      try {
        const result = await work(workers);
        for (const worker of workers) worker.demandAlone();
        free.push(...workers);
        return result;
      } catch (error) {
        await end(workers);
        throw error;
      }
    },
    end: async () => {
      try {
        await end(free.splice(0));
      } finally {
        memory?.remove();
      }
    },
  };
}
