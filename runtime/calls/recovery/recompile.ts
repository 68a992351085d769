/** Recompile: end a compilation that was asked for and never ended, from its record alone. It has no effect outside. */
import type { Committer } from '../live/committer.js';
import { compilationEnd, demandCompiled, type CompiledContext } from '../live/context.js';
import { recoveredBy } from '../live/stamp.js';
import { compiler } from '../core/compile.js';
import { act, appending, type Proposal } from './act.js';
import { cannot, demandCompilationFor } from './demand.js';
import type { OperationOptions } from './options.js';

export function recompile(committer: Committer, compilationId: string, options: OperationOptions): CompiledContext {
  return act(committer, options, () => proposeRecompile(committer, compilationId));
}

export function proposeRecompile(committer: Committer, compilationId: string): Proposal<CompiledContext> {
  const { taskId, request } = demandCompilationFor(committer, compilationId, 'recompile');
  const { name, version } = request.compiler;
  if (name !== compiler.name || version !== compiler.version)
    throw cannot(
      compilationId,
      'recompile',
      `cannot be compiled by this program: it was asked of ${name} version ${version}. Go on with the program that recorded it.`,
    );
  const { offered: inventory, required_ids: requiredIds, budget_tokens: budgetTokens } = request;
  const place = { task_id: taskId, compilation_id: compilationId };
  const { drafts, ended } = compilationEnd(place, { inventory, requiredIds, budgetTokens }, recoveredBy('recompile'));
  return appending(committer, drafts, () => demandCompiled(ended));
}
