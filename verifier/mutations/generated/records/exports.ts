/**
 * What an inspector exported and projected, changed alone: the bytes that it looked at are there, so each such lie is a lie about them. Some
 * elements of each list are enough, the first and the last.
 */
import { canonical, decodeUtf8, parseJson, type Json } from '../../../read/canonical.js';
import { others, wordIn } from '../another-value.js';
import { placesOf, replaced, type At, type Place } from '../fields.js';
import type { Good, Operator, Site } from '../operator.js';
import { fewOf, traitsOf } from './events.js';

const exported = /^(?:projections|events|artifacts|session|log)\b/;

export const exportFields: Operator = {
  name: 'fields of exports',
  *sites(good) {
    const inspected = good.snapshots
      .filter((snapshot) => snapshot.has('inspection.json'))
      .map((snapshot) => ({ snapshot, traits: traitsOf(good, snapshot), where: snapshot.file('inspection.json') }));
    for (const { traits, where } of fewOf(inspected, (one) => one.traits.join(' '))) yield* sitesIn(good, where, traits);
  },
};

function* sitesIn({ tree }: Good, file: string, traits: readonly string[]): Generator<Site> {
  const document = parseJson(decodeUtf8(tree.files.get(file) ?? Buffer.from('null')));
  for (const { path, node, isOptional, at, value: old } of few(exportedIn(document))) {
    for (const { did, value } of others(node, old, isOptional)) {
      yield {
        operator: did,
        ...{
          document: 'inspection.json',
          field: path,
          traits: [...traits, ...wordIn(did, value)],
        },
        place: `${file} ${at.join('.')}`,
        apply: (editor) => void editor.files.set(file, Buffer.from(`${canonical(replaced(document, at, value))}\n`, 'utf8')),
      };
    }
  }
}

/** Frames and the state of a session have schemas of their own, which that of an answer does not name. */
function exportedIn(document: Json): Place[] {
  const places = placesOf('answer', document).filter(({ path }) => exported.test(path));
  const inside = places.flatMap(({ path, at, value }): Place[] => {
    if (value === undefined) return [];
    if (path === 'session') return within('session-state', path, at, value);
    return path === 'log.frames[]' ? within('frame', path, at, value) : [];
  });
  return [...places, ...inside];
}

function within(schema: string, above: string, at: At, value: Json): Place[] {
  return placesOf(schema, value).map((place) => ({ ...place, path: `${above}.${place.path}`, at: [...at, ...place.at] }));
}

/** Of each field the first place and the last. */
function few(places: readonly Place[]): Place[] {
  const byPath = new Map<string, Place[]>();
  for (const place of places) byPath.set(place.path, [...(byPath.get(place.path) ?? []), place]);
  return [...byPath.values()].flatMap((list) => [...new Set([list[0], list.at(-1)])].flatMap((place) => place ?? []));
}
