/** Breaks in what inspectors and roles told. */
import { isLeaf, onPlace, type Families, type Place } from './places.js';

export const inspectionMutations = (completed: Place) =>
  ({
    'egress-unexpected': [
      onPlace(
        (editor) => editor.find(({ planned }) => (planned.expect.egress_refused ?? 0) > 0 && planned.kill === null),
        'the planted reach was not refused',
        ['egress-unexpected', 'prediction-failed'],
        (editor, target) => editor.answer(target, ({ egress }) => void (egress.refused = [])),
      ),
      onPlace(
        (editor) => editor.find(({ planned }) => (planned.expect.egress_refused ?? 0) > 0 && planned.kill === null),
        'another reach was refused than the planted one',
        ['egress-unexpected'],
        (editor, target) =>
          editor.answer(target, ({ egress }) => {
            for (const place of egress.refused) place.host = 'another.example';
          }),
      ),
      onPlace(completed, 'a role dialled elsewhere', ['egress-unexpected'], (editor, target) =>
        editor.answer(target, ({ egress }) => void egress.refused.push({ host: 'example.org', port: 443 })),
      ),
      onPlace(completed, 'an inspector dialled elsewhere', ['egress-unexpected'], (editor, target) =>
        editor.inspection(target, ({ egress }) => void egress.refused.push({ host: 'example.org', port: 443 })),
      ),
    ],
    'inspection-changed-state': [
      onPlace(
        (editor) => editor.find(isLeaf),
        'the inspector met another state than the bundle holds',
        ['inspection-changed-state'],
        (editor, target) =>
          editor.inspector(target, ({ before: [first] }) => void (first === undefined ? null : (first.size += 1))),
      ),
    ],
  }) satisfies Families;
