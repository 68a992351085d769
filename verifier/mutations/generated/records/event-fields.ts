/**
 * Every field of every event, and of its row, with every other legal value. The event is changed wherever the case holds it, chains, exports,
 * projections and inventories agree again, and no artifact is left that nothing names: only what it means can tell.
 */
import type { Event } from '../../../contract/types.js';
import type { Json } from '../../../read/canonical.js';
import { others, wordIn } from '../another-value.js';
import { placesOf, replaced, type Place } from '../fields.js';
import type { Operator, Site } from '../operator.js';
import { writeCopy } from './ledger-copies.js';
import { everyEvent, type Told } from './events.js';

export const eventFields: Operator = {
  name: 'fields of events',
  *sites(good) {
    for (const told of everyEvent(good)) {
      const { event, copies } = told;
      const payload = event.payload as Json;
      yield* fieldSites(told, placesOf(event.type, payload), `event ${event.type}`, likePayloads(told), (one, { at }, value) => ({
        ...one,
        payload: replaced(one.payload as Json, at, value) as Event['payload'],
      }));
      const { payload: _payload, digest: _digest, seq: _seq, ...row } = event;
      const rows = placesOf('event', { ...row, payload: {}, digest: event.digest, seq: event.seq });
      const named = rows.filter(({ path }) => Object.hasOwn(row, path));
      const likeRows = ({ path }: Place): Json[] => copies[0]?.events.map((one) => one[path as keyof typeof row] as Json) ?? [];
      yield* fieldSites(told, named, 'event (row)', likeRows, (one, { path }, value) => ({ ...one, [path]: value }));
    }
  },
};

function* fieldSites(
  { event, traits, copies, where }: Told,
  places: readonly Place[],
  document: string,
  like: (place: Place) => Json[],
  change: (event: Event, place: Place, value: Json | undefined) => Event,
): Generator<Site> {
  for (const place of places) {
    const known = like(place).filter((value) => JSON.stringify(value) !== JSON.stringify(place.value));
    const nearest = known.slice(-1);
    for (const { did, value } of others(place.node, place.value, place.isOptional, nearest)) {
      yield {
        operator: did,
        ...{ document, field: place.path, traits: [...traits, ...wordIn(did, value)] },
        place: `${where} seq ${event.seq} ${place.at.join('.')}`,
        apply(editor) {
          for (const copy of copies)
            writeCopy(editor, copy, {
              events: copy.events.map((one) => (one.seq === event.seq ? change(one, place, value) : one)),
              artifacts: copy.artifacts,
            });
        },
      };
    }
  }
}

/** What the same member says elsewhere in the ledger, or what else is stored under the same media type. */
function likePayloads({ event, copies }: Told): (place: Place) => Json[] {
  const [copy] = copies;
  return ({ path, value }) => {
    if (copy === undefined || typeof value !== 'string') return [];
    const said = copy.events
      .filter(({ type }) => type === event.type)
      .flatMap(({ payload }) => placesOf(event.type, payload as Json))
      .filter((place) => place.path === path && typeof place.value === 'string')
      .map((place) => place.value as string);
    const own = copy.artifacts.get(value);
    const stored = [...copy.artifacts.values()].filter(({ media_type: type }) => type === own?.media_type);
    return [...said, ...stored.map(({ sha256 }) => sha256)];
  };
}
