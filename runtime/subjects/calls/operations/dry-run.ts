/**
 * What an operation would append and send, without doing it. The runtime tells, from the place where the doing is decided; what it would
 * refuse is refused here too, a living owner among it, of whom a look by the runtime asks nothing.
 */
import type { DryRun } from '../../../calls/recovery/options.js';
import { OwnerAlive } from '../../../core/errors.js';
import { ownerAlive } from '../../../store/lease.js';
import type { Report } from '../../kit/role.js';
import type { Acting } from './acting.js';
import { concerned, given } from './translate.js';
import type { Wanted } from './wanted.js';

export function dryRun(acting: Acting, wanted: Wanted): Report {
  acting.context.parking.passed(['projection.read']);
  demandNoOwner(acting.context.environment.state);
  return {
    status: 'completed',
    detail: `Dry run of ${wanted.operation}: nothing was done.`,
    would: wouldBe(acting, wanted),
    operations: [],
  };
}

/** To be asked by a process that does not own the state: a lock is dropped when the process that holds it closes the file again. */
export function demandNoOwner(state: string): void {
  if (ownerAlive(state)) throw new OwnerAlive(state);
}

export function wouldBe({ runtime, named, settings }: Acting, wanted: Wanted): DryRun {
  const { workState } = named;
  if (wanted.operation === 'recover') return runtime.dryRun('recover', workState.task_id, { settings });
  return runtime.dryRun(wanted.operation, concerned(wanted, named), { workState, settings, ...given(wanted) });
}
