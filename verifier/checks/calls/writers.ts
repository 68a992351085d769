/**
 * Who wrote which event, where several processes acted: a mark names its process; what bears none was written by whoever began its
 * attempt or its call.
 */
import type { Event } from '../../contract/types.js';
import { recoveryOf } from '../../model/calls/recovery.js';

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
