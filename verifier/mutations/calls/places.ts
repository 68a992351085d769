/** Where to break a record of calls: places that are chosen by what the ledger holds. */
import { inheritedCount } from '../../checks/calls/derived.js';
import type { Event } from '../../contract/types.js';
import type { Snapshot } from '../../read/bundle.js';
import { isLeaf, isPlain, type Place } from '../places.js';

/** A resume that acted once and completed the call. */
export const resumed: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const { role, kill, expect } = snapshot.planned;
    const acted = role === 'resume' && kill === null && expect.outcome === 'completed_once' && isPlain(snapshot);
    return acted && isLeaf(snapshot, bundle) && firstAdded(snapshot, 'call.resumed')?.payload.verified != null;
  });

/**
 * A resume that acted once and completed the call, or where the plan has none a recovery that asked nobody and of which all receipts
 * are its own: its requests are for an effect, and what it records of them came back to it.
 */
export const completed: Place = (editor) =>
  resumed(editor) ??
  editor.find((snapshot, bundle) => {
    const { operation, crash, kill, expect } = snapshot.planned;
    const acted = operation !== null && crash === null && kill === null && expect.outcome === 'completed_once';
    const isOwn = snapshot.base?.receipts.value?.lineCount === 0;
    const isAsking = snapshot.receipts.value?.questions.length !== 0;
    return acted && isOwn && !isAsking && isLeaf(snapshot, bundle) && firstAdded(snapshot, 'call.completed') !== undefined;
  });

/** A producer without arms that retried a broken delivery, because the provider honours the key. */
export const honouredRetry: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const retried = firstAdded(snapshot, 'attempt.retry_decided')?.payload.reason === 'broken_key_honoured';
    return retried && isLeaf(snapshot, bundle) && snapshot.base === undefined;
  });

export function firstAdded(snapshot: Snapshot, type: string): Event | undefined {
  return snapshot.ledger.value?.events.slice(inheritedCount(snapshot)).find((event) => event.type === type);
}
