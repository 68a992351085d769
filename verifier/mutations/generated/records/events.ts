/** The events of a bundle, once each with every folder that holds them, and what is different about each. */
import type { Event } from '../../../contract/types.js';
import type { Snapshot } from '../../../read/bundle.js';
import { shuffled } from '../choose.js';
import type { Good } from '../operator.js';
import { traitsOfSnapshot } from '../traits.js';
import { copiesIn, type Copy } from './ledger-copies.js';

export interface Told {
  readonly event: Event;
  /** All that hold it, whoever appended it first. */
  readonly copies: readonly Copy[];
  readonly traits: readonly string[];
  /** The snapshot that appended it, for people. */
  readonly where: string;
}

/** Of events that are alike in what they are, so many are looked into. */
const looked = 2;

export function everyEvent(good: Good): Told[] {
  const all = good.bundle.cases.flatMap((one): Told[] => {
    const held = byDigest(copiesIn(one));
    return [...held.values()].flatMap((copies) => {
      const [first] = copies;
      if (first === undefined) return [];
      const { copy, event } = first;
      const holding = copies.map((holder) => holder.copy);
      const where = `${copy.snapshot.caseId}/${copy.snapshot.name}`;
      return [{ event, copies: holding, traits: traitsOfEvent(good, holding, copy, event), where }];
    });
  });
  return fewOf(all, ({ event, traits }) => `${event.type} ${traits.join(' ')}`);
}

/** Every event with the folders that hold it: its digest covers everything before it, too. */
function byDigest(copies: readonly Copy[]): Map<string, { readonly copy: Copy; readonly event: Event }[]> {
  const held = new Map<string, { readonly copy: Copy; readonly event: Event }[]>();
  for (const copy of copies)
    for (const event of copy.events) {
      const known = held.get(event.digest);
      if (known === undefined) held.set(event.digest, [{ copy, event }]);
      else known.push({ copy, event });
    }
  return held;
}

/** A few of each kind, in an order that has nothing to do with where they stand. */
export function fewOf<T extends { readonly where: string }>(all: readonly T[], kindOf: (one: T) => string): T[] {
  const seen = new Map<string, number>();
  return shuffled(all, 'records', ({ where }) => where).filter((one) => {
    const kind = kindOf(one);
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    return count <= looked;
  });
}

const known = new WeakMap<Snapshot, string[]>();

export function traitsOf({ bundle }: Good, snapshot: Snapshot): string[] {
  const traits = known.get(snapshot) ?? traitsOfSnapshot(bundle, snapshot);
  known.set(snapshot, traits);
  return traits;
}

const told: ReadonlySet<string> = new Set(['delivery', 'decision', 'outcome', 'result', 'finding', 'reason']);

/** What decides what an event means: who appended it, and its words. */
function traitsOfEvent(good: Good, held: readonly Copy[], { snapshot, events }: Copy, event: Event): string[] {
  const { type, payload, seq } = event;
  const old = events.find(({ call_id: id, type: first }) => first === 'call.requested' && id === payload.old_call_id);
  const words = Object.entries(payload).flatMap(([name, value]) =>
    told.has(name) && typeof value === 'string' && value.length < 30 ? [`${name}=${value}`] : [],
  );
  return [
    ...traitsOf(good, snapshot),
    ...words,
    ...(payload.recovery === undefined ? [] : ['recovered']),
    ...(payload.spec_sha256 === undefined ? [] : ['specified']),
    ...(payload.replaces === undefined ? [] : ['replacing']),
    ...(payload.fan_out === undefined ? [] : ['fanned-out']),
    // The interpreter has words of the contract only for a status that is not 200.
    ...(type === 'attempt.interpreted' && /^\d{3}$/.test(String(payload.detail)) ? ['refused'] : []),
    ...(type === 'call.completed' && String(payload.error).startsWith('settled by ') ? ['settled-by'] : []),
    ...(old?.payload.spec_sha256 === undefined ? [] : ['old-specified']),
    ...(type === 'call.manifest' ? traitsOfManifest(held, event) : []),
    ...(seq === events.length ? ['last'] : []),
  ];
}

/** What else says what a manifest says. */
function traitsOfManifest(held: readonly Copy[], { call_id: call }: Event): string[] {
  const all = held.flatMap(({ events }) => events);
  const isOfCall = (type: string): Event | undefined => all.find((one) => one.type === type && one.call_id === call);
  const renewed = new Set(all.filter((one) => one.payload.old_call_id === call).map(({ payload }) => payload.new_call_id));
  return [
    ...(isOfCall('call.requested')?.payload.spec_sha256 === undefined ? [] : ['specified']),
    ...(all.some((one) => one.type === 'attempt.interpreted' && one.call_id === call && one.payload.recovery === undefined)
      ? ['interpreted']
      : []),
    ...(all.some((one) => one.type === 'call.manifest' && renewed.has(one.call_id)) ? ['carried-on'] : []),
  ];
}
