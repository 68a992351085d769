/**
 * Parking: announce an armed place on descriptor 3 and block on descriptor 4 until killed or told to go on.
 *
 * Both are synchronous on the main thread: no timer, no promise and no further write can run while the process is parked. An
 * announcement without blocking was measured to let hundreds of writes through before the kill. End of file on descriptor 4 means
 * that nobody is left to decide: the process ends at once, without running any exit handler that could still write.
 */
import { canonical } from '../../core/canonical.js';
import { readBlocking, writeWhole } from './descriptor.js';

const announceTo = 3;
const releasedBy = 4;
const abandoned = 86;

export class Parking {
  private readonly seen = new Map<string, number>();

  constructor(
    private readonly armed: { name: string; occurrence: number } | null,
    private readonly nonce: string,
  ) {}

  /** Counts the places that were just passed, and parks if the armed one is among them. */
  passed(names: readonly string[]): void {
    let reached = false;
    for (const name of names) {
      const occurrence = (this.seen.get(name) ?? 0) + 1;
      this.seen.set(name, occurrence);
      reached ||= name === this.armed?.name && occurrence === this.armed.occurrence;
    }
    if (reached && this.armed !== null) park(this.armed, this.nonce);
  }
}

function park(armed: { name: string; occurrence: number }, nonce: string): void {
  const line = canonical({ checkpoint: armed.name, nonce, occurrence: armed.occurrence, pid: process.pid });
  writeWhole(announceTo, `${line}\n`);
  const answer = Buffer.alloc(1);
  if (readBlocking(releasedBy, answer) === 1 && answer.toString('latin1') === 'g') return;
  exitAtOnce(abandoned);
}

function exitAtOnce(code: number): never {
  const { reallyExit } = process as unknown as { reallyExit: (code: number) => never };
  return reallyExit.call(process, code);
}
