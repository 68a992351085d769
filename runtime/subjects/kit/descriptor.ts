/** Descriptors that a role was given, read and written on the main thread: nothing else of the process runs meanwhile. */
import * as fs from 'node:fs';

/** Waits for bytes and says how many came; 0 at the end. */
export function readBlocking(descriptor: number, into: Uint8Array): number {
  for (;;) {
    try {
      return fs.readSync(descriptor, into, 0, into.length, null);
    } catch (error) {
      // A spawner may have left its end non-blocking.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

export function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let written = 0; written < bytes.length;) written += fs.writeSync(descriptor, bytes, written);
}
