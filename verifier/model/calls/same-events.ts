/**
 * Whether two records are the same events, as the contract defines it: the events of calls that are not superseded, without
 * `call.resumed` and `recovery`, without times and digests, and with rows, ids and citations numbered anew in their order. What is
 * left says what happened, and not in how many pieces or by whom. Pure.
 */
import type { Event } from '../../contract/types.js';
import { canonical, type Json } from '../../read/canonical.js';
import { historyOf } from './history.js';

/** Where two records part: the seq of the row on either side, null where that record has ended. Null where they are the same. */
export function firstDifference(
  left: readonly Event[],
  right: readonly Event[],
): { left: number | null; right: number | null } | null {
  const [mine, theirs] = [told(left), told(right)];
  for (let at = 0; at < Math.max(mine.length, theirs.length); at += 1) {
    if (mine[at]?.text !== theirs[at]?.text) return { left: mine[at]?.seq ?? null, right: theirs[at]?.seq ?? null };
  }
  return null;
}

interface Told {
  readonly seq: number;
  readonly text: string;
}

function told(events: readonly Event[]): Told[] {
  const { calls } = historyOf(events);
  const isKept = ({ type, call_id: id }: Event): boolean =>
    type !== 'call.resumed' && (id === null || calls.get(id)?.supersededBy === undefined);
  const kept = events.filter(isKept);
  const rows = new Map(kept.map(({ seq }, index) => [seq, index + 1]));
  return kept.map((event) => ({ seq: event.seq, text: canonical(renumbered(event, rows)) }));
}

/** Every id that is made from a row is made from that row's new number. */
function renumbered(
  { type, task_id, call_id, attempt_id, compilation_id, payload }: Event,
  rows: ReadonlyMap<number, number>,
): Json {
  const { recovery: _recovery, cites, ...said } = payload as Record<string, Json>;
  const anew = (value: Json): Json => {
    if (typeof value === 'string') return idAnew(value, rows);
    if (Array.isArray(value)) return value.map(anew);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, anew(member)]));
  };
  const ids = { attempt_id, call_id, compilation_id };
  // A citation of a row that is not kept stays what it was, and so tells.
  const cited = typeof cites === 'number' ? (rows.get(cites) ?? -cites) : null;
  return { ...(anew(ids) as object), cites: cited, payload: anew(said), task_id, type };
}

function idAnew(text: string, rows: ReadonlyMap<number, number>): string {
  // The error of a call that another one settled ends in that call's id.
  const [, prefix, seq] = /^((?:settled by )?(?:attempt|call|compilation|fan-out|result)-)([1-9]\d*)$/.exec(text) ?? [];
  const row = seq === undefined ? undefined : rows.get(Number(seq));
  return prefix === undefined || row === undefined ? text : `${prefix}${row}`;
}
