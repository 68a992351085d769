/** Types of the calls script, which is plain JavaScript because it also runs under a system call trace. */
import type { Runtime } from '../../runtime/index.js';

interface Opened {
  runtime: Runtime;
  compilationId: string;
}
export function openForCalls(build: string, directory: string): Promise<Opened>;
export function makeCalls(opened: Opened, from: number, count: number): Promise<void>;
