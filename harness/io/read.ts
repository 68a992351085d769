/**
 * Reads a file that somebody else names or wrote: a plan, a description, an answer, a state folder's format.
 *
 * Such a path is untrusted. A FIFO would block for ever (and a blocked process hears no signal), a device has no end, and a huge
 * file takes the memory: so the file is opened without blocking, and only a plain file of bounded size is read.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

export const limits = { plan: 16 * 1024 * 1024, description: 1024 * 1024, answer: 64 * 1024 * 1024 } as const;

/** `follow: false` also refuses a symbolic link: what a subject leaves must be the bytes themselves. */
export function readPlainFile(path: string, maxBytes: number, { follow = true } = {}): Buffer {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW);
  const descriptor = openPlain(path, flags);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw new Error('it is not a plain file');
    if (facts.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return readWhole(descriptor, maxBytes);
  } finally {
    closeSync(descriptor);
  }
}

/** The size is a hint only (`/proc` says 0, and a file may grow): reading goes on to the end, or to the bound. */
function readWhole(descriptor: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  for (let total = 0; ;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const count = readSync(descriptor, chunk);
    if (count === 0) return Buffer.concat(chunks);
    total += count;
    if (total > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    chunks.push(chunk.subarray(0, count));
  }
}

function openPlain(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    const plain: Record<string, string> = {
      ELOOP: 'it is a symbolic link that cannot be followed',
      ENXIO: 'it is not a plain file',
      EACCES: 'this user may not read it',
      ENOENT: 'it does not exist',
      ENAMETOOLONG: 'the name is too long',
      ENOTDIR: 'a part of the path is not a folder',
    };
    const reason = plain[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason === undefined ? error : new Error(reason, { cause: error });
  }
}
