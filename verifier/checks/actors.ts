/**
 * Who acted in a snapshot, and what the plan told each: one role, or the members of a group. And who wrote which event: a mark names
 * its process; what bears none was written by whoever began its attempt or its call.
 */
import type { Event } from '../contract/types.js';
import { recoveryOf } from '../model/recovery.js';
import type { Snapshot } from '../read/bundle.js';
import type { PlannedSnapshot } from '../read/plan.js';
import type { RoleEvidence } from '../read/role.js';
import { toldTo } from './parking.js';

export interface Actor {
  readonly role: RoleEvidence;
  /** Null where it was told nothing: then it may resume a call that was never sent. */
  readonly operation: PlannedSnapshot['operation'];
  readonly input: PlannedSnapshot['input'];
  /** By the plan; it left no answer. */
  readonly killed: boolean;
}

export function actorsOf(snapshot: Snapshot): Actor[] {
  const killed = snapshot.planned.kill !== null;
  return snapshot.roles.map((role) => ({ role, killed, ...toldTo(snapshot, role) }));
}

/** By the seq of each added event: the process that wrote it; nothing is said of what follows from nothing that was begun here. */
export function writersOf(added: readonly Event[]): ReadonlyMap<number, number> {
  const begun = new Map<string, number>();
  const writers = new Map<number, number>();
  for (const event of added) {
    const { attempt_id: attempt, call_id: call, seq, type } = event;
    const isStart = type === 'attempt.started';
    const began = begun.get((isStart ? null : attempt) ?? call ?? '');
    const writer = recoveryOf(event)?.pid ?? began;
    if (writer === undefined) continue;
    writers.set(seq, writer);
    if (isStart && attempt !== null) begun.set(attempt, writer);
    if ((isStart || type === 'call.requested') && call !== null) begun.set(call, writer);
  }
  return writers;
}
