/** Breaks that any ratchet is open to: in what its traces tell of the state that was left, and of the end. */
import type { Case } from '../contract/types.js';
import type { FindingCode } from '../checks/check.js';
import type { Snapshot } from '../read/bundle.js';
import type { Ratchet } from '../read/plan.js';
import { placesOf } from '../read/ratchet.js';
import type { Editor, Mutation } from './editor.js';
import { onPlace } from './places.js';

/** What is taken out may have changed nothing, and is then not missed. */
const idle = /^(?:mkdir|f?truncate)/;

/** All calls of a name are taken out of every trace of an arm, and their points with them. */
export function takenOut(model: Ratchet['model'], code: FindingCode): Mutation {
  const arm = (editor: Editor): Snapshot | undefined =>
    editor.findAny(
      (one) => one.planned.traced?.ratchet.model === model && one.planned.traced.call === null && lastName(one) !== null,
    );
  return onPlace(
    arm,
    `all calls of a name were taken out of every trace (${model}), and their points with them`,
    [code],
    takeOut,
  );
}

/** The trace tells of another exit than was seen. */
export function otherExit(editor: Editor, target: Snapshot): void {
  editor.text(target.file('trace.txt'), (text) => text.replace(/exited with \d+ \+\+\+\n$/, 'exited with 3 +++\n'));
}

/** The name whose calls all come behind those of every other name, so that the others are the same points without them. */
function lastName({ trace }: Snapshot): string | null {
  const names = placesOf(trace.value?.calls ?? []).map(({ name }) => name);
  const last = names.at(-1) ?? '';
  const first = names.indexOf(last);
  return first > 0 && !idle.test(last) && names.slice(first).every((name) => name === last) ? last : null;
}

function takeOut(editor: Editor, arm: Snapshot): void {
  const name = lastName(arm) ?? '';
  const { snapshots = [] } = editor.bundle.cases.find(({ id }) => id === arm.caseId) ?? {};
  for (const { planned, ...one } of snapshots.map((snapshot) => ({ planned: snapshot.planned, file: snapshot.file('') }))) {
    const { traced, from } = planned;
    const at = traced ?? snapshots.find((other) => other.name === from)?.planned.traced ?? null;
    if (at?.arm !== arm.name) continue;
    if (at.call?.name === name) for (const path of editor.files.keys()) if (path.startsWith(one.file)) editor.files.delete(path);
    if (at.call?.name === name || traced === null) continue;
    editor.text(`${one.file}trace.txt`, (text) => text.replaceAll(new RegExp(`^\\d+ ${name}\\(.*\\n`, 'gm'), ''));
  }
  const left = editor.bundle.cases.find(({ id }) => id === arm.caseId)?.snapshots.map((snapshot) => snapshot.name);
  editor.json<Case>(`data/cases/${arm.caseId}/case.json`, (value) => void (value.snapshots = left ?? []));
}
