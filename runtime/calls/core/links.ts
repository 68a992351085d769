/**
 * Links between events, checked as they are read: a ledger whose links make no sense is damaged, and nothing may be decided from it.
 *
 * A call or compilation takes the place of an earlier one of its task, once; so chains have an order and no cycle. An attempt cites an
 * earlier reconciliation or decision of its own call, and a decision is spent once.
 */
import { damaged } from './damaged.js';
import type { LedgerEvent } from './events.js';
import type { CallRecord, Decision } from './records.js';

type Of<T extends LedgerEvent['type']> = LedgerEvent & { type: T };
interface Replaceable {
  id: string;
  supersededBy: string | null;
}

/** A `call.resumed` is followed by the call that it names. */
export function demandNextRow(before: LedgerEvent | undefined, event: LedgerEvent): void {
  if (before?.type !== 'call.resumed') return;
  const isNamed =
    event.type === 'call.requested' && event.call_id === before.payload.new_call_id && event.task_id === before.task_id;
  if (!isNamed) throw damaged(before, `names ${before.payload.new_call_id}, which is not the next row`);
}

/** The members of a fan-out stand together, numbered in their order. */
export function demandMember(before: LedgerEvent | undefined, event: Of<'context.compilation_requested'>): void {
  const { fan_out: fanOut } = event.payload;
  if (fanOut === undefined) return;
  const { id, index, of } = fanOut;
  const last = before?.type === 'context.compilation_requested' ? before.payload.fan_out : undefined;
  const follows = last?.id === id && before?.task_id === event.task_id && last.index === index - 1 && last.of === of;
  if (index > of || (index !== 1 && !follows)) throw damaged(event, `is member ${index} of ${of} of ${id} and stands elsewhere`);
}

/** The call that is resumed. */
export function demandLink(event: Of<'call.resumed'>, calls: readonly CallRecord[]): CallRecord {
  const { old_call_id, new_call_id } = event.payload;
  if (event.call_id !== old_call_id) throw damaged(event, `is a row of ${event.call_id} and names ${old_call_id}`);
  if (calls.some(({ id }) => id === new_call_id)) throw damaged(event, `leads back to ${new_call_id}`);
  return demandOpenEnd(event, old_call_id, calls);
}

/** What a new call or compilation takes the place of; null where it replaces nothing. */
export function demandReplaceable<T extends Replaceable>(
  event: LedgerEvent,
  replaces: string | undefined,
  earlier: readonly T[],
): T | null {
  return replaces === undefined ? null : demandOpenEnd(event, replaces, earlier);
}

/** The decision that an attempt spends; null where it cites none. */
export function demandCited(event: Of<'attempt.started'>, call: CallRecord): Decision | null {
  const { cites } = event.payload;
  if (cites === undefined) return null;
  const decision = call.decisions.find(({ seq }) => seq === cites);
  if (decision === undefined) {
    if (call.attempts.some(({ reconciliations }) => reconciliations.some(({ seq }) => seq === cites))) return null;
    throw damaged(event, `cites event ${cites}, which is no reconciliation or decision of ${call.id}`);
  }
  if (decision.spentBy !== null) throw damaged(event, `cites event ${cites}, which ${decision.spentBy} has spent`);
  return decision;
}

function demandOpenEnd<T extends Replaceable>(event: LedgerEvent, id: string, earlier: readonly T[]): T {
  const found = earlier.find((candidate) => candidate.id === id);
  if (found === undefined) throw damaged(event, `takes the place of ${id}, which is not before it in its task`);
  if (found.supersededBy !== null) throw damaged(event, `takes the place of ${id}, as ${found.supersededBy} did before`);
  return found;
}
