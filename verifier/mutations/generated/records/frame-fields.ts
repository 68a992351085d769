/**
 * Every field of every record of a session, and of its header, with every other legal value. The frame is changed wherever the case holds it,
 * and features, floor, exports and states agree again: only what it means can tell.
 */
import type { Json } from '../../../read/canonical.js';
import type { Draft } from '../../sessions/encode.js';
import { others, wordIn } from '../another-value.js';
import { placesOf, replaced, type Place } from '../fields.js';
import type { Operator, Site } from '../operator.js';
import { everyFrame, type ToldFrame } from './frames.js';
import { draftOf, withFeatures, writeLog } from './log-copies.js';

const ofHeader: ReadonlySet<string> = new Set(['kind', 'type', 'fence', 'synced', 'features', 'features[]']);

export const frameFields: Operator = {
  name: 'fields of records',
  *sites(good) {
    for (const told of everyFrame(good)) {
      const { frame, copies } = told;
      const like = ({ path, value }: Place): Json[] =>
        typeof value !== 'string' ? [] : alike(copies[0]?.frames ?? [], frame.type, path);
      const payload = frame.payload as unknown as Json;
      yield* fieldSites(told, placesOf(frame.type, payload), `record ${frame.type}`, like, (draft, { at }, value) =>
        withFeatures({ ...draft, payload: replaced(draft.payload as unknown as Json, at, value) as unknown as Draft['payload'] }),
      );
      const header = placesOf('frame', { ...frame, payload: {} } as unknown as Json).filter(({ path }) => ofHeader.has(path));
      yield* fieldSites(
        told,
        header,
        'frame (header)',
        () => [],
        (draft, { at }, value) => {
          const { payload: own, ...rest } = draft;
          return { ...(replaced(rest as unknown as Json, at, value) as unknown as Omit<Draft, 'payload'>), payload: own };
        },
      );
    }
  },
};

function* fieldSites(
  { frame, traits, copies, where }: ToldFrame,
  places: readonly Place[],
  document: string,
  like: (place: Place) => Json[],
  change: (draft: Draft, place: Place, value: Json | undefined) => Draft,
): Generator<Site> {
  for (const place of places) {
    const nearest = like(place)
      .filter((value) => JSON.stringify(value) !== JSON.stringify(place.value))
      .slice(-1);
    for (const { did, value } of others(place.node, place.value, place.isOptional, nearest)) {
      yield {
        operator: did,
        ...{ document, field: place.path, traits: [...traits, ...wordIn(did, value)] },
        place: `${where} seq ${frame.seq} ${place.at.join('.')}`,
        apply(editor) {
          for (const copy of copies)
            writeLog(
              editor,
              copy,
              copy.frames.map((one) => (one.seq === frame.seq ? change(draftOf(one), place, value) : draftOf(one))),
            );
        },
      };
    }
  }
}

/** What the same member says elsewhere in the log. */
function alike(frames: ToldFrame['copies'][number]['frames'], type: string, path: string): Json[] {
  return frames
    .filter((frame) => frame.type === type)
    .flatMap(({ payload }) => placesOf(type, payload as unknown as Json))
    .filter((place) => place.path === path && typeof place.value === 'string')
    .map(({ value }) => value as Json);
}
