/**
 * Events left out, told twice, and in each other's place, wherever the case holds them. What follows is numbered anew, with every id and
 * citation that is made of a number, in what was sent and answered as well.
 */
import type { Answer, Event } from '../../../contract/types.js';
import type { Editor } from '../../editor.js';
import type { Operator, Site } from '../operator.js';
import { everyEvent } from './events.js';
import { writeCopy, type Copy } from './ledger-copies.js';
import { rewritten } from './rewrite.js';

/** An event, and the seq that it had; none where it was put in. */
type Moved = readonly [event: Event, old: number | null];

export const eventLines: Operator = {
  name: 'events as a whole',
  *sites(good) {
    for (const { event, copies, traits, where } of everyEvent(good)) {
      const at = event.seq - 1;
      const site = (operator: string, holders: readonly Copy[], change: (moved: Moved[]) => Moved[]): Site => ({
        operator,
        ...{ document: `event ${event.type}`, field: '(event)', traits },
        place: `${where} seq ${event.seq}`,
        apply(editor) {
          for (const copy of holders) writeMoved(editor, copy, change(copy.events.map((one): Moved => [one, one.seq])));
        },
      });
      yield site('dropped', copies, (moved) => moved.toSpliced(at, 1));
      yield site('twice', copies, (moved) => moved.toSpliced(at + 1, 0, [structuredClone(event), null]));
      // The one behind it must be the same everywhere, or nobody could swap them in all.
      const next = copies[0]?.events[at + 1];
      const both = copies.filter(({ events }) => events[at + 1]?.digest === next?.digest);
      if (next !== undefined && both.length === copies.length)
        yield {
          ...site('swapped with the next', both, (moved) => moved.toSpliced(at, 2, ...moved.slice(at, at + 2).reverse())),
          traits: [...traits, `next:${next.type}`, ...(next.payload.spec_sha256 === undefined ? [] : ['next-specified'])],
        };
    }
  },
};

const introduces: Readonly<Record<string, readonly [column: 'call_id' | 'attempt_id' | 'compilation_id', prefix: string]>> = {
  'context.compilation_requested': ['compilation_id', 'compilation'],
  'call.requested': ['call_id', 'call'],
  'attempt.started': ['attempt_id', 'attempt'],
};

/** Writes the events in their new order, under new numbers. */
export function writeMoved(editor: Editor, copy: Copy, moved: readonly Moved[]): void {
  const numbers = new Map(moved.flatMap(([, old], index): [number, number][] => (old === null ? [] : [[old, index + 1]])));
  const numberOf = (old: number): number => numbers.get(old) ?? old;
  const ids = (text: string): string =>
    text.replaceAll(
      /\b(compilation|call|attempt|result|fan-out)-(\d+)\b/g,
      (_all, what: string, seq: string) => `${what}-${numberOf(Number(seq))}`,
    );
  const id = (text: string | null): string | null => (text === null ? null : ids(text));
  const events = moved.map(([event], index): Event => {
    const { call_id, attempt_id, compilation_id, payload } = event;
    const seq = index + 1;
    const cites = payload.cites;
    return {
      ...event,
      ...{ seq, call_id: id(call_id), attempt_id: id(attempt_id), compilation_id: id(compilation_id) },
      payload: typeof cites === 'number' ? { ...payload, cites: numberOf(cites) } : payload,
    };
  });
  const content = rewritten({ events, artifacts: copy.artifacts }, ids);
  writeCopy(editor, copy, {
    ...content,
    events: content.events.map((event, index) => (moved[index]?.[1] === null ? named(event) : event)),
  });
  if (copy.state === copy.snapshot.state) coverTold(editor, copy, ids, numberOf, content.hashes);
}

/** What was put in has ids of its own. */
function named(event: Event): Event {
  const { seq, type, payload } = event;
  if (type === 'result.recorded') return { ...event, payload: { ...payload, result_id: `result-${seq}` } };
  const own = introduces[type];
  return own === undefined ? event : { ...event, [own[0]]: `${own[1]}-${seq}` };
}

/** The tokens of what was sent, and the ids in what roles answered. */
function coverTold(
  editor: Editor,
  { snapshot }: Copy,
  ids: (text: string) => string,
  numberOf: (seq: number) => number,
  hashes: ReadonlyMap<string, string>,
): void {
  for (const role of snapshot.roles)
    if (role.has('answer.json'))
      editor.json<Answer>(role.file('answer.json'), ({ refusal }) => {
        if (refusal?.call_id != null) refusal.call_id = ids(refusal.call_id);
      });
  if ((snapshot.receipts.value?.lineCount ?? 0) === 0) return;
  editor.receipts(snapshot, (lines) => {
    for (const line of lines) {
      if (line.kind === 'settled') continue;
      const token = Number(line.headers['fencing-token']);
      if (Number.isInteger(token)) line.headers['fencing-token'] = String(numberOf(token));
      line.body_sha256 = hashes.get(line.body_sha256) ?? line.body_sha256;
    }
  });
}
