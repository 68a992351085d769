/** One thread of many: reads the bundle, makes its share of the mutants, and tells what became of them. */
import { parentPort, workerData } from 'node:worker_threads';
import { Memory } from '../../read/memory.js';
import { readTree } from '../../read/tree.js';
import { goodOf, shareOf } from './run.js';
import type { Task } from './spread.js';

const { folder, choice, share } = workerData as Task;
parentPort?.postMessage(shareOf(goodOf(readTree(folder), new Memory()), choice, share));
