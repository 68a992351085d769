/**
 * What a producer does while a run goes on: right after a record was made durable, in the listener that hears of it.
 *
 * What is refused there must not break the run into whose barrier it came: it is remembered, and the producer answers that it failed.
 */
import { SessionRefused } from '../../sessions/core/refusals.js';
import type { Session } from '../../sessions/api/session.js';
import type { Frame } from '../../sessions/core/records.js';
import type { During as Planned } from './scenario.js';
import { cancel, queue, retract, steer } from './steps.js';

export class During {
  /** The first refusal, as a sentence. */
  refused: string | null = null;
  private readonly seen = new Map<string, number>();

  constructor(private readonly planned: readonly Planned[]) {}

  committed(session: Session, frames: readonly Frame[]): void {
    // Counted before anything is done: what is done is committed, and counted, within.
    const reached = frames.map(({ type }) => `${type}#${this.count(type)}`);
    for (const planned of this.planned) if (reached.includes(planned.after)) this.carryOut(session, planned);
  }

  private count(type: string): number {
    const count = (this.seen.get(type) ?? 0) + 1;
    this.seen.set(type, count);
    return count;
  }

  private carryOut(session: Session, planned: Planned): void {
    try {
      if (planned.do === 'steer') steer(session, planned);
      else if (planned.do === 'queue') queue(session, planned);
      else if (planned.do === 'retract') retract(session, planned);
      else cancel(session, planned);
    } catch (error) {
      if (!(error instanceof SessionRefused)) throw error;
      this.refused ??= `Meanwhile, after ${planned.after}, "${planned.do}" was refused: ${error.message}`;
    }
  }
}
