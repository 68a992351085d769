/** Warm workers are kept for the next arm of a run, and only those of an arm that went well. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import type { Worker } from '../power-loss/worker.js';
import { createWorkers } from './workers.js';

/** Workers that note what is asked of them. */
function noted() {
  const folders: string[] = [];
  const ended: Worker[] = [];
  const crowded = new Set<Worker>();
  const make = (folder: string): Worker => {
    folders.push(folder);
    const worker: Worker = {
      lookAt: () => Promise.reject(new Error('Nothing is looked at here.')),
      demandAlone: () => {
        if (crowded.has(worker)) throw new Error('somebody lives');
      },
      end: async () => void ended.push(worker),
    };
    return worker;
  };
  return { workers: createWorkers(make), folders, ended, crowded };
}

test('the next arm has those of the one before, and one beside it has others', async () => {
  const { workers, folders, ended } = noted();
  const first = await workers.use(2, async (some) => some);
  const [second, beside] = await Promise.all([1, 2].map(() => workers.use(2, async (some) => some)));
  expect(new Set(second)).toEqual(new Set(first));
  expect(new Set([...(second ?? []), ...(beside ?? [])]).size).toBe(4);
  expect(new Set(folders).size).toBe(4);
  expect(ended).toEqual([]);
  await workers.end();
  expect(ended).toHaveLength(4);
  expect(existsSync(dirname(folders[0] ?? ''))).toBe(false);
});

test('those of an arm that failed, or left somebody behind, are ended and not used again', async () => {
  const { workers, ended, crowded } = noted();
  const failed = workers.use(2, () => Promise.reject(new Error('no answer')));
  await expect(failed).rejects.toThrow('no answer');
  expect(ended).toHaveLength(2);
  const left = workers.use(2, async (some) => some.forEach((one) => crowded.add(one)));
  await expect(left).rejects.toThrow('somebody lives');
  expect(ended).toHaveLength(4);
  const used = await workers.use(2, async (some) => some);
  expect(used.filter((one) => ended.includes(one))).toEqual([]);
  await workers.end();
  expect(ended).toHaveLength(6);
});

test('a run without a power loss has none, and no folder', async () => {
  const { workers, folders } = noted();
  await workers.end();
  expect(folders).toEqual([]);
});
