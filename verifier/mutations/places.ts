/**
 * Where to break a bundle. A place is chosen by what it is, not by its name, so that every plan with such a case is tried. Leaves
 * (nothing continues them) are preferred: what is forged in a snapshot that others continue is caught there as well.
 */
import { inheritedCount } from '../checks/derived.js';
import { historyOf } from '../model/history.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import type { Event } from '../contract/types.js';
import type { Editor } from './editor.js';

export function isLeaf(snapshot: Snapshot, { cases }: Bundle): boolean {
  const siblings = cases.find(({ id }) => id === snapshot.caseId)?.snapshots ?? [];
  return siblings.every(({ base }) => base?.name !== snapshot.name);
}

function isControl({ caseId, name }: Snapshot, { plan }: Bundle): boolean {
  const { no_kill = [], naive_restart = [] } = plan.value?.controls ?? {};
  return no_kill.includes(caseId) || naive_restart.some((control) => control.case === caseId && control.arm === name);
}

/** A resume that acted once and completed the call. */
export function resumed(editor: Editor): Snapshot | undefined {
  return editor.find((snapshot, bundle) => {
    const { role, kill, expect } = snapshot.planned;
    const acted = role === 'resume' && kill === null && expect.outcome === 'completed_once';
    return acted && isLeaf(snapshot, bundle) && firstAdded(snapshot, 'call.resumed')?.payload.verified != null;
  });
}

/** A resume that was refused. */
export function refused(editor: Editor): Snapshot | undefined {
  return editor.find(
    (snapshot, bundle) =>
      snapshot.planned.role === 'resume' && snapshot.planned.expect.outcome === 'refused' && isLeaf(snapshot, bundle),
  );
}

/** A restart that paid twice, no control, with receipts that it inherited. */
export function duplicated(editor: Editor): Snapshot | undefined {
  return editor.find((snapshot, bundle) => {
    const inherits = (snapshot.base?.receipts.value?.requests.length ?? 0) > 0;
    return (
      snapshot.planned.expect.outcome === 'duplicated' && inherits && isLeaf(snapshot, bundle) && !isControl(snapshot, bundle)
    );
  });
}

/** The restart that the plan names as control. */
export function naiveControl(editor: Editor): Snapshot | undefined {
  const control = editor.bundle.plan.value?.controls.naive_restart[0];
  return editor.find(({ caseId, name }) => caseId === control?.case && name === control.arm);
}

export function killedAt(editor: Editor, checkpoint?: string): Snapshot | undefined {
  return editor.find(
    ({ planned: { kill } }) => kill?.at === 'checkpoint' && (checkpoint === undefined || kill.checkpoint === checkpoint),
  );
}

export function heldKill(editor: Editor): Snapshot | undefined {
  return editor.find(({ planned: { kill } }) => kill?.at === 'held');
}

export function firstAdded(snapshot: Snapshot, type: string): Event | undefined {
  return snapshot.ledger.value?.events.slice(inheritedCount(snapshot)).find((event) => event.type === type);
}

export function lastKey(snapshot: Snapshot): string {
  return [...historyOf(snapshot.ledger.value?.events ?? []).calls.values()].at(-1)?.key ?? '';
}
