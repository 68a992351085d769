/**
 * A crash model: what is done to the processes of a snapshot, and what must be on record afterwards for that to count.
 *
 * The two are apart. `play` does it and says nothing about what that proves; `doubt` reads the timelines and wait statuses that the
 * process library took, so that a test can plant a false `play` and see that the record does not take it for good. Whoever calls `play`
 * ends every process that it left, whatever happened.
 */
import type { CaseVoid, VoidReason } from '../errors.js';
import type { CopyState } from '../io/inventory.js';
import type { Input, Operation, Place } from '../plan/types.js';
import type { Exit, RoleProcess } from '../process/spawn.js';

/** One of the processes that act on the state of a snapshot. */
export interface Part {
  /** Its name in the record; null where the snapshot has one process only. */
  readonly member: string | null;
  readonly parkedAt: Place | null;
  /** A tracer runs beside it, which is a process of the role and ends after it. */
  readonly traced?: true;
  /** What it is told in the place of what the arm says. */
  readonly told?: { readonly operation: Operation; readonly input: Input | null };
}

/** A part with its process. Each wait throws CaseVoid when it is over in vain. */
export interface Actor {
  readonly part: Part;
  readonly role: RoleProcess;
  /** It is where its part parks it, and cannot go on by itself. */
  parked(): Promise<void>;
  /** It ended by itself. */
  ended(): Promise<void>;
  /** It ended by what was done to it. */
  reaped(): Promise<void>;
}

export interface Scene {
  start(part: Part): Actor;
  /** The state folder on which they act. */
  readonly state: string;
  /** Where it goes when it is moved away from one of them, which keeps what it had opened. What lies there at the end is evidence. */
  aside(part: Part): string;
  /** A folder that holds the state they began with; absent where they began with none. */
  readonly begun?: string;
  readonly volatile: readonly string[];
  readonly copy: CopyState;
}

/** What is left of an actor when it is over. */
export interface Ended {
  readonly part: Part;
  readonly role: RoleProcess;
  readonly exit: Exit;
}

export interface CrashModel<Treatment> {
  /** A process that ended before it was parked, and one that announced another thing, are void for these reasons. */
  readonly reasons: { readonly exited: VoidReason; readonly unproven: VoidReason };
  cast(treatment: Treatment): Part[];
  play(scene: Scene, cast: readonly Part[], treatment: Treatment): Promise<void>;
  /** Null where it counts. All of the cast have ended, and are given in its order. */
  doubt(ended: readonly Ended[], treatment: Treatment): CaseVoid | null;
}
