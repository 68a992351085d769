/**
 * Who began which tenure of a log. A log names no process: a tenure is known by its fence, and whose it is follows from who could act when.
 * Racers are told the same, so of theirs only the number matters. An owner that is stopped while it holds its lease has begun one, and the
 * other follows it; one that is stopped before it takes the lease comes second.
 */
import { historyOf } from '../../model/sessions/fold.js';
import type { History } from '../../model/sessions/history.js';
import { isOpenFor } from '../../model/sessions/open-for.js';
import type { Snapshot } from '../../read/bundle.js';
import type { SessionFrame } from '../../read/session-records.js';
import { actorsOf, type Actor } from '../actors.js';
import { need } from '../check.js';
import { addedFrames, inheritedCount, logIn } from './derived.js';

/** What one process appended, in one opening of the log. */
export interface Tenure {
  readonly fence: number;
  readonly first: number;
  readonly frames: readonly SessionFrame[];
  /** Whose it is: of a race any that was not refused; undefined where nobody is left whose it could be. */
  readonly actor: Actor | undefined;
}

/** Places before the lease is taken. */
const unlocked: ReadonlySet<string> = new Set(['role.ready', 'projection.read']);

/** The owner was stopped while it held its lease, so that a tenure of its own had begun. */
export function stopsWithLease({ planned: { crash } }: Snapshot): boolean {
  return crash?.model === 'zombie' && !unlocked.has(crash.stop.checkpoint);
}

export function addedTenures(snapshot: Snapshot): Tenure[] {
  const tenures: { fence: number; first: number; frames: SessionFrame[] }[] = [];
  for (const frame of addedFrames(snapshot)) {
    const last = tenures.at(-1);
    if (last?.fence === frame.fence) last.frames.push(frame);
    else tenures.push({ fence: frame.fence, first: frame.seq, frames: [frame] });
  }
  const turns = turnsOf(snapshot);
  if (snapshot.planned.crash?.model !== 'zombie') return tenures.map((tenure) => ({ ...tenure, actor: turns[0] }));
  return tenures.map((tenure, index) => {
    const before = historyUpTo(snapshot, tenure.first);
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
      const hasBegun = turn.role.member === 'owner' && index === 0 && stopsWithLease(snapshot);
      if (hasBegun || (!hasRefused(turn) && isOpenFor(turn, before))) return { ...tenure, actor: turn };
    }
    return { ...tenure, actor: undefined };
  });
}

/** Who may have begun a tenure in the folder at the path, in this order. */
function turnsOf(snapshot: Snapshot): Actor[] {
  const { crash } = snapshot.planned;
  const actors = actorsOf(snapshot);
  if (crash?.model !== 'zombie') return actors;
  const [owner, other] = actors;
  if (owner === undefined || other === undefined) return actors;
  if (!stopsWithLease(snapshot)) return [other, owner];
  return crash.defeat === 'folder-restored' ? [other] : [owner, other];
}

/** What the log said before a frame. */
export function historyUpTo(snapshot: Snapshot, seq: number): History {
  return historyOf(logIn(snapshot.state).records.filter((record) => record.seq < seq));
}

/** What it said before anybody of the snapshot acted. */
export function whenBegun(snapshot: Snapshot): History {
  return historyUpTo(snapshot, inheritedCount(snapshot) + 1);
}

export function hasRefused({ role }: Actor): boolean {
  return need(role.answer).status === 'refused';
}
