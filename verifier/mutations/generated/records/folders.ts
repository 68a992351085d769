/** The files of a state folder beside its log: the format record, field by field, the feature floor, and what does not belong there. */
import type { Snapshot } from '../../../read/bundle.js';
import { canonical, decodeUtf8, parseJson } from '../../../read/canonical.js';
import type { Editor } from '../../editor.js';
import { encodeFloor } from '../../sessions/encode.js';
import { others } from '../another-value.js';
import { placesOf, replaced } from '../fields.js';
import type { Operator, Site } from '../operator.js';
import { fewOf, traitsOf } from './events.js';
import { coverFolder } from './log-copies.js';

export const folders: Operator = {
  name: 'state folders',
  *sites(good) {
    const all = good.snapshots
      .filter(({ state, lineage }) => !state.unfinished && lineage.every(({ planned }) => planned.powerLoss === null))
      .map((snapshot) => ({ snapshot, traits: traitsOf(good, snapshot), where: snapshot.state.folder }));
    for (const { snapshot, traits, where } of fewOf(all, (one) => one.traits.join(' '))) {
      const { state } = snapshot;
      const site = (operator: string, document: string, field: string, change: (editor: Editor) => unknown): Site => ({
        ...{ operator, document, field, traits, place: `${where} ${field}` },
        apply(editor) {
          change(editor);
          coverFolder(editor, { snapshot, state });
        },
      });
      const format = state.file('format.json');
      const bytes = good.tree.files.get(format);
      if (bytes !== undefined) {
        const document = parseJson(decodeUtf8(bytes));
        for (const { path, at, node, value: old, isOptional } of placesOf('format', document))
          for (const { did, value } of others(node, old, isOptional))
            yield site(did, 'format.json', path, (editor) =>
              editor.files.set(format, Buffer.from(`${canonical(replaced(document, at, value))}\n`)),
            );
        yield site('dropped', 'format.json', '(file)', (editor) => editor.files.delete(format));
      }
      yield site('added', 'state folder', '(file)', (editor) =>
        editor.files.set(state.file('notes.txt'), Buffer.from('notes\n')),
      );
      yield* floorSites(snapshot, site);
    }
  },
};

type Make = (operator: string, document: string, field: string, change: (editor: Editor) => unknown) => Site;

function* floorSites({ state }: Snapshot, site: Make): Generator<Site> {
  const features = state.log.value?.floor.features ?? [];
  if (state.log.value === undefined) return;
  const write =
    (names: readonly string[]) =>
    (editor: Editor): unknown =>
      editor.files.set(state.floorFile, encodeFloor(names));
  yield site('a feature that nobody reads', 'feature floor', 'features', write([...features, 'another/v1']));
  if (features.length === 0) return;
  yield site('element dropped', 'feature floor', 'features', write(features.slice(1)));
  yield site('dropped', 'feature floor', '(file)', (editor) => editor.files.delete(state.floorFile));
}
