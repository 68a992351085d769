/** What every event that a snapshot added records of its scenario, by what the process was told that appended it. */
import type { Event } from '../../contract/types.js';
import { leftUndone, scenarioDepartures, type Told } from '../../model/calls/scenario.js';
import type { Snapshot } from '../../read/bundle.js';
import { need } from '../check.js';
import { answered } from '../derived.js';
import { toldTo } from '../parking.js';
import type { Departure, Scenario } from '../subject-model.js';
import { inheritedCount } from './derived.js';

export function departuresFromScenario(scenario: Scenario, snapshot: Snapshot): Departure[] {
  const { events, artifacts } = need(snapshot.ledger);
  const inherited = inheritedCount(snapshot);
  const bytesOf = (hash: string): Uint8Array | undefined => artifacts.get(hash)?.bytes;
  const undone = hasProduced(snapshot) ? leftUndone(scenario, events) : [];
  return [
    ...scenarioDepartures(scenario, { events, inherited, bytesOf, told: tellers(snapshot) }),
    ...undone.map((types) => ({ seq: null, detail: `What the scenario asks for is not on record: ${types}.` })),
  ];
}

/** A producer that was not to be killed ended, and says that it did all that it was told. */
function hasProduced(snapshot: Snapshot): boolean {
  const { role, kill } = snapshot.planned;
  return role === 'produce' && kill === null && snapshot.group === undefined && answered(snapshot) === 'completed';
}

/** What the process was told that appended an event: a recovery names its process, and what follows on the straight path is its own. */
function tellers(snapshot: Snapshot): (event: Event) => Told {
  const { role } = snapshot.planned;
  const all = snapshot.roles.map((one) => ({ pid: need(one.process).pid, told: { role, ...toldTo(snapshot, one) } }));
  let last = all[0]?.told ?? { role, operation: null, input: null };
  return ({ payload }) => {
    const pid = (payload.recovery as { pid?: number } | undefined)?.pid;
    last = all.find((one) => one.pid === pid)?.told ?? last;
    return last;
  };
}
