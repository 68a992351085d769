/** What tells one place of a bundle from another: who acted there, how it ended, what became of it. */
import { toldTo } from '../../checks/parking.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { ownsMovedFolder, type RoleEvidence } from '../../read/role.js';
import { isControl, isLeaf } from '../places.js';

export function traitsOfSnapshot(bundle: Bundle, snapshot: Snapshot): string[] {
  const { planned, base, loss, roles, state } = snapshot;
  const { kill, crash, traced, powerLoss, operation, role } = planned;
  return [
    bundle.plan.value?.model ?? 'calls/v1',
    role,
    kill === null ? 'ended' : `killed:${kill.at}`,
    ...(kill === null ? [] : ['killed']),
    ...(crash === null ? [] : [crash.model]),
    ...(traced === null ? [] : ['traced', traced.ratchet.model]),
    ...(traced?.call === null ? ['whole-run'] : []),
    ...(traced?.fault ? ['faulted'] : []),
    ...(loss === undefined ? [] : ['power-loss']),
    ...(loss !== undefined && isOnlyLoss(snapshot, bundle) ? ['only-loss'] : []),
    ...(powerLoss !== null && powerLoss.begins !== null ? ['after-power-loss'] : []),
    ...(operation === null ? [] : ['operation']),
    ...(planned.expect.refusal === undefined ? [] : ['predicted-refusal']),
    ...(roles.some((one) => one.has('answer.json')) ? ['answered'] : []),
    ...(base === undefined ? ['first'] : []),
    ...(isLeaf(snapshot, bundle) ? ['leaf'] : ['continued']),
    ...(isControl(snapshot, bundle) ? ['control'] : []),
    ...(state.unfinished ? ['unfinished'] : []),
  ];
}

function isOnlyLoss(snapshot: Snapshot, { cases }: Bundle): boolean {
  return cases.every(({ snapshots }) => snapshots.every((one) => one === snapshot || one.loss === undefined));
}

export function traitsOfRole(snapshot: Snapshot, role: RoleEvidence): string[] {
  const { member } = role;
  const status = role.has('answer.json') ? role.answer.value?.status : undefined;
  const told = toldTo(snapshot, role);
  return [
    status ?? 'silent',
    ...(role.has('answer.json') ? [role.answer.value?.refusal?.error ?? 'unrefused'] : []),
    ...(role.has('checkpoint.jsonl') ? ['announced'] : []),
    ...(member === null ? ['alone'] : ['member', member]),
    ...(ownsMovedFolder(snapshot.planned.crash, role) ? ['moved-away'] : []),
    ...(told.operation === null ? [] : ['told']),
    ...(told.input === null ? [] : ['given-input']),
  ];
}
