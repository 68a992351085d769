/** What was asked, in the runtime's words: the id that an operation concerns, and what a person stated or gave. Pure. */
import type { OfferedContext } from '../../../calls/live/offered.js';
import type { DryRunOptions, FixedCall, Statement } from '../../../calls/recovery/options.js';
import { isCompilation } from '../../../calls/recovery/tasks.js';
import { UsageError } from '../../kit/environment.js';
import type { OfferedContext as GivenContext } from '../scenario.js';
import { demandOf, type Named } from './named.js';
import type { GivenCall, One, StatedEffect, Wanted } from './wanted.js';

/** The call or compilation that the operation concerns; `check_and_accept` concerns the task. */
export function concerned({ operation, input }: One, named: Named): string {
  if (operation === 'check_and_accept') return named.workState.task_id;
  if (operation === 'recompile') return demandOf('compilation', named, operation);
  if (operation !== 'fix_inputs') return demandOf('call', named, operation);
  if ('items' in input) return demandOf('compilation', named, operation);
  if (isCompilation(named.workState, named.on))
    throw new UsageError(`${named.on} is a compilation; the input that fixes it is {"items", "required_ids"}.`);
  return demandOf('call', named, operation);
}

/** Everything that was stated or given, as a dry run takes it. */
export function given({ operation, input }: Wanted): Omit<DryRunOptions, 'workState' | 'settings'> {
  if (operation === 'fix_inputs') return { inputs: 'items' in input ? contextOf(input) : fixedCallOf(input) };
  if (operation === 'check_and_accept') return { judgement: input.judgement };
  if (operation === 'reinterpret' && input !== null) return { interpreterVersion: input.interpreter_version };
  if (operation === 'reconcile_effect' && input !== null && 'finding' in input) return { statement: statementOf(input) };
  return {};
}

export function contextOf({ items, required_ids: requiredIds }: GivenContext): OfferedContext {
  return { items, requiredIds };
}

export function fixedCallOf({ instruction, compilation_id: compilationId }: GivenCall): FixedCall {
  return { ...(instruction !== undefined && { instruction }), ...(compilationId !== undefined && { compilationId }) };
}

export function statementOf({ by, finding, note, response }: StatedEffect): Statement {
  if (response === undefined) return { by, finding, note };
  const { status, content_type: contentType, body } = response;
  return { by, finding, note, response: { status, contentType, bytes: Buffer.from(body, 'utf8') } };
}
