/**
 * Where to break a bundle. A place is chosen by what it is, not by its name, so that every plan with such a case is tried. Leaves
 * (nothing continues them) are preferred: what is forged in a snapshot that others continue is caught there as well.
 */
import type { FindingCode } from '../checks/check.js';
import { addedRequests } from '../checks/derived.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import type { Editor, Mutation } from './editor.js';

export type Place = (editor: Editor) => Snapshot | undefined;

/** A break at the first place of a kind; none where the bundle has no such place, or where the change says that it cannot be made. */
export function onPlace(
  find: Place,
  name: string,
  codes: readonly FindingCode[],
  change: (editor: Editor, target: Snapshot) => boolean | void,
): Mutation {
  return {
    name,
    codes,
    apply(editor) {
      const target = find(editor);
      return target !== undefined && change(editor, target) !== false;
    },
  };
}

/** A break of the bundle as a whole. */
export function onBundle(name: string, codes: readonly FindingCode[], change: (editor: Editor) => unknown): Mutation {
  return { name, codes, apply: (editor) => change(editor) !== false };
}

export type Families = Readonly<Record<string, readonly Mutation[]>>;
type NameIn<T> = T extends unknown ? keyof T : never;

/** All mutations by family: two files may add to one, and none takes another's place. */
export function grouped<T extends Families>(parts: readonly T[]): Record<NameIn<T>, readonly Mutation[]> {
  const all: Record<string, Mutation[]> = {};
  for (const [family, list] of parts.flatMap((part) => Object.entries(part))) all[family] = [...(all[family] ?? []), ...list];
  return all as Record<NameIn<T>, readonly Mutation[]>;
}

export function isLeaf(snapshot: Snapshot, { cases }: Bundle): boolean {
  const siblings = cases.find(({ id }) => id === snapshot.caseId)?.snapshots ?? [];
  return siblings.every(({ base }) => base?.name !== snapshot.name);
}

export function isControl({ caseId, name }: Snapshot, { plan }: Bundle): boolean {
  const { no_kill = [], naive_restart = [] } = plan.value?.controls ?? {};
  return no_kill.includes(caseId) || naive_restart.some((control) => control.case === caseId && control.arm === name);
}

/** One role, which was told nothing. */
export function isPlain({ planned: { operation, crash } }: Snapshot): boolean {
  return operation === null && crash === null;
}

/** A resume that was refused. */
export const refused: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const { role, expect } = snapshot.planned;
    return role === 'resume' && expect.outcome === 'refused' && isPlain(snapshot) && isLeaf(snapshot, bundle);
  });

/** One that paid twice, no control, with receipts that it inherited. */
export const duplicated: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    const inherits = (snapshot.base?.receipts.value?.requests.length ?? 0) > 0;
    return (
      snapshot.planned.expect.outcome === 'duplicated' && inherits && isLeaf(snapshot, bundle) && !isControl(snapshot, bundle)
    );
  });

/** The restart that the plan names as control. */
export const naiveControl: Place = (editor) => {
  const control = editor.bundle.plan.value?.controls.naive_restart[0];
  return editor.find(({ caseId, name }) => caseId === control?.case && name === control.arm);
};

export const killedAt =
  (checkpoint?: string): Place =>
  (editor) =>
    editor.find(
      ({ planned: { kill } }) => kill?.at === 'checkpoint' && (checkpoint === undefined || kill.checkpoint === checkpoint),
    );

export const heldKill: Place = (editor) => editor.find(({ planned: { kill } }) => kill?.at === 'held');

/** A leaf whose own request was dropped. */
export const droppedRequest: Place = (editor) =>
  editor.find((snapshot, bundle) => {
    if (snapshot.receipts.value === undefined || !isLeaf(snapshot, bundle)) return false;
    return addedRequests(snapshot).some(({ settled }) => settled?.ended === 'dropped');
  });

/** Whether what continues the snapshots of this case was told nothing either. */
export function isPlainCase({ caseId }: Snapshot, { cases }: Bundle): boolean {
  return cases.find(({ id }) => id === caseId)?.snapshots.every(isPlain) === true;
}

type Expect = Parameters<Parameters<Editor['plan']>[0]>[0]['cases'][number]['expect'];

export function expectation(editor: Editor, { caseId, name }: Snapshot, change: (expect: Expect) => void): void {
  editor.plan((plan) => {
    const expect = plan.cases.find(({ id }) => id === caseId)?.arms.find(({ id }) => id === name)?.expect;
    if (expect !== undefined) change(expect);
  });
}

/** Lets the plan predict of a snapshot no more than its figures, so that a break shows in nothing else than itself. */
export function foretellLess(editor: Editor, target: Snapshot): void {
  expectation(editor, target, (expect) => {
    const { ended, events, receipts, effects, outcome } = expect;
    for (const name of Object.keys(expect)) Reflect.deleteProperty(expect, name);
    Object.assign(expect, { ended, events, receipts, effects, outcome });
  });
}
