/**
 * What an operation would append and send, without doing it. The runtime tells, from the place where the doing is decided; what it would
 * refuse is refused here too.
 */
import type { DryRun } from '../../../calls/recovery/options.js';
import type { Report } from '../../kit/role.js';
import type { Acting } from './acting.js';
import { concerned, given } from './translate.js';
import type { Wanted } from './wanted.js';

export function dryRun(acting: Acting, wanted: Wanted): Report {
  acting.context.parking.passed(['projection.read']);
  return {
    status: 'completed',
    detail: `Dry run of ${wanted.operation}: nothing was done.`,
    would: wouldBe(acting, wanted),
    operations: [],
  };
}

export function wouldBe({ runtime, named, settings }: Acting, wanted: Wanted): DryRun {
  const { workState } = named;
  if (wanted.operation === 'recover') return runtime.dryRun('recover', workState.task_id, { settings });
  return runtime.dryRun(wanted.operation, concerned(wanted, named), { workState, settings, ...given(wanted) });
}
