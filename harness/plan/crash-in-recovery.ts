/**
 * Crash in recovery: a recovery that is killed at each of its own commits, and done again. Pure.
 *
 * It needs no crash model of its own. It stands for snapshots, each of them an ordinary recovery, killed or left alone.
 */
import type { CrashInRecovery, Kill, Place } from './types.js';

/** What one of these snapshots has of its own; all else is the recovery's. */
interface Recovery {
  readonly snapshot: string;
  readonly from: string | null;
  readonly kill: Kill;
}

/** `recovery` is the one that nobody kills; what is answered stands after it, each snapshot after the one that it begins with. */
export function killedRecoveries<R extends Recovery>(
  recovery: R,
  { commits, depth }: Omit<CrashInRecovery, 'model' | 'same_events'>,
): R[] {
  return commits.flatMap((remaining, done) => {
    const killed = killedAfter(done, recovery, recovery.from);
    const again = depth === 1 ? [] : upTo(remaining).map((more) => killedAfter(more, killed, killed.snapshot));
    return [killed, ...again.flatMap((twice) => [twice, endOf(twice)]), endOf(killed)];
  });
}

/** Killed at its last one of so many commits, or, with none, when it has read and done nothing yet. */
function killedAfter<R extends Recovery>(commits: number, recovery: R, from: string | null): R {
  const kill: Place =
    commits === 0
      ? { at: 'checkpoint', checkpoint: 'projection.read', occurrence: 1 }
      : { at: 'checkpoint', checkpoint: 'commit', occurrence: commits };
  return { ...recovery, snapshot: `${recovery.snapshot}-k${commits}`, from, kill };
}

function endOf<R extends Recovery>(killed: R): R {
  return { ...killed, snapshot: `${killed.snapshot}-end`, from: killed.snapshot, kill: null };
}

function upTo(last: number): number[] {
  return Array.from({ length: last + 1 }, (_none, index) => index);
}
